package sqlpushtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// UnitColumn is a column type for a privacy unit, with literals of different values. Null holds literals that are read
// as null, so that the row has no unit; Equal holds other literals of the first value.
type UnitColumn struct {
	Type                string
	Values, Null, Equal []string
}

// Units checks that the database and the local engine count one unit for each different value of a column. Each value
// has three rows, of which max_rows keeps one; a row without a unit does not count.
func Units(t *testing.T, s *Server, columns []UnitColumn) {
	t.Helper()
	for _, c := range columns {
		var rows []string
		for range 3 {
			for _, v := range slices.Concat(c.Values, c.Null, c.Equal) {
				rows = append(rows, fmt.Sprintf("(CAST(%s AS %s), 1)", v, c.Type))
			}
		}
		for _, text := range []string{
			"DROP TABLE IF EXISTS units", "CREATE TABLE units (u " + c.Type + ", one INTEGER)", "INSERT INTO units VALUES " +
				strings.Join(rows, ", "),
		} {
			if err := s.Exec(text); err != nil {
				t.Fatal(err)
			}
		}
		p := Plan(t, `
version: 1
name: units
privacy: {epsilon: 1, delta: 1e-6, unit: [u], per_unit: {max_rows: 1}}
input: {sql: {driver: `+s.Driver+`, dsn: unused, table: units}}
queries: [{name: h, histogram: {by: [{column: one, values: [1]}]}}]
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: units, budget: {epsilon: 2, delta: 1e-5}}
`)
		if same, err := s.Same(t, p, "units"); err != nil || same != "" {
			t.Errorf("%s: %v\n%s", c.Type, err, same)
		}
		d, err := s.Open(t.Context(), p, "units")
		if err != nil {
			t.Fatal(err)
		}
		answers, err := ReadAll(t, d, p)
		if err != nil {
			t.Fatal(err)
		}
		if got := answers[0].Cells[0].Int64(); got != int64(len(c.Values)) {
			t.Errorf("%s: %d units, of %d values", c.Type, got, len(c.Values))
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
