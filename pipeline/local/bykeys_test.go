package local_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/enginetest"
	"github.com/dprelease/dprelease/pipeline/local"
)

const keysJob = `version: 1
name: keys
privacy: {epsilon: 1, delta: 1e-6, unit: %s%s}
input: {files: ["*.csv"], csv: {types: {x: int}}}
queries:
  - {name: total, variance: {column: x, clamp: [-8, 8], by: [{column: key, keys: discover}, {column: x, edges: [-100, 0, 100]}]}}
  - {name: keys, histogram: {by: [{column: key, keys: discover}]}%s}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: keys, budget: {epsilon: 9, delta: 1e-4, delta_cap: 1e-5}}
`

// keysTable writes rows of 900 rare keys and of 5 frequent ones into three files.
func keysTable(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for file := range 3 {
		var b bytes.Buffer
		b.WriteString("person,key,x\n")
		for i := range 600 {
			fmt.Fprintf(&b, "%d,often%d,%d\n%d,rare %d,%d\n", i+200*file, i%5, i%20-9, i, (i+700*file)%900, i%7)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.csv", file)), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// heldOf opens the exact answers by keys: the counts, and the numbers of each component of the following query.
func heldOf(t *testing.T, a *pipeline.Aggregates) (counts map[string]int64, named []map[string]*big.Int) {
	t.Helper()
	keys, n := mechanismtest.OpenKeyed(t, a.Exacts[1][0])
	counts = map[string]int64{}
	for i, k := range keys {
		counts[k] = n[i]
	}
	for _, e := range a.Exacts[0] {
		_, held := mechanismtest.OpenForKeys(t, e)
		named = append(named, held)
	}
	return counts, named
}

// The exact answers by keys are the same with almost no memory as in memory, for units of rows and of columns, also
// from shards. They are read from the scratch file when keys are selected and answered, but not after the answers are
// closed. No file remains in the folder.
func TestKeysBeyondMemory(t *testing.T) {
	dir := keysTable(t)
	for unit, bounds := range map[string][2]string{"row": {"", ""},
		"[person]": {", per_unit: {max_groups: 3, max_rows_per_group: 2}", ", per_unit: {max_rows_per_group: 1}"}} {
		t.Run(unit, func(t *testing.T) {
			p := enginetest.Plan(t, filepath.Join(dir, "job.yaml"), fmt.Appendf(nil, keysJob, unit, bounds[0], bounds[1]))
			roomy, err := local.New(dataset(t, p), 2).Aggregate(t.Context(), p, pipeline.Silent{})
			if err != nil {
				t.Fatal(err)
			}
			defer roomy.Close()
			counts, named := heldOf(t, roomy)
			if len(counts) < 700 || len(named) != 3 {
				t.Fatalf("%d keys, %d components", len(counts), len(named))
			}
			folder := t.TempDir()
			aggregate := func() *pipeline.Aggregates {
				a, err := local.NewTight(dataset(t, p), 2, folder).Aggregate(t.Context(), p, pipeline.Silent{})
				if err != nil {
					t.Fatal(err)
				}
				return a
			}
			tight := aggregate()
			defer tight.Close()
			again, more := heldOf(t, tight)
			if !maps.Equal(counts, again) {
				t.Error("other counts without memory")
			}
			for i := range named {
				if !maps.EqualFunc(named[i], more[i], func(x, y *big.Int) bool { return x.Cmp(y) == 0 }) {
					t.Errorf("component %d differs without memory", i)
				}
			}
			selectAndAnswer(t, aggregate(), counts, named[0])
			closed := aggregate()
			closed.Close()
			m := calibrate.Mechanism{Query: "q", Sens: calibrate.Sensitivity{L2: 2, Why: "test"}, Sigma: 4, Grid: 0.25}
			if _, err := mechanism.SelectKeys(t.Context(), closed.Exacts[1][0], ledgertest.ShareReceipt(t, "0.2", m),
				calibrate.KeySelection{Mechanism: m, Keys: 3, Failure: 0.01}, 2); err == nil {
				t.Error("keys are selected from answers that are closed")
			}
			if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
				t.Errorf("%v is left in the scratch folder, %v", left, err)
			}
		})
	}
}

// selectAndAnswer selects keys of answers that were written to the scratch file, and compares the exact answers of
// these keys.
func selectAndAnswer(t *testing.T, a *pipeline.Aggregates, counts map[string]int64, held map[string]*big.Int) {
	t.Helper()
	defer a.Close()
	m := calibrate.Mechanism{Query: "q", Sens: calibrate.Sensitivity{L2: 2, Why: "test"}, Sigma: 4, Grid: 0.25}
	noisy, err := mechanism.SelectKeys(t.Context(), a.Exacts[1][0], ledgertest.ShareReceipt(t, "0.2", m),
		calibrate.KeySelection{Mechanism: m, Keys: 3, Failure: 1e-9}, 2)
	if err != nil {
		t.Fatal(err)
	}
	keys := noisy.Keys()
	values := make([]float64, len(keys))
	noisy.Fill(0, values)
	if len(keys) != 5 || !slices.IsSorted(keys) {
		t.Fatalf("%q", keys)
	}
	for i, k := range keys { // 9 standard deviations: false alarm 1e-18
		if d := values[i] - float64(counts[k]); d > 36 || d < -36 {
			t.Errorf("%q: %g, the count is %d", k, values[i], counts[k])
		}
	}
	chosen, err := a.Exacts[0][0].ForKeys(noisy)
	if err != nil {
		t.Fatal(err)
	}
	_, cells := mechanismtest.OpenWide(t, chosen)
	if len(cells) != 2*len(keys) {
		t.Fatalf("%d cells", len(cells))
	}
	found := 0
	for _, x := range cells {
		for _, y := range held {
			if x.Cmp(y) == 0 {
				found++
				break
			}
		}
	}
	if found != len(cells) {
		t.Errorf("%d of %d cells are among what is held", found, len(cells))
	}
	if _, err := a.Exacts[0][0].ForKeys(noisy); err == nil {
		t.Error("keys are given twice")
	}
}
