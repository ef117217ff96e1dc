package sqlpushtest

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// Borders compares the database's answers with the local engine's for numbers at and next to the edges of cells and the
// ends of clamps, halfway between quanta, and for numbers that floating-point arithmetic rounds: zeros of both signs,
// the smallest and largest numbers, infinities, NaN and null. Each row is a unit. On a slow server all borders and
// clamps are tested over one table with the rows of all borders, and each with only one policy for null and other
// values.
func Borders(t *testing.T, s *Server) {
	t.Helper()
	columns := []stabilitytest.Column{{Name: "c", Kind: stabilitytest.Text}, {Name: "f", Kind: stabilitytest.Float64},
		{Name: "i", Kind: stabilitytest.Int64}}
	var types []string
	for _, c := range columns {
		types = append(types, s.Type(c.Kind, &stabilitytest.Case{}))
	}
	borders := []struct{ from, to, width float64 }{
		{0, 100, 2}, {0, 100, 1}, {-40, 40, 2}, {-1.2, 3.6, 0.3}, {0, 5, 0.25}, {0, 4, 0.1}, {3, 300, 1}, {-1000, 1000,
			1}, {0, 4000, 100}, {0, 3, 1}, {1e15, 1e15 + 64, 2}, {0, 1e-27, 5e-29},
		{-1e28, 1e28, 1e27},
	}
	rare := s.Slow && os.Getenv("DPRELEASE_LONG") == ""
	var all []stabilitytest.Row
	for _, b := range borders {
		all = append(all, borderRows(b.from, b.to, b.width)...)
	}
	for at, b := range borders {
		rows := borderRows(b.from, b.to, b.width)
		if rare {
			rows = all // use the rows of all borders, so that queries without borders run once
		}
		name := fmt.Sprint("borders", at)
		if at == 0 || !rare {
			if err := s.Load(name, columns, types, rows); err != nil {
				t.Fatal(err)
			}
		} else {
			name = "borders0"
		}
		by := fmt.Sprintf("{column: f, from: %g, to: %g, width: %g", b.from, b.to, b.width)
		clamp := fmt.Sprintf("[%g, %g]", b.from, b.to)
		if b.from > 1e9 { // no clamp may be so large
			clamp = "[0, 1e-140]"
		}
		const texts = "{column: c, values: [south, north, east]"
		policies := []string{"", ", null: bin", ", other: bin", ", null: bin, other: bin"}
		if rare {
			policies = policies[at%4 : at%4+1]
		}
		for _, policy := range policies {
			queries := []string{
				"cells, histogram: {by: [" + by + policy + "}]}",
				"open, histogram: {by: [" + by + ", last_edge: excluded" + policy + "}]}",
				fmt.Sprintf("few, histogram: {by: [{column: f, edges: [%g, %g]%s}]}", b.from, b.to, policy),
				"by_cell, sum: {column: f, clamp: " + clamp + ", by: [" + by + policy + "}]}",
			}
			if !rare || at%4 == 0 || at%4 == 3 { // on slow servers two of the policies for null and other, else all
				queries = append(queries,
					"pairs, histogram: {by: ["+by+policy+"}, "+texts+policy+"}]}",
					"tables, crosstabs: {by: ["+by+policy+"}, "+texts+policy+"}], ways: [1, 2]}",
					"sum, sum: {column: f, clamp: "+clamp+"}",
					"mean, mean: {column: f, clamp: "+clamp+"}",
					"by_text, mean: {column: f, clamp: "+clamp+", by: ["+texts+policy+"}]}")
			}
			if !rare || at < 4 { // these edges are the same for all borders
				queries = append(queries,
					"uneven, histogram: {by: [{column: f, edges: [-3, 0, 1, 5, 20.5, 50]"+policy+"}]}",
					"ages, histogram: {by: [{column: f, edges: [0, 18, 30, 65], last_edge: excluded"+policy+"}, "+texts+policy+"}]}",
					"three, sum: {column: f, clamp: "+clamp+", by: [{column: f, from: 0, to: 30, width: 10"+policy+"}]}",
					"texts, histogram: {by: ["+texts+policy+"}]}",
					"spread, variance: {column: f, clamp: [-1, 2], by: ["+texts+policy+"}]}")
			}
			if !rare || at == 0 { // these queries have no edges
				queries = append(queries, "small, sum: {column: f, clamp: [-1, 3]}", "whole, sum: {column: i, clamp: [-3, 50]}")
			}
			p := Plan(t, fmt.Sprintf(`
version: 1
name: borders
privacy: {epsilon: 1, delta: 1e-6, unit: row}
input: {sql: {driver: postgres, dsn: unused, table: borders}}
queries:
  - {name: %s}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: %s, budget: {epsilon: 2, delta: 1e-5}}
`, strings.Join(queries, "}\n  - {name: "), name))
			if same, err := s.Same(t, p, name); err != nil || same != "" {
				t.Fatalf("%s%s: %v\n%s", by, policy, err, same)
			}
		}
	}
}

// borderRows returns rows with numbers at and next to the edges from, from + width, … to.
func borderRows(from, to, width float64) (rows []stabilitytest.Row) {
	floats := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 5e-324, -5e-324, 1e-310, -1e-310,
		math.MaxFloat64, -math.MaxFloat64, 1e300, -1e300, 0x1p63, -0x1p63, 0x1p53 + 2, 255, 256, 65535, 65536}
	n := int(math.Round((to - from) / width))
	for k := -2; k <= n+2; k++ {
		if k > 20 && k < n-20 && k%37 != 0 {
			continue
		}
		x := from + float64(k)*width
		floats = append(floats, x, math.Nextafter(x, math.Inf(1)), math.Nextafter(x, math.Inf(-1)))
	}
	for e := -45; e <= -20; e++ { // half of the quantum of some clamp
		x := math.Ldexp(1, e)
		floats = append(floats, x, 3*x, 5*x, -x, -3*x, 1+x, 2+3*x)
	}
	for k, x := range floats {
		text := any([]string{"north", "south", "east", "other"}[k%4])
		if k%7 == 0 {
			text = nil
		}
		rows = append(rows, stabilitytest.Row{text, x, int64(k - 40)})
	}
	return append(rows, stabilitytest.Row{"north", nil, nil}, stabilitytest.Row{"none", nil, int64(math.MaxInt64)},
		stabilitytest.Row{"none", math.NaN(), int64(math.MinInt64)})
}
