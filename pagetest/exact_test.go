package pagetest

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// recompute builds the program that works out the numbers of pages by itself.
func recompute(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "recompute")
	if out, err := exec.Command("go", "build", "-o", path, "./recompute").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// small returns a job over a few rows with the given queries and a large budget.
func small(privacy, queries string) map[string]string {
	rows := "name,color,n\n"
	for i := range 400 {
		rows += fmt.Sprintf("u%d,%s,%d\n", i, []string{"red", "green", "blue"}[i%3], i%10)
	}
	return map[string]string{"t.csv": rows, "job.yaml": `version: 1
name: small
privacy: {` + privacy + `}
input: {files: [t.csv], csv: {types: {name: text, color: text, n: int}}}
queries:
` + queries + `
output: {dir: out, formats: [csv]}
ledger: {store: "sqlite:ledger.db", dataset: d, budget: {epsilon: 1000, delta: 1e-2}}
`}
}

// Every number of the guarantee on a page agrees to the last digit with a second program that computes it from the
// manifest and shares no code: at usual guarantees, at extreme ones, and at random; also for jobs that discover keys.
func TestGuaranteeIsExact(t *testing.T) {
	colors := "  - {name: colors, histogram: {by: [{column: color, values: [red, green, blue]}]}}"
	counts := "  - {name: total, count: {}}\n" + colors
	keys := "  - {name: keys, histogram: {by: [{column: color, keys: discover}]}}"
	type sample struct{ name, privacy, queries string }
	samples := []sample{
		{"everyday", "epsilon: 1, delta: 1e-6, unit: row", counts},
		{"replace", "epsilon: 0.7, delta: 1e-7, unit: row, adjacency: replace-one", colors},
		{"weak", "epsilon: 100, delta: 1e-3, unit: row", counts},
		{"nearly nothing", "epsilon: 0.0001, delta: 1e-12, unit: row", counts},
		{"least delta", "epsilon: 3, delta: 1e-100, unit: row", counts},
		{"pure", "epsilon: 1, delta: 0, unit: row", counts},
		{"weak and pure", "epsilon: 6, delta: 0, unit: row", counts},
		{"keys", "epsilon: 1, delta: 1e-6, unit: [name], per_unit: {max_rows: 1, max_groups: 1}", keys},
	}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	t.Logf("seed %d", seed)
	for i := range 6 {
		samples = append(samples, sample{fmt.Sprintf("random %d", i),
			fmt.Sprintf("epsilon: %.4g, delta: %.3ge-%d, unit: row", 0.01+5*r.Float64()*r.Float64(), 1+8*r.Float64(),
				4+r.IntN(20)), counts})
	}
	program := recompute(t)
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) {
			out, err := exec.Command(program, released(t, small(s.privacy, s.queries))).CombinedOutput()
			if err != nil {
				t.Errorf("%s:\n%s", s.privacy, out)
			}
			if !strings.Contains(string(out), " numbers compared, 0 differ") {
				t.Errorf("%s", out)
			}
		})
	}
}
