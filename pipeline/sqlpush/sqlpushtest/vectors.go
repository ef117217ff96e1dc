package sqlpushtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// Vectors compares sums of vectors that are shortened to a length. Each sum has one row, so that each shortened vector
// is compared. The vectors are about as long as the bound, with components of all magnitudes, also infinite, zero and
// missing ones, which drop a row or make it count as zero. The test fails if the database refuses a query.
func Vectors(t *testing.T, s *Server) {
	t.Helper()
	names := []string{"x", "y", "z"}
	columns := []stabilitytest.Column{{Name: "n", Kind: stabilitytest.Int64}, {Name: "u", Kind: stabilitytest.Int64},
		{Name: "i", Kind: stabilitytest.Int64}}
	for _, name := range names {
		columns = append(columns, stabilitytest.Column{Name: name, Kind: stabilitytest.Float64})
	}
	var types []string
	for _, c := range columns {
		types = append(types, s.Type(c.Kind, &stabilitytest.Case{}))
	}
	if err := s.Load("vectors", columns, types, drawVectors(rand.New(rand.NewPCG(stabilitytest.Seed(t), 1)))); err != nil {
		t.Fatal(err)
	}
	var queries []string
	for i, norm := range []string{"1", "5", "0.1", "40", "1e-140", "1e140", "7e-90", "1024"} {
		queries = append(queries,
			fmt.Sprintf("  - {name: each%d, sum: {columns: [x, y, z], clip_l2: %s, by: [{column: n, from: 0, to: 600, width: "+
				"1}]}}", i, norm),
			fmt.Sprintf("  - {name: pairs%d, mean: {columns: [i, x], clip_l2: %s}}", i, norm),
			fmt.Sprintf("  - {name: single%d, sum: {column: y, clip_l2: %s, by: [{column: n, from: 0, to: 600, width: 1}]}}", i,
				norm))
	}
	all := Plan(t, `
version: 1
name: vectors
privacy: {epsilon: 1, delta: 1e-6, unit: row, adjacency: replace-one}
input: {sql: {driver: postgres, dsn: unused, table: vectors}, rows: 600}
queries:
  - {name: all, mean: {columns: [x, y, z], clip_l2: 5, rows: 600}}
  - {name: pairs, mean: {columns: [i, z], clip_l2: 1e10, rows: 600, null: centre, nan: centre}}
  - {name: whole, mean: {columns: [x, y, z], clamp: [0, 20], rows: 600, null: centre, nan: centre}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: vectors, budget: {epsilon: 2, delta: 1e-5}}
`)
	if same, err := s.Same(t, all, "vectors"); err != nil || same != "" {
		t.Fatalf("rows without a value: %v\n%s", err, same)
	}
	for _, unit := range []string{"row", "[u], per_unit: {max_rows: 5}",
		"[u], per_unit: {max_groups: 9, max_rows_per_group: 1}"} {
		p := Plan(t, fmt.Sprintf(`
version: 1
name: vectors
privacy: {epsilon: 1, delta: 1e-6, unit: %s}
input: {sql: {driver: postgres, dsn: unused, table: vectors}}
queries:
%s
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: vectors, budget: {epsilon: 2, delta: 1e-5}}
`, unit, strings.Join(queries, "\n")))
		if same, err := s.Same(t, p, "vectors"); err != nil || same != "" {
			t.Fatalf("unit %s: %v\n%s", unit, err, same)
		}
	}
}

// drawVectors draws rows with the columns row number, unit, integer and three components.
func drawVectors(r *rand.Rand) (rows []stabilitytest.Row) {
	for n := range 600 {
		row := stabilitytest.Row{int64(n), int64(n % 13), r.Int64() >> r.IntN(64)}
		for range 3 {
			row = append(row, component(r))
		}
		if n >= 540 { // make some vectors longer than 5 by less than a quantum
			row = append(row[:3], 3.0, 4.0, math.Ldexp(1, 530-n))
		}
		rows = append(rows, row)
	}
	return rows
}

// component draws a component of a vector of three, often one that makes the vector's length equal to a bound, or
// different from it only in the last digit.
func component(r *rand.Rand) any {
	switch r.IntN(12) {
	case 0:
		return []any{nil, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, 5e-324, -5e-324,
			0x1p-1022, math.Copysign(0, -1)}[r.IntN(10)]
	case 1, 2:
		return math.Ldexp(2*r.Float64()-1, r.IntN(2000)-1000)
	case 3, 4, 5, 6:
		x := []float64{0, 3, 4, 5, -3, -4, 1, -1, 24, 32}[r.IntN(10)]
		return []float64{x, math.Nextafter(x, 99), math.Nextafter(x, -99)}[r.IntN(3)]
	}
	return math.Ldexp(2*r.Float64()-1, r.IntN(60)-10)
}
