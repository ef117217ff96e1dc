package local_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/dprelease/dprelease/internal/wiring"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline/enginetest"
	"github.com/dprelease/dprelease/pipeline/local"
)

const distinctJob = `
version: 1
name: distinct
privacy: {epsilon: 1, delta: 1e-6, unit: {upstream: device, max_rows: 3, distinct: [x]}}
input: {files: [x.csv], csv: {types: {x: %q}}}
queries:
  - {name: values, histogram: {by: [{column: x, values: [%q, %q]}]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: distinct, budget: {epsilon: 9, delta: 1e-4}}
`

// Rows of a unit that differ in the distinct columns are in different cells, even if the values differ in digits that
// the column's type cannot hold.
func TestDistinctValuesStayDistinct(t *testing.T) {
	for _, c := range []struct{ kind, rows, value, other string }{
		{"float", "0.1\n0.10000000000000000001\n0.1000000000000000000000001\n", "0.1", "0.2"},
		{"timestamp 2006-01-02T15:04:05Z07:00", "2013-01-01T00:00:00Z\n2013-01-01T00:00:00.0000001Z\n" +
			"2013-01-01T00:00:00.00000012Z\n", "2013-01-01T00:00:00", "2013-01-02T00:00:00"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "x.csv"), []byte("x\n"+c.rows), 0o600); err != nil {
			t.Fatal(err)
		}
		p := enginetest.Plan(t, filepath.Join(dir, "job.yaml"), fmt.Appendf(nil, distinctJob, c.kind, c.value, c.other))
		data, err := source.Open(t.Context(), wiring.SourceOptions(p.Job()))
		if err != nil {
			t.Fatal(err)
		}
		e := local.New(data, 1)
		for i, n := range openAll(t, p, e)[0][0] {
			if one, _ := n.Int64(); one > 1 || i == 0 && one == 0 {
				t.Errorf("%s: one device counts %d times in cell %d", c.kind, one, i)
			}
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}
