package sqlpush

import (
	"strings"
	"testing"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/pipeline"
)

// The engine follows from the job. Rows of DuckDB are read by this program if a query must choose among the rows of a
// unit, or if the job needs something that databases do not compute. Rows of a server are read only if the job says
// engine: local.
func TestChoose(t *testing.T) {
	const histogram, count = "histogram: {by: [{column: zone, values: [a, b]}]}", "count: {}"
	const keys = "histogram: {by: [{column: zone, keys: discover}]"
	for _, c := range []struct {
		driver, engine, unit, query string
		local                       bool
		derive, more                string
	}{
		{"duckdb", "", "[person]", histogram, true, "", ""},
		{"duckdb", "auto", "[person]", histogram, true, "", ""},
		{"duckdb", "auto", "[person]", count, false, "", ""},
		{"duckdb", "auto", "[person]", count + ", per_unit: {sample_by: [trip]}", true, "", ""},
		{"duckdb", "auto", "row", histogram, false, "", ""},
		{"duckdb", "database", "[person]", histogram, false, "", ""},
		{"duckdb", "local", "row", histogram, true, "", ""},
		{"duckdb", "", "row", keys + "}", true, "", ""},
		{"duckdb", "database", "row", keys + "}", false, "", ""},
		{"duckdb", "", "row", keys + ", min_units: 2}", false, "", ""},
		{"postgres", "", "row", keys + "}", false, "", ""},
		{driver: "duckdb", unit: "row", query: histogram, local: true, more: "data_checks: refuse\n"},
		{driver: "duckdb", unit: "row", query: histogram, local: true, derive: ", derive: {zone: trim(place)}"},
		{driver: "postgres", unit: "row", query: histogram, derive: ", derive: {zone: trim(place)}"},
		{driver: "duckdb", unit: "[person]", query: "over: units, count: {}", local: true, more: "units: {trips: {count: {}}}\n"},
		{"postgres", "auto", "[person]", histogram, false, "", ""},
		{"spark", "", "[person]", histogram, false, "", ""},
		{"trino", "local", "[person]", histogram, true, "", ""},
	} {
		dsn, engine, bounds := "", "", ""
		if c.driver != "duckdb" {
			dsn = ", dsn: x"
		}
		if c.engine != "" {
			engine = "engine: " + c.engine + "\n"
		}
		if c.unit != "row" {
			bounds = ", per_unit: {max_rows: 5}"
		}
		job, diags := configs.Parse("job.yaml", []byte("version: 1\nname: n\nprivacy: {epsilon: 1, delta: 1e-6, unit: "+c.unit+bounds+
			"}\ninput: {sql: {driver: "+c.driver+dsn+", table: t}"+c.derive+"}\n"+engine+c.more+"queries: [{name: q, "+c.query+"}]\n"+
			"output: {dir: out}\nledger: {store: \"sqlite:ledger.db\", dataset: d, budget: {epsilon: 5, delta: 1e-4}}\n"),
			configs.ParseOptions{})
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		plan, diags := pipeline.New(job, nil)
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		if got := Choose(plan); got.Local != c.local || got.Why == "" || c.engine == "local" != strings.Contains(got.Why, "says engine: local") {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}
