package sqlpushtest

import (
	"fmt"
	"testing"

	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// Folded compares answers for texts that are compared without regard to case and white space. The texts contain letters
// with several lower cases, and white space of all kinds.
func Folded(t *testing.T, s *Server) {
	t.Helper()
	columns := []stabilitytest.Column{{Name: "u", Kind: stabilitytest.Int64}, {Name: "c", Kind: stabilitytest.Text}}
	var types []string
	for _, c := range columns {
		types = append(types, s.Type(c.Kind, &stabilitytest.Case{}))
	}
	var rows []stabilitytest.Row
	texts := []any{
		nil, "", " ", "north", "NORTH", "NoRtH ", "\tnorth\u00a0", "kelvin", "\u212aELVIN", "\u017fouth", "South",
		"SOUTH\u3000", "new york", "New\u2003 \nYork", "newyork", "i", "I", "\u0130", "\u0131", "stra\u00dfe",
		"STRA\u1e9eE", "STRASSE",
		"\u03c3\u03c2\u03a3", "\u01c5", "\u01c6", "\u01c4", "a'b\\", "A'B\\", "n\u00f6rth", "N\u00d6RTH", "no\u0308rth",
		"\ufffd", "\U00010400", "\U00010428", "\u200bnorth", "north\u0085",
	}
	for i := range 3 * len(texts) {
		rows = append(rows, stabilitytest.Row{int64(i % 11), texts[i%len(texts)]})
	}
	if err := s.Load("folded", columns, types, rows); err != nil {
		t.Fatal(err)
	}
	few := "[north, KELVIN, South, \"new york\", i]"
	many := "[North, kelvin, south, \"New York\", i, \"stra\u00dfe\", \"\u03c3\u03c3\u03c3\", \"\u01c6\", \"a'b\\\\\", " +
		"\"n\u00f6rth\", \"\ufffd\", \"\U00010428\", \"\"]"
	for _, unit := range []string{"row", "[u], per_unit: {max_rows: 4}",
		"[u], per_unit: {max_groups: 2, max_rows_per_group: 1}"} {
		for _, fold := range []string{"case", "space", "case, space"} {
			for _, policy := range []string{"", ", null: bin, other: bin"} {
				p := Plan(t, fmt.Sprintf(`
version: 1
name: folded
privacy: {epsilon: 1, delta: 1e-6, unit: %s}
input: {sql: {driver: postgres, dsn: unused, table: folded}}
queries:
  - {name: few, histogram: {by: [{column: c, values: %s, fold: [%s]%s}]}}
  - {name: many, histogram: {by: [{column: c, values: %s, fold: [%s]%s}]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: folded, budget: {epsilon: 2, delta: 1e-5}}
`, unit, few, fold, policy, many, fold, policy))
				if same, err := s.Same(t, p, "folded"); err != nil || same != "" {
					t.Fatalf("unit %s, fold %s: %v\n%s", unit, fold, err, same)
				}
			}
		}
	}
}
