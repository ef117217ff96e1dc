package command

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
)

// On a terminal a run asks about unusable columns before it opens the input, and whether it asks depends only on the
// job: it asks the same if the table is missing.
func TestPolicyIsAskedBeforeReading(t *testing.T) {
	dir := t.TempDir()
	const job = `
version: 1
name: days
privacy: {epsilon: 1, delta: 1e-6, unit: row}
input: {files: [in.csv], csv: {types: {day: date}}}
queries: [{name: months, histogram: {by: [{column: day, part: month}]}}]
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: days, budget: {epsilon: 9, delta: 1e-4}}
`
	asked := func(text, answer string, ask bool, change func(*app)) (policy, question string) {
		t.Helper()
		path := filepath.Join(dir, "job.yaml")
		put(t, path, text)
		var stderr bytes.Buffer
		a := &app{Console: console.New(&bytes.Buffer{}, &stderr), checks: checksAuto, stdin: strings.NewReader(answer)}
		if change != nil {
			change(a)
		}
		plan, err := (&jobs.Flags{}).Load(t.Context(), a.Console, path)
		if err != nil {
			t.Fatal(err)
		}
		return a.askPolicy(t.Context(), plan, ask), stderr.String()
	}
	for answer, want := range map[string]string{"y\n": "refuse", "\n": "refuse", "n\n": "off", "NO\n": "off", "": "off"} {
		if policy, question := asked(job, answer, true, nil); policy != want || !strings.Contains(question, "day (date)") ||
			!strings.Contains(question, "[Y/n]") {
			t.Errorf("answer %q: %q, want %q, after %q", answer, policy, want, question)
		}
	}
	for name, c := range map[string]struct {
		text   string
		ask    bool
		change func(*app)
	}{
		"no terminal":      {job, false, nil},
		"the job says it":  {job + "data_checks: off\n", true, nil},
		"the flag says it": {job, true, func(a *app) { a.checks = checksOff }},
		"only texts":       {strings.NewReplacer("date}}", "text}}", "part: month", "values: [a]").Replace(job), true, nil},
	} {
		if policy, question := asked(c.text, "y\n", c.ask, c.change); policy != "" || question != "" {
			t.Errorf("%s: %q after %q", name, policy, question)
		}
	}
}
