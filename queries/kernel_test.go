package queries

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/domain/domaintest"
	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/quantize"
	"github.com/dprelease/dprelease/queries/sensitivity"
	"pgregory.net/rapid"
)

func spreadOver(points []domain.Point, within, bandwidth float64) domain.Dimension {
	d := amongPoints(points, within)
	d.Nearest.BandwidthM = bandwidth
	return d
}

// town returns points a few hundred metres apart, some of them in the same place.
func town(rng *rand.Rand, n int) []domain.Point {
	points := make([]domain.Point, n)
	for i := range points {
		lat, lon := domaintest.Beside(rng, 40.7, -74, 600*rng.Float64())
		if i > 0 && rng.IntN(6) == 0 {
			lat, lon = points[i-1].Lat, points[i-1].Lon
		}
		points[i] = domain.Point{ID: string(rune('a' + i)), Lat: lat, Lon: lon}
	}
	return points
}

// shares returns the weights of a row at each point, computed by the formula of a kernel from Vincenty's distances.
func shares(points []domain.Point, bandwidth float64) [][]float64 {
	all := make([][]float64, len(points))
	for i, a := range points {
		total := 0.0
		for _, b := range points {
			d := domaintest.Vincenty(a.Lat, a.Lon, b.Lat, b.Lon)
			w := math.Exp(-d * d / (2 * bandwidth * bandwidth))
			if d > 4*bandwidth {
				w = 0
			}
			all[i], total = append(all[i], w), total+w
		}
		for j := range all[i] {
			all[i][j] /= total
		}
	}
	return all
}

func dense(k *kinds.Kernel, points int) [][]float64 {
	all := make([][]float64, points)
	for i := range all {
		all[i] = make([]float64, points)
		to, weights := k.Shares(i)
		for j, w := range weights {
			all[i][to[j]] = math.Ldexp(float64(w), -30)
		}
	}
	return all
}

// The table of weights agrees with the formula to within 2^-30 and 1e-5 of each weight. The weights of a row add up to
// at most 1.
func TestKernelIsTabulated(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		points := town(rng, 1+rng.IntN(40))
		bandwidth := 20 + 300*rng.Float64()
		q := must(t, Spec{Name: "q", Kind: Histogram, By: []domain.Dimension{spreadOver(points, 100, bandwidth)}})
		got, want := dense(q.Kernel, len(points)), shares(points, bandwidth)
		norm := 0.0
		for i := range want {
			mass, squares := 0.0, 0.0
			for j, w := range want[i] {
				if math.Abs(got[i][j]-w) > 0x1p-30+1e-5*w {
					t.Fatalf("%d to %d, bandwidth %g: %g, want %g", i, j, bandwidth, got[i][j], w)
				}
				mass, squares = mass+got[i][j], squares+got[i][j]*got[i][j]
			}
			if mass > 1 || mass < 1-float64(len(points))*0x1p-30 {
				t.Fatalf("point %d adds %.12g in all", i, mass)
			}
			norm = max(norm, math.Sqrt(squares))
		}
		if row := q.Kernel.OfRow(); math.Abs(row-norm) > 1e-12 {
			t.Fatalf("norm %.15g, want %.15g", row, norm)
		}
	}
}

// The largest norms on Manhattan's road graph agree approximately with those that others computed with their own kernel
// and distances.
func TestKernelNormsOfTheRoadGraph(t *testing.T) {
	points := junctions(t)
	for bandwidth, want := range map[float64]float64{100: 0.935, 150: 0.526, 200: 0.323} {
		q := must(t, Spec{Name: "q", Kind: Histogram, Unit: []string{"cab"}, Bounds: Bounds{MaxRows: 5},
			By: []domain.Dimension{spreadOver(points, 150, bandwidth)}})
		if row := q.Kernel.OfRow(); math.Abs(row-want) > 3e-3 {
			t.Errorf("at %g m the norm of a row is %g, want %g", bandwidth, row, want)
		}
		for adj, factor := range map[Adjacency]float64{AddRemove: 5, ReplaceOne: 5 * math.Sqrt2} {
			components, err := q.Components(adj)
			if err != nil || math.Abs(components[0].Sens.L2-factor*q.Kernel.OfRow()) > 1e-12 {
				t.Errorf("%s: %+v, %v", adj, components, err)
			}
			t.Log(components[0].Sens.Why)
		}
	}
}

// spreadOf returns the exact answer in units of 2^-30.
func spreadOf(t testing.TB, q Query, tab *testTable, workers [][]*table.Batch) []*big.Int {
	t.Helper()
	sealed := hiddenOf(t, q, tab, workers)
	quantum, cells := mechanismtest.OpenWide(t, sealed[0])
	if quantum != 0x1p-30 || len(sealed) != 1 {
		t.Fatalf("quantum %g, %d components", quantum, len(sealed))
	}
	return cells
}

var placeFields = []table.Field{
	{Name: "u", Type: table.Type{Kind: table.Int}}, {Name: "lat", Type: table.Type{Kind: table.Float}},
	{Name: "lon", Type: table.Type{Kind: table.Float}}, {Name: "x", Type: table.Type{Kind: table.Int}},
}

// The answer with a kernel equals the table of weights times the histogram without a kernel, for one and for several
// dimensions.
func TestSpreadIsTheTableTimesTheHistogram(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		points := town(rng, 1+rng.IntN(12))
		tab := &testTable{fields: placeFields}
		for range rng.IntN(60) {
			p := points[rng.IntN(len(points))]
			tab.rows = append(tab.rows, []value{{n: rng.Int64N(5)}, {x: p.Lat}, {x: p.Lon}, {n: rng.Int64N(4)}})
		}
		s := Spec{Name: "q", Kind: Histogram, By: []domain.Dimension{spreadOver(points, 500, 80)}}
		if rng.IntN(2) > 0 {
			s.Unit, s.Bounds = []string{"u"}, Bounds{MaxRows: 1 + rng.Int64N(6), MaxRowsPerGroup: rng.Int64N(3)}
		}
		if rng.IntN(2) > 0 {
			s.By = append(s.By, domain.Dimension{Column: "x", Labels: numbered(3)})
		}
		if rng.IntN(2) > 0 {
			s.By = append([]domain.Dimension{{Column: "x", As: "first", Labels: numbered(2)}}, s.By...)
		}
		q := must(t, s)
		cuts := tab.batches(q.Columns(), []int{rng.IntN(len(tab.rows) + 1)}, plain)
		got := spreadOf(t, q, tab, [][]*table.Batch{cuts[:1], cuts[1:]})
		for i := range s.By {
			if n := s.By[i].Nearest; n != nil {
				still := *n
				still.BandwidthM = 0
				s.By[i].Nearest = &still
			}
		}
		k, want := q.Kernel, make([]*big.Int, q.Size)
		for i := range want {
			want[i] = new(big.Int)
		}
		for cell, n := range exact(t, must(t, s), tab) {
			point := cell / k.Stride % k.Size
			points, weights := k.Shares(point)
			for j, w := range weights {
				to := want[cell+(int(points[j])-point)*k.Stride]
				to.Add(to, new(big.Int).Mul(big.NewInt(n), big.NewInt(int64(w))))
			}
		}
		if !slices.EqualFunc(got, want, func(a, b *big.Int) bool { return a.Cmp(b) == 0 }) {
			rt.Fatalf("got %v, want %v", got, want)
		}
	})
}

// distance returns the norm of the difference of two spread answers, in units.
func distance(a, b []*big.Int) *big.Int {
	sum := new(big.Int)
	for i := range a {
		d := new(big.Int).Sub(a[i], b[i])
		sum.Add(sum, d.Mul(d, d))
	}
	return sum
}

func times(k *kinds.Kernel, c []int64) []*big.Int {
	out := make([]*big.Int, len(c))
	for i := range out {
		out[i] = new(big.Int)
	}
	for i, n := range c {
		points, weights := k.Shares(i)
		for j, w := range weights {
			to := out[points[j]]
			to.Add(to, new(big.Int).Mul(big.NewInt(n), big.NewInt(int64(w))))
		}
	}
	return out
}

// The test tries all pairs of a unit's contributions within small bounds: no change of the answer exceeds the stated
// sensitivity. Under add-remove, the sensitivity is attained if all rows of a unit may be at one point.
func TestSpreadSensitivityByBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	cases := 0
	for range 12 {
		points := town(rng, 1+rng.IntN(4))
		for i := range 4 * 4 * 4 {
			b := Bounds{MaxRows: int64(i % 4), MaxGroups: int64(i / 4 % 4), MaxRowsPerGroup: int64(i / 16)}
			q, err := New(Spec{Name: "q", Kind: Histogram, Unit: []string{"u"}, Bounds: b,
				By: []domain.Dimension{spreadOver(points, 100, 150)}})
			if err != nil {
				continue
			}
			c := q.(*kinds.Histogram)
			l := c.Limits
			var all [][]*big.Int
			for _, v := range vectors(len(points), l.Rows, l.Cells, l.RowsPerCell) {
				all = append(all, times(c.Kernel, v))
			}
			for _, adj := range []Adjacency{AddRemove, ReplaceOne} {
				cases++
				most := new(big.Int)
				for _, x := range all {
					for _, y := range all[:map[Adjacency]int{AddRemove: 1, ReplaceOne: len(all)}[adj]] {
						if d := distance(x, y); d.Cmp(most) > 0 {
							most = d
						}
					}
				}
				bound := c.Kernel.Norm(l, adj)
				if far := math.Ldexp(sensitivity.RootUp(most), -30); far > bound || adj == AddRemove && l.RowsPerCell == l.Rows &&
					far != bound {
					t.Errorf("%d points, %+v, %s: %g, stated %g", len(points), b, adj, far, bound)
				}
			}
		}
	}
	t.Log(cases, "cases")
}

// No pair of neighbouring tables differs by more than the stated sensitivity.
func TestSpreadNeighboursDifferByAtMostTheSensitivity(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 2))
		points := town(rng, 1+rng.IntN(8))
		s := Spec{Name: "q", Kind: Histogram, By: []domain.Dimension{spreadOver(points, 500, 40+200*rng.Float64()),
			{Column: "x", Labels: numbered(2)}}}
		if rng.IntN(3) > 0 {
			s.Unit, s.Bounds = []string{"u"}, Bounds{MaxRows: 1 + rng.Int64N(6), MaxGroups: rng.Int64N(4),
				MaxRowsPerGroup: rng.Int64N(3)}
		}
		row := func(u int64) []value {
			p := points[rng.IntN(len(points))]
			return []value{{n: u}, {x: p.Lat}, {x: p.Lon}, {n: rng.Int64N(3)}}
		}
		one, other := &testTable{fields: placeFields}, &testTable{fields: placeFields}
		for range rng.IntN(40) {
			r := row(rng.Int64N(4))
			one.rows, other.rows = append(one.rows, r), append(other.rows, r)
		}
		adj, most := AddRemove, 12
		if s.PerRow() {
			most = 1
		}
		for range 1 + rng.IntN(most) {
			one.rows = append(one.rows, row(9))
		}
		if rng.IntN(2) > 0 {
			adj = ReplaceOne
			for range 1 + rng.IntN(most) {
				other.rows = append(other.rows, row(9))
			}
		}
		q := must(t, s)
		all := func(tab *testTable) []*big.Int {
			return spreadOf(t, q, tab, [][]*table.Batch{tab.batches(q.Columns(), nil, plain)})
		}
		components, err := q.Components(adj)
		if err != nil {
			rt.Fatal(err)
		}
		if far := math.Ldexp(sensitivity.RootUp(distance(all(one), all(other))), -30); far > components[0].Sens.L2 {
			rt.Fatalf("%+v, %s: changed by %g, stated %g", s, adj, far, components[0].Sens.L2)
		}
	})
}

func TestKernelIsRefused(t *testing.T) {
	points := []domain.Point{{ID: "a", Lat: 10, Lon: 5}, {ID: "b", Lat: 10.001, Lon: 5}}
	good := spreadOver(points, 100, 150)
	binned, wide, twice := good, spreadOver(points, 100, 3e5), good
	binned.Other = domain.OwnCell
	twice.As = "again"
	for name, c := range map[string]struct {
		s    Spec
		want string
	}{
		"sum": {Spec{Kind: Sum, Value: &quantize.Value{Columns: []string{"x"}, Lo: "0", Hi: "1"},
			By: []domain.Dimension{good}}, "sum.by[0].nearest.kernel"},
		"bin":   {Spec{Kind: Histogram, By: []domain.Dimension{binned}}, "histogram.by[0].nearest.kernel"},
		"wide":  {Spec{Kind: Histogram, By: []domain.Dimension{wide}}, "histogram.by[0].nearest.kernel.bandwidth_m"},
		"twice": {Spec{Kind: Histogram, By: []domain.Dimension{good, twice}}, "histogram.by[1].nearest.kernel"},
		"no NaN": {Spec{Kind: Histogram, By: []domain.Dimension{spreadOver(points, 100, math.NaN())}},
			"histogram.by[0].nearest.kernel.bandwidth_m"},
	} {
		c.s.Name = "q"
		_, err := New(c.s)
		if es := problem.Errors(err); len(es) != 1 || es[0].Field != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
