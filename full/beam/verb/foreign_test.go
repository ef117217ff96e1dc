package verb

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dprelease/dprelease/cmd/release/command"
	"github.com/dprelease/dprelease/pipeline/partial"
)

// A key that was made for another ledger is noticed before the pipeline runs.
func TestForeign(t *testing.T) {
	const text = "version: 1\nname: n\nprivacy: {epsilon: 1, delta: 1e-6, unit: row}\ninput: {files: [t.csv]}\n" +
		"queries: [{name: q, count: {}}]\noutput: {dir: out}\n" +
		"ledger: {store: \"sqlite:ledger.db\", dataset: d, budget: {epsilon: 5, delta: 1e-4}}\n"
	var jobs [2]string
	var keys [2]partial.Key
	for i := range jobs {
		dir := t.TempDir()
		jobs[i] = filepath.Join(dir, "job.yaml")
		if err := os.WriteFile(jobs[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "key")
		if code := command.Run(t.Context(), "aggregate", jobs[i], "--quiet", "--new-key", path); code != 0 {
			t.Fatal(code)
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if keys[i], err = partial.ParseKey(string(raw)); err != nil {
			t.Fatal(err)
		}
	}
	for i, job := range jobs {
		for j, key := range keys {
			if got := foreign(t.Context(), job, nil, key); got != (i != j) {
				t.Errorf("job %d, key %d: %v", i, j, got)
			}
		}
	}
}
