package local_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/enginetest"
	"github.com/dprelease/dprelease/pipeline/local"
)

// The limit counts the names of cells, which are in memory even if the cells are held sparsely.
func TestLimitCountsTheNamesOfCells(t *testing.T) {
	owntest.Slow(t)
	p := enginetest.Plan(t, "/job.yaml", []byte(`
version: 1
name: ids
privacy: {epsilon: 1, delta: 1e-9, unit: row}
input: {files: [ids.parquet]}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: ids, budget: {epsilon: 9, delta: 1e-4}}
queries: [{name: ids, histogram: {by: [{column: id, from: 0, to: 1000000, width: 1}]}}]
`))
	var refused *pipeline.Error
	if err := (local.Limits{Workers: 1, Memory: 160 << 20}).Fits(p); !errors.As(err, &refused) || refused.Code != "memory-limit" {
		t.Errorf("160 MiB: %v", err)
	}
	if err := (local.Limits{Workers: 1, Memory: 200 << 20}).Fits(p); err != nil {
		t.Errorf("200 MiB: %v", err)
	}
}

// Queries with equal filters share a store of rows. If the stores' shares would be too small, the job is refused.
func TestLimitCountsStoresOfRows(t *testing.T) {
	plan := func(queries, filters int, more string) *pipeline.Plan {
		var b strings.Builder
		b.WriteString(`
version: 1
name: stores
privacy: {epsilon: 1, delta: 1e-9, unit: [unit], per_unit: {max_rows: 3}}
input: {files: [stores.csv]}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: stores, budget: {epsilon: 9, delta: 1e-4}}
queries:
`)
		for i := range queries {
			bounds := strings.ReplaceAll(more, "ROWS", fmt.Sprint(i+1))
			fmt.Fprintf(&b, "  - {name: q%d, count: {}, where: [{column: x, min: %d}]%s}\n", i, i%filters, bounds)
		}
		return enginetest.Plan(t, "/job.yaml", []byte(b.String()))
	}
	const sample = ", per_unit: {sample_by: [s], max_rows: ROWS}"
	for _, c := range []struct {
		plan    *pipeline.Plan
		workers int
		limit   int64
		fits    bool
	}{
		{plan(800, 800, ""), 1, 144 << 20, false}, {plan(800, 800, ""), 4, 160 << 20, true},
		{plan(800, 1, ""), 1, 144 << 20, true}, {plan(800, 1, sample), 1, 144 << 20, false},
	} {
		err := (local.Limits{Workers: c.workers, Memory: c.limit}).Fits(c.plan)
		var refused *pipeline.Error
		if (err == nil) != c.fits || err != nil && (!errors.As(err, &refused) || refused.Code != "memory-limit") {
			t.Errorf("%d MiB: %v", c.limit>>20, err)
		}
	}
}

// The limit counts each store of rows that joins the memory.
func TestAllStoresAreCounted(t *testing.T) {
	schema := table.Schema{}
	for _, name := range []string{"u", "x", "y"} {
		schema.Fields = append(schema.Fields, table.Field{Name: name, Type: table.Type{Kind: table.Int}})
	}
	const sample = "per_unit: {sample_by: [y], max_rows: "
	for _, queries := range []string{
		"{name: a, count: {}}, {name: b, count: {}}",
		"{name: a, count: {}}, {name: b, count: {}, where: [{column: x, min: 1}]}, " +
			"{name: c, sum: {column: y, clamp: [0, 1]}, where: [{column: x, min: 1}]}",
		"{name: a, count: {}, " + sample + "2}}, {name: b, count: {}, " + sample + "2}}, {name: c, count: {}, " + sample + "3}}",
		"{name: a, count: {}, over: units}, {name: b, count: {}, over: units, where: [{column: n, min: 2}]}, " +
			"{name: c, count: {}}",
		"{name: a, histogram: {by: [{column: x, keys: discover}]}, per_unit: {max_groups: 2}}, " +
			"{name: b, mean: {column: y, clamp: [0, 1], by: [{column: x, keys: discover}]}, per_unit: {max_groups: 2}}",
	} {
		units := ""
		if strings.Contains(queries, "over") {
			units = "units: {n: {count: {}}}\n"
		}
		p := enginetest.Plan(t, "/job.yaml", []byte(`
version: 1
name: stores
privacy: {epsilon: 1, delta: 1e-9, unit: [u], per_unit: {max_rows: 3}}
input: {files: [stores.parquet]}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: stores, budget: {epsilon: 9, delta: 1e-4}}
`+units+"queries: ["+queries+"]\n"))
		if counted, joined := local.Stores(t, p, schema); counted != joined {
			t.Errorf("%s: %d are counted, there are %d", queries, counted, joined)
		}
	}
}
