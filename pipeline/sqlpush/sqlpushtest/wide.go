package sqlpushtest

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// Wide compares answers to queries with many labels and many edges, on values at and next to the edges of cells.
func Wide(t *testing.T, s *Server) {
	t.Helper()
	columns := []stabilitytest.Column{{Name: "u", Kind: stabilitytest.Int64}, {Name: "c", Kind: stabilitytest.Text},
		{Name: "i", Kind: stabilitytest.Int64}, {Name: "f", Kind: stabilitytest.Float64}}
	var types []string
	for _, c := range columns {
		types = append(types, s.Type(c.Kind, &stabilitytest.Case{}))
	}
	floats := []any{nil, math.NaN(), math.Inf(1), math.Inf(-1), 5e-324, -5e-324, math.MaxFloat64, -math.MaxFloat64, 0.0,
		math.Copysign(0, -1)}
	for k := -1; k <= 41; k++ {
		x := float64(k) * 0.1
		floats = append(floats, x, math.Nextafter(x, 5), math.Nextafter(x, -5))
	}
	var rows []stabilitytest.Row
	for n := range 400 {
		text := any(fmt.Sprint("label ", n%23))
		if n%17 == 0 {
			text = nil
		}
		rows = append(rows, stabilitytest.Row{int64(n * n % 37), text, int64(n%50 - 10), floats[n%len(floats)]})
	}
	if err := s.Load("wide", columns, types, rows); err != nil {
		t.Fatal(err)
	}
	var labels, numbers []string
	for n := range 20 {
		labels, numbers = append(labels, fmt.Sprintf("label %d", n)), append(numbers, fmt.Sprint(n*2))
	}
	labels = append(labels, "it's; --", "ü")
	list, ints := "["+strings.Join(quotedAll(labels), ", ")+"]", "["+strings.Join(numbers, ", ")+"]"
	for _, unit := range []string{"row", "[u], per_unit: {max_rows: 3}",
		"[u], per_unit: {max_groups: 2, max_rows_per_group: 1}", "[u], per_unit: {max_groups: 2, max_rows_per_group: 2, " +
			"max_rows: 3}"} {
		for _, policy := range []string{"", ", null: bin", ", other: bin", ", null: bin, other: bin"} {
			p := Plan(t, fmt.Sprintf(`
version: 1
name: wide
privacy: {epsilon: 1, delta: 1e-6, unit: %s}
input: {sql: {driver: postgres, dsn: unused, table: wide}}
queries:
  - {name: texts, histogram: {by: [{column: c, values: %s%s}]}}
  - {name: numbers, histogram: {by: [{column: i, values: %s%s}, {column: f, edges: [0, 1, 2]%s}]}}
  - {name: edges, histogram: {by: [{column: f, from: 0, to: 4, width: 0.1%s}]}}
  - {name: open, histogram: {by: [{column: f, from: 0, to: 4, width: 0.1, last_edge: excluded%s}]}}
  - {name: around, histogram: {by: [{column: f, from: -40, to: 40, width: 2%s}]}}
  - {name: decimal, histogram: {by: [{column: f, from: -1.2, to: 3.6, width: 0.3%s}]}}
  - {name: halves, histogram: {by: [{column: f, from: 0, to: 80, width: 4%s}]}}
  - {name: grid, histogram: {by: [{grid: {lat: f, lon: i, south: 0, west: 0, north: 4, east: 40, rows: 40, cols: 40}%s}]}}
  - {name: sums, sum: {column: f, clamp: [-0.3, 3.3], by: [{column: c, values: %s%s}]}}
  - {name: means, mean: {column: i, clamp: [0, 30], by: [{column: c, values: %s%s}, {column: f, edges: [0, 1, 2]}]}}
  - {name: variances, variance: {column: f, clamp: [-1, 2], by: [{column: c, values: %s%s}]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: wide, budget: {epsilon: 2, delta: 1e-5}}
`, unit, list, policy, ints, policy, policy, policy, policy, policy, policy, policy, policy, list, policy, list, policy, list, policy))
			if same, err := s.Same(t, p, "wide"); err != nil || same != "" {
				t.Fatalf("unit %s, %s: %v\n%s", unit, policy, err, same)
			}
		}
	}
}

func quotedAll(texts []string) (out []string) {
	for _, x := range texts {
		out = append(out, fmt.Sprintf("%q", x))
	}
	return out
}

// Texts compares answers on empty texts before and after longer ones, with nulls between them: the value of a row must
// not depend on the rows before it.
func Texts(t *testing.T, s *Server) {
	t.Helper()
	columns := []stabilitytest.Column{{Name: "c", Kind: stabilitytest.Text}}
	types := []string{s.Type(stabilitytest.Text, &stabilitytest.Case{})}
	p := Plan(t, `
version: 1
name: texts
privacy: {epsilon: 1, delta: 1e-6, unit: row}
input: {sql: {driver: postgres, dsn: unused, table: texts}}
queries:
  - {name: texts, histogram: {by: [{column: c, values: ["", full], null: bin, other: bin}]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: texts, budget: {epsilon: 2, delta: 1e-5}}
`)
	for _, cells := range [][]any{{"", "", nil, "full", ""}, {"full", "", "", nil, ""},
		{nil, "", "x", nil, "full", "", ""}, {""}, {nil}} {
		var rows []stabilitytest.Row
		for _, c := range cells {
			rows = append(rows, stabilitytest.Row{c})
		}
		if err := s.Load("texts", columns, types, rows); err != nil {
			t.Fatal(err)
		}
		if same, err := s.Same(t, p, "texts"); err != nil || same != "" {
			t.Errorf("%q: %v\n%s", cells, err, same)
		}
	}
}
