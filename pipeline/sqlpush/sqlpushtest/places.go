package sqlpushtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// Places compares the index of each row's nearest point: for duplicate points, for points in a lattice, where midpoints
// are equally near to several of them, and for coordinates at points, at the poles, next to the largest distance, and
// invalid ones. It fails if the database refuses a query.
func Places(t *testing.T, s *Server) {
	t.Helper()
	r := rand.New(rand.NewPCG(stabilitytest.Seed(t), 2))
	columns := []stabilitytest.Column{
		{Name: "n", Kind: stabilitytest.Int64}, {Name: "u", Kind: stabilitytest.Int64}, {Name: "lat",
			Kind: stabilitytest.Float64}, {Name: "lon", Kind: stabilitytest.Float64},
	}
	var types []string
	for _, c := range columns {
		types = append(types, s.Type(c.Kind, &stabilitytest.Case{}))
	}
	for _, points := range []int{1, 16, 17, 40, 150} {
		spread := math.Pow(10, 2-5*r.Float64()) // degrees
		public, rows := drawPlaces(r, points, spread)
		if points == 40 {
			public, rows = mirroredPlaces(r, points)
		}
		if err := s.Load("places", columns, types, append(rows,
			stabilitytest.Row{int64(0), int64(1), nil, 1.0})); err != nil {
			t.Fatal(err)
		}
		units := []string{"row"}
		if points == 17 {
			units = append(units, "[u], per_unit: {max_groups: 5, max_rows_per_group: 1}")
		}
		for _, unit := range units {
			p := planOfPlaces(t, unit, public, spread*111_000)
			if same, err := s.Same(t, p, "places"); err != nil || same != "" {
				t.Fatalf("unit %s, %d points: %v\n%s\n%v", unit, points, err, same, public)
			}
		}
	}
}

// drawPlaces draws points, as the columns of a public file, and rows with coordinates around them. spread is the width
// of the area in degrees.
func drawPlaces(r *rand.Rand, points int, spread float64) (public map[string][]string, rows []stabilitytest.Row) {
	lat, lon := float64(r.IntN(170)-85), float64(r.IntN(350)-175)
	if r.IntN(4) == 0 {
		lat, lon = 90, 0
	}
	around := func() [2]float64 {
		if r.IntN(2) == 0 {
			return [2]float64{max(min(lat+spread*(r.Float64()-0.5), 90), -90), max(min(lon+spread*(r.Float64()-0.5), 180), -180)}
		}
		return [2]float64{max(min(lat+spread/8*float64(r.IntN(8)), 90), -90),
			max(min(lon+spread/8*float64(r.IntN(8)), 180), -180)}
	}
	var at [][2]float64
	public = map[string][]string{}
	for i := range points {
		p := around()
		if i > 0 && r.IntN(6) == 0 {
			p = at[r.IntN(i)]
		}
		at = append(at, p)
		for name, value := range map[string]any{"id": fmt.Sprint("p", i), "lat": p[0], "lon": p[1]} {
			public[name] = append(public[name], fmt.Sprint(value))
		}
	}
	for n := range 200 {
		p := around()
		switch r.IntN(6) {
		case 0:
			p = at[r.IntN(points)]
		case 1:
			p = [2]float64{at[r.IntN(points)][0], (at[r.IntN(points)][1] + at[r.IntN(points)][1]) / 2}
		case 2:
			odd := []float64{0, 5e-324, -5e-324, 1e-300, 0x1p-100, math.Nextafter(0x1p-100, 0), -0x1p-101, 90, -90, 45, -45, 135,
				180, -180, 180.0001, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64}
			p = [2]float64{odd[r.IntN(len(odd))], odd[r.IntN(len(odd))]}
		}
		rows = append(rows, stabilitytest.Row{int64(n), int64(n % 17), p[0], p[1]})
	}
	return public, rows
}

// mirroredPlaces draws pairs of points that mirror each other at the longitude of 45 degrees, and rows on that
// longitude. The first two coordinates of the points of a pair are exchanged, and those of a row are equal. So the
// distances to both points are equal if squares are added in one order, and mostly differ in another order.
func mirroredPlaces(r *rand.Rand, points int) (public map[string][]string, rows []stabilitytest.Row) {
	public = map[string][]string{}
	for i := range points {
		lat, apart := 4*float64(i/2)-40, 0.01+0.001*float64(i/2)
		for name, value := range map[string]any{"id": fmt.Sprint("p", i), "lat": lat, "lon": 45 + apart*float64(2*(i%2)-1)} {
			public[name] = append(public[name], fmt.Sprint(value))
		}
	}
	for n := range 200 {
		rows = append(rows, stabilitytest.Row{int64(n), int64(n % 17), 4*float64(n%(points/2)) - 40 + 0.01*r.Float64(), 45.0})
	}
	return public, rows
}

// planOfPlaces returns a plan with queries for the nearest of some points, which are the columns of a public file.
func planOfPlaces(t *testing.T, unit string, points map[string][]string, metres float64) *pipeline.Plan {
	t.Helper()
	var queries []string
	for i, within := range []float64{metres / 100, metres / 3, 10 * metres} {
		near := fmt.Sprintf("nearest: {lat: lat, lon: lon, points: points.csv, id: id, within_m: %v",
			min(max(within, 1e-3), 1e6))
		queries = append(queries,
			fmt.Sprintf("  - {name: each%d, histogram: {by: [{column: n, from: 0, to: 200, width: 1}, {%s}, null: bin, other: "+
				"bin, as: near}]}}", i, near),
			fmt.Sprintf("  - {name: near%d, histogram: {by: [{%s}, as: near}]}}", i, near),
			fmt.Sprintf("  - {name: spread%d, histogram: {by: [{%s, kernel: {bandwidth_m: %v}}, as: near}]}}", i, near,
				min(max(within, 1e-3), 1e5)))
	}
	return planWith(t, fmt.Sprintf(`
version: 1
name: places
privacy: {epsilon: 1, delta: 1e-6, unit: %s}
input: {sql: {driver: postgres, dsn: unused, table: places}}
queries:
%s
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: places, budget: {epsilon: 2, delta: 1e-5}}
`, unit, strings.Join(queries, "\n")), points)
}
