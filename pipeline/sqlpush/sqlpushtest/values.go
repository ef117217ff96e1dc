package sqlpushtest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/io/table"
)

// Values compares answers for columns that hold the smallest and largest values of their types, each as a filter, a
// dimension, a value, a discovered key and a privacy unit. No row may make the database's statement or the local
// engine's reading fail. Each type is tried with an eighth of the queries, a sixteenth on slow servers, or all if
// DPRELEASE_LONG is set.
func Values(t *testing.T, s *Server, columns []UnitColumn) {
	t.Helper()
	for at, c := range columns {
		var rows []string
		for n := range 3 {
			for i, v := range slices.Concat(c.Values, c.Null, c.Equal) {
				rows = append(rows, fmt.Sprintf("(%d, %d, CAST(%s AS %s))", (n+i)%7, i%3, v, c.Type))
			}
		}
		for _, text := range []string{"DROP TABLE IF EXISTS ends",
			"CREATE TABLE ends (u INTEGER, i INTEGER, x " + c.Type + ")", "INSERT INTO ends VALUES " + strings.Join(rows, ", "+
				"")} {
			if err := s.Exec(text); err != nil {
				t.Fatal(err)
			}
		}
		kind, ok := s.kindOf(t, "ends", "x")
		if !ok {
			continue // the type is only for units
		}
		forms := formsOf(kind, strings.HasPrefix(c.Type, "BYTEA") || strings.HasPrefix(c.Type, "BLOB") ||
			strings.Contains(c.Type, "BINARY"))
		for turn, unit := range []string{"row", "[u], per_unit: {max_groups: 5, max_rows_per_group: 1}"} {
			var queries []string
			for i, form := range forms {
				if Cases(t, 0, 1) == 1 || (at/2+turn+i)%8 == 0 && !(s.Slow && at%2 == turn) {
					queries = append(queries, fmt.Sprintf("  - {name: q%d, %s}", i, form))
				}
			}
			if len(queries) == 0 {
				continue
			}
			p := Plan(t, fmt.Sprintf(`
version: 1
name: ends
privacy: {epsilon: 1, delta: 1e-6, unit: %s}
input: {timezone: America/New_York, sql: {driver: %s, dsn: unused, table: ends}}
queries:
%s
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: ends, budget: {epsilon: 2, delta: 1e-5}}
`, unit, s.Driver, strings.Join(queries, "\n")))
			if same, err := s.Same(t, p, "ends"); err != nil || same != "" {
				t.Errorf("%s, unit %s: %v\n%s", c.Type, unit, err, same)
			}
		}
	}
}

// kindOf returns the kind as which a column is read; ok is false if it cannot be read.
func (s *Server) kindOf(t *testing.T, name, column string) (kind table.Kind, ok bool) {
	t.Helper()
	p := Plan(t, `
version: 1
name: ends
privacy: {epsilon: 1, delta: 1e-6, unit: row}
input: {sql: {driver: `+s.Driver+`, dsn: unused, table: ends}}
queries: [{name: all, count: {}}]
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: ends, budget: {epsilon: 2, delta: 1e-5}}
`)
	d, err := s.Open(context.Background(), p, name)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	f, _ := d.Schema().Lookup(column)
	return f.Type.Kind, f.Type.Name == ""
}

// formsOf returns queries that use a column of a kind in all ways. If binary is set, it is a column of bytes, in which
// keys are refused.
func formsOf(kind table.Kind, binary bool) (forms []string) {
	by := func(cells ...string) {
		for _, c := range cells {
			forms = append(forms, "histogram: {by: [{column: x, "+c+"}]}",
				"mean: {column: i, clamp: [0, 2], by: [{column: x, "+c+", null: bin}]}")
		}
	}
	kept := func(conditions ...string) {
		for _, c := range conditions {
			forms = append(forms, "count: {}, where: [{column: x, "+c+"}]")
		}
	}
	if kind != table.Float && !binary {
		forms = append(forms, "histogram: {by: [{column: x, keys: discover}], min_units: 2}}\n"+
			"  - {name: by_keys, sum: {column: i, clamp: [0, 2], by: [{column: x, keys: discover}]}")
	}
	kept("not_null: true")
	switch kind {
	case table.Int, table.Float:
		for _, clamp := range []string{"[-1, 10]", "[-1e9, 1e18]", "[0.25, 6.5]", "discover, range: [-1000, 1000]"} {
			forms = append(forms, "sum: {column: x, clamp: "+clamp+"}", "mean: {column: x, clamp: "+clamp+"}")
		}
		forms = append(forms, "variance: {column: x, clamp: [-5, 5]}")
		by("edges: [-1e30, 0, 1e30], other: bin", "from: -10, to: 10, width: 1, other: bin", "from: 0, to: 1e15, width: 1e12")
		kept("min: -1", "max: 1e30", "min: 1e18", "max: -9e18")
		if kind == table.Int {
			by("values: [0, 1, -1, 9223372036854775807], other: bin")
			kept("in: [0, -1]", "not_in: [0, 9223372036854775807]")
		}
	case table.Date, table.Timestamp:
		for _, part := range []string{"day_of_week", "day_of_month", "week_of_year", "month", "quarter"} {
			by("part: " + part)
		}
		if kind == table.Timestamp {
			by("part: minute_of_hour", "part: hour_of_day", "part: hour_of_week")
		}
		by("from: 2012-12-01, to: 2013-12-01, every: month, other: bin",
			"from: 0001-01-01, to: 0041-01-01, every: year, other: bin",
			"from: 9959-01-01, to: 9999-01-01, every: year, other: bin")
		kept("from: 2013-01-01", "before: 1970-01-01", "from: 0001-01-01", "before: 9999-12-31")
	case table.String:
		by(`values: ["", "it's", "1", "\\", "\0", "é"], other: bin`, `values: [a, b], other: bin`)
		if !binary {
			by(`values: [a, "it's", "é"], fold: [case, space], other: bin`)
		}
		kept(`in: ["", "it's"]`, `not_in: ["\0", "1"]`)
	case table.Bool:
		by("values: [true, false]")
	}
	return forms
}
