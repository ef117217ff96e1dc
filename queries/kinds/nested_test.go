package kinds

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/strategy"
)

// placesSpec returns a query of a random tree of places, with a second dimension of some cells.
func placesSpec(r *rand.Rand, levels, most, cells int) query.Spec {
	return treeSpec(levels, cells, func() int { return 1 + r.IntN(most) })
}

// treeSpec returns a query of a tree of places, with a second dimension of some cells. children returns the number of
// children of the next place.
func treeSpec(levels, cells int, children func() int) query.Spec {
	d := domain.Dimension{Column: "place", Levels: make([]domain.Level, levels)}
	var grow func(level int)
	grow = func(level int) {
		for range children() {
			l := &d.Levels[level]
			l.Labels = append(l.Labels, fmt.Sprintf("%d-%d", level, len(l.Labels)))
			if level+1 < levels {
				grow(level + 1)
				continue
			}
			name := l.Labels[len(l.Labels)-1]
			d.Labels = append(d.Labels, domain.Label{Name: name, Members: []string{name}})
			for k := range d.Levels {
				d.Levels[k].Groups = append(d.Levels[k].Groups, int32(len(d.Levels[k].Labels)-1))
			}
		}
	}
	grow(0)
	for l := range d.Levels {
		d.Levels[l].Name = fmt.Sprintf("level-%d", l)
	}
	other := domain.Dimension{Column: "age"}
	for i := range cells {
		name := fmt.Sprint(i)
		other.Labels = append(other.Labels, domain.Label{Name: name, Members: []string{name}})
	}
	return query.Spec{Name: "people", Kind: query.Crosstab, By: []domain.Dimension{d, other},
		Crosstabs: &query.Crosstabs{Loss: strategy.LossTables}}
}

func mustNest(tb testing.TB, s query.Spec) *Nested {
	tb.Helper()
	q, err := New(s)
	if err != nil {
		tb.Fatal(err)
	}
	return q.(*Nested)
}

// drawNested returns a table of few rows in most cells, and of many in some, with its exact levels.
func drawNested(r *rand.Rand, q *Nested) ([]int64, [][]float64) {
	last := q.Tree.Levels() - 1
	counts := make([]int64, q.Tree.Size(last)*q.Tree.Cells())
	for i := range counts {
		switch r.IntN(5) {
		case 0:
			counts[i] = int64(200 * r.ExpFloat64())
		case 1:
			counts[i] = int64(r.IntN(4))
		}
	}
	var exact [][]float64
	for _, of := range q.Tree.Measure(counts) {
		y := make([]float64, len(of))
		for i, x := range of {
			y[i] = float64(x)
		}
		exact = append(exact, y)
	}
	return counts, exact
}

// addNoise returns the levels with normal noise, and the variance of each.
func addNoise(r *rand.Rand, exact [][]float64, variances []float64) [][]float64 {
	out := make([][]float64, len(exact))
	for l, of := range exact {
		out[l] = make([]float64, len(of))
		for i, x := range of {
			out[l][i] = x + math.Sqrt(variances[l])*r.NormFloat64()
		}
	}
	return out
}

// The levels of neighbouring tables differ by at most the stated sensitivity of each component.
func TestNestedSensitivity(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		s := placesSpec(r, 2+r.IntN(3), 3, 1+r.IntN(3))
		s.Unit, s.Bounds = []string{"id"}, query.Bounds{MaxRows: int64(1 + r.IntN(4))}
		q := mustNest(t, s)
		counts, _ := drawNested(r, q)
		before := q.Tree.Measure(append([]int64(nil), counts...))
		for _, adj := range []query.Adjacency{query.AddRemove, query.ReplaceOne} {
			components, err := q.Components(adj)
			if err != nil {
				t.Fatal(err)
			}
			changed := append([]int64(nil), counts...)
			one, other := r.IntN(len(counts)), r.IntN(len(counts))
			for range s.Bounds.MaxRows {
				if r.IntN(2) == 0 {
					one = r.IntN(len(counts))
				}
				changed[one]++
				if adj == query.ReplaceOne {
					changed[other]--
				}
			}
			for l, after := range q.Tree.Measure(changed) {
				norm := 0.0
				for i := range after {
					d := float64(after[i] - before[l][i])
					norm += d * d
				}
				if norm = math.Sqrt(norm); norm > components[l].Sens.L2 {
					t.Fatalf("%s: level %d differs by %g, stated %g", adj, l, norm, components[l].Sens.L2)
				}
			}
		}
	}
}

// Estimates that are made non-negative, or multiples of a number, add up over all levels and keep public totals.
func TestNestedIntegersAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for trial := range 300 {
		levels := 2 + r.IntN(3)
		s := placesSpec(r, levels, 4, 1+r.IntN(4))
		q := mustNest(t, s)
		_, exact := drawNested(r, q)
		s.Crosstabs.Nonnegative, s.Crosstabs.RoundTo = trial%3 != 0, int64(trial%3+1)/2*[]int64{1, 1, 5}[trial/2%3]
		if trial%2 == 0 && s.Crosstabs.RoundTo <= 1 {
			level := r.IntN(levels)
			totals := make([]float64, q.Tree.Size(level))
			for i, x := range exact[level] {
				totals[i/q.Tree.Cells()] += x
			}
			s.Crosstabs.Known = map[int][]float64{level: totals}
		}
		q = mustNest(t, s)
		variances := make([]float64, levels)
		for l := range variances {
			variances[l] = math.Exp(3 * r.NormFloat64())
		}
		y := addNoise(r, exact, variances)
		q.Tree.Estimate(y, variances, q.known())
		made := q.agree(t.Context(), y, q.Tree.Variances(variances))
		known, cells := q.known(), q.Tree.Cells()
		for l, of := range made {
			for i, x := range of {
				if base := float64(s.Crosstabs.RoundTo); base > 0 && x != base*math.Round(x/base) || s.Crosstabs.Nonnegative && x < 0 {
					t.Fatalf("trial %d: level %d has the cell %g", trial, l, x)
				}
				if l == levels-1 {
					continue
				}
				sum := 0.0
				from, to := q.Tree.Children(l, i/cells)
				for k := from; k < to; k++ {
					sum += made[l+1][k*cells+i%cells]
				}
				if s.Crosstabs.RoundTo > 0 && sum != x || math.Abs(sum-x) > 1e-6*(1+math.Abs(x)) {
					t.Fatalf("trial %d: level %d has %g, its children %g", trial, l, x, sum)
				}
			}
			for i, total := range known[l] {
				sum := 0.0
				for _, x := range of[i*cells : (i+1)*cells] {
					sum += x
				}
				if math.Abs(sum-total) > 1e-6*(1+total) {
					t.Fatalf("trial %d: level %d has the total %g, known is %g", trial, l, sum, total)
				}
			}
		}
	}
}

// If estimates are made non-negative integers, the total of a level, and the total of each cell over all places of a
// level, stay almost unbiased: the bias is less than a tenth of the total's standard deviation. The mean over n
// releases has a standard error of 1/sqrt(n) standard deviations; the test adds 5 of them, which one of 10^6 totals
// exceeds by chance.
func TestNestedTotalsHaveNoBias(t *testing.T) {
	releases := 400
	if os.Getenv("DPRELEASE_LONG") != "" {
		releases = 10_000
	}
	r := rand.New(rand.NewPCG(5, 6))
	s := placesSpec(r, 4, 5, 4)
	s.Crosstabs.Nonnegative, s.Crosstabs.RoundTo = true, 1
	q := mustNest(t, s)
	_, exact := drawNested(r, q)
	variances := make([]float64, 4)
	for l, share := range q.solve() {
		variances[l] = 25 / share
	}
	spread := q.Tree.Variances(variances)
	cells := q.Tree.Cells()
	bias, squares := make([]float64, cells+1), [2]float64{}
	deviations := make([]float64, cells+1)
	whole := 0.0
	for _, v := range spread[0] {
		whole += v
	}
	for c := range cells {
		deviations[c] = math.Sqrt(whole)
	}
	deviations[cells] = math.Sqrt(whole * float64(cells))
	for range releases {
		y := addNoise(r, exact, variances)
		q.Tree.Estimate(y, variances, nil)
		made := q.agree(t.Context(), y, spread)
		for i, x := range made[3] {
			bias[i%cells] += x - exact[3][i]
			bias[cells] += x - exact[3][i]
			squares[0] += (y[3][i] - exact[3][i]) * (y[3][i] - exact[3][i])
			squares[1] += (x - exact[3][i]) * (x - exact[3][i])
		}
	}
	for i, b := range bias {
		b /= float64(releases) * deviations[i]
		t.Logf("total %d: bias %.3f of its deviation", i, b)
		if math.Abs(b) > 0.1+5/math.Sqrt(float64(releases)) {
			t.Errorf("total %d has a bias of %.3f of its deviation", i, b)
		}
	}
	t.Logf("%d nodes; error of the cells of the last level: %.3f of that of least squares", q.Tree.Size(3),
		math.Sqrt(squares[1]/squares[0]))
	if squares[1] > squares[0] {
		t.Error("whole non-negative cells have a larger error")
	}
}

// The weight of the totals-first table is nearly the best one (nestedagree.go): the squared error of the children's
// totals is at most 20 % above the error of the better table. The cellwise table is better if there are few cells or if
// all places are alike; the totals-first table if there are many nearly empty cells and places of very different sizes,
// or only two places. The weight is raised by its standard error, which costs most if all places are alike. As in a
// tree, the noisy cells of the places add up to the cells of their group. The seed is fixed.
func TestNestedWeighsTotals(t *testing.T) {
	owntest.Slow(t)
	for _, c := range []struct {
		name          string
		cells, places int
		deviation     float64 // of the logarithm of a place's rows
		cellsFirst    bool    // the table made cell by cell has better totals
	}{
		{"few cells", 4, 6, 0.3, true}, {"places alike", 64, 6, 0.1, true}, {"many cells", 256, 6, 2, false},
		{"two places", 8, 2, 1.2, false},
	} {
		r := rand.New(rand.NewPCG(31, 32))
		const groups = 200
		exact := make([][]float64, groups)
		noisy := make([][]float64, groups)
		for g := range groups {
			exact[g], noisy[g] = make([]float64, c.places*c.cells), make([]float64, c.places*c.cells)
			for i := range c.places {
				size := 30 * math.Exp(c.deviation*r.NormFloat64())
				for j := range c.cells {
					exact[g][i*c.cells+j] = math.Floor(size * r.ExpFloat64() / float64(c.cells))
				}
			}
			for i, x := range exact[g] {
				noisy[g][i] = x + 5*r.NormFloat64()
			}
			for j := range c.cells {
				off := 0.0
				for i := j; i < len(noisy[g]); i += c.cells {
					off += (noisy[g][i] - exact[g][i]) / float64(c.places)
				}
				for i := j; i < len(noisy[g]); i += c.cells {
					noisy[g][i] -= off
				}
			}
		}
		variances := slices.Repeat([]float64{25 * (1 - 1/float64(c.places))}, c.places)
		m := children{cells: c.cells, nonnegative: true, stopped: func() bool { return false }}
		each := func(do func(g int, x []float64)) {
			for g := range groups {
				m.whole = make([]float64, c.cells)
				for i, x := range exact[g] {
					m.whole[i%c.cells] += x
				}
				m.total = sumOf(m.whole)
				do(g, slices.Clone(noisy[g]))
			}
		}
		each(func(_ int, x []float64) { m.weigh(x, variances, nil) })
		m.mix.setWeight()
		found := m.mix.weight
		var squares [3]float64
		for k, weight := range []float64{0, 1, found} {
			m.mix.weight = weight
			each(func(g int, x []float64) {
				m.fitTable(x, variances, nil)
				squares[k] += meanSquare(m.totals(x), m.totals(exact[g]))
			})
		}
		t.Logf("%s: weight %.2f; squared error of totals %.3g cell by cell, %.3g totals first, %.3g", c.name, found,
			squares[0], squares[1], squares[2])
		if (squares[0] < squares[1]) != c.cellsFirst {
			t.Errorf("%s: the other table has the smaller error: the case tests nothing", c.name)
		}
		if squares[2] > 1.2*min(squares[0], squares[1]) {
			t.Errorf("%s: the weight %.2f gives totals a squared error of %.3g", c.name, found, squares[2])
		}
	}
}

// The cells of each level have the planned errors, with and without public totals. 95 % of the intervals contain the
// truth, and at least as many after estimates are made non-negative integers: intervals are then extended to the
// estimate, and cut at 0. The tolerances are 5 standard errors, so the test fails by chance once in 10^6. A standard
// error counts only independent numbers: for errors the three cells of a node in each release, for coverage releases.
func TestNestedErrorsAreAsPlanned(t *testing.T) {
	releases := 500
	if os.Getenv("DPRELEASE_LONG") != "" {
		releases = 10_000
	}
	r := rand.New(rand.NewPCG(15, 16))
	for trial := range 4 {
		s := placesSpec(r, 3, 4, 3)
		q := mustNest(t, s)
		_, exact := drawNested(r, q)
		s.Crosstabs.Loss = []strategy.Loss{strategy.LossCells, strategy.LossTables, strategy.LossLargest}[trial%3]
		if trial%2 == 1 {
			totals := make([]float64, q.Tree.Size(0))
			for i, x := range exact[0] {
				totals[i/3] += x
			}
			s.Crosstabs.Known = map[int][]float64{0: totals}
		}
		plain, adjusted := mustNest(t, s), *s.Crosstabs
		adjusted.Nonnegative, adjusted.RoundTo = true, 1
		s.Crosstabs = &adjusted
		whole := mustNest(t, s)
		variances := make([]float64, 3)
		for l, share := range whole.solve() {
			variances[l] = 4 / share
		}
		spread, planned := whole.Tree.Variances(variances), whole.Tree.Errors(variances)
		squares, covered, after := make([]float64, 3), make([]float64, 3), make([]float64, 3)
		for range releases {
			y := addNoise(r, exact, variances)
			whole.Tree.Estimate(y, variances, whole.known())
			made := whole.agree(t.Context(), y, spread)
			for l := range y {
				squares[l] += meanSquare(y[l], exact[l])
				covered[l] += coverage(plain.table(y[l], y[l], spread[l]), exact[l])
				after[l] += coverage(whole.table(y[l], made[l], spread[l]), exact[l])
			}
		}
		n := float64(releases)
		for l := range squares {
			ratio := math.Sqrt(squares[l] / n / planned[l].Mean)
			t.Logf("trial %d, level %d of %d cells: error %.4f of the planned one; coverage %.4f, %.4f after", trial, l,
				len(exact[l]), ratio, covered[l]/n, after[l]/n)
			if math.Abs(ratio-1) > max(0.03, 5/math.Sqrt(2*n*3)) {
				t.Errorf("trial %d, level %d: the error is %.4f of the planned one", trial, l, ratio)
			}
			margin := 5 * math.Sqrt(0.95*0.05/n)
			if math.Abs(covered[l]/n-0.95) > margin || after[l]/n < 0.95-margin {
				t.Errorf("trial %d, level %d: intervals cover %.4f, %.4f after", trial, l, covered[l]/n, after[l]/n)
			}
		}
	}
}

// meanSquare returns the mean squared difference of two lists of numbers.
func meanSquare(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += (x[i] - y[i]) * (x[i] - y[i])
	}
	return sum / float64(len(x))
}

// coverage returns the fraction of exact numbers that lie within the intervals of an answer.
func coverage(a query.Answer, exact []float64) float64 {
	low, high, covered := make([]float64, len(exact)), make([]float64, len(exact)), 0
	a.Low(0, low)
	a.High(0, high)
	for i, x := range exact {
		if low[i] <= x && x <= high[i] {
			covered++
		}
	}
	return float64(covered) / float64(len(exact))
}

// 95 % of the intervals of sums of cells contain the exact sum, at each level. The fraction over n releases has a
// standard error of sqrt(0.95·0.05/n); the tolerance is 5 of them, so the test fails by chance once in 10^6.
func TestNestedSumsCover(t *testing.T) {
	releases := 1000
	if os.Getenv("DPRELEASE_LONG") != "" {
		releases = 10_000
	}
	r := rand.New(rand.NewPCG(7, 8))
	for trial := range 6 {
		most := 4
		if trial > 3 { // each place has one part
			most = 1
		}
		s := placesSpec(r, 3, most, 3)
		q := mustNest(t, s)
		_, exact := drawNested(r, q)
		if trial%2 == 1 {
			totals := make([]float64, q.Tree.Size(0))
			for i, x := range exact[0] {
				totals[i/3] += x
			}
			s.Crosstabs.Known = map[int][]float64{0: totals}
			q = mustNest(t, s)
		}
		variances := make([]float64, 3)
		for l, share := range q.solve() {
			variances[l] = 1 / share
		}
		weights, deviations := make([][]float64, 3), make([]float64, 3)
		for l := range weights {
			weights[l] = make([]float64, len(exact[l]))
			for i := range weights[l] {
				weights[l][i] = float64(r.IntN(2))
			}
			variance := 0.0
			for k, of := range q.Tree.Coefficients(l, weights[l], variances) {
				for _, w := range of {
					variance += w * w * variances[k]
				}
			}
			deviations[l] = math.Sqrt(variance)
		}
		var covered [3]int
		for range releases {
			y := addNoise(r, exact, variances)
			q.Tree.Estimate(y, variances, q.known())
			for l := range y {
				sum := 0.0
				for i, w := range weights[l] {
					sum += w * (y[l][i] - exact[l][i])
				}
				if math.Abs(sum) <= calibrate.Z95*deviations[l]+1e-9 {
					covered[l]++
				}
			}
		}
		for l, n := range covered {
			share := float64(n) / float64(releases)
			t.Logf("trial %d, level %d: %.4f", trial, l, share)
			if deviations[l] > 1e-9 && math.Abs(share-0.95) > 5*math.Sqrt(0.95*0.05/float64(releases)) {
				t.Errorf("trial %d: intervals of a sum in level %d cover %.4f", trial, l, share)
			}
		}
	}
}

// Public totals that contradict each other, or that are not numbers of rows, are refused.
func TestNestedKnownTotalsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	s := placesSpec(r, 2, 3, 1)
	q := mustNest(t, s)
	upper, lower := make([]float64, q.Tree.Size(0)), make([]float64, q.Tree.Size(1))
	for i := range lower {
		lower[i] = 10
	}
	upper[0] = 1
	for _, known := range []map[int][]float64{{0: upper, 1: lower}, {1: lower[1:]}, {1: append([]float64{0.5}, lower[1:]...)},
		{1: append([]float64{-1}, lower[1:]...)}} {
		s.Crosstabs = &query.Crosstabs{Loss: strategy.LossTables, Known: known}
		if _, err := New(s); err == nil {
			t.Errorf("known totals %v are taken", known)
		}
	}
}

// The errors of other strategies do not account for public totals: they are omitted if there are some.
func TestNestedComparesWithoutKnownTotals(t *testing.T) {
	s := placesSpec(rand.New(rand.NewPCG(11, 12)), 2, 3, 1)
	totals := make([]float64, mustNest(t, s).Tree.Size(0))
	for want, known := range map[int]map[int][]float64{3: nil, 0: {0: totals}} {
		s.Crosstabs = &query.Crosstabs{Loss: strategy.LossTables, Known: known}
		q := mustNest(t, s)
		components, err := q.Components(query.AddRemove)
		if err != nil {
			t.Fatal(err)
		}
		var ms []calibrate.Mechanism
		for _, c := range components {
			ms = append(ms, calibrate.Mechanism{Query: c.Name, Sens: c.Sens, Sigma: 7, Grid: 0.25})
		}
		stated, err := q.Strategy(query.AddRemove, ms)
		if err != nil || len(stated.Others) != want {
			t.Errorf("known totals %v: other ways %v, %v", known, stated.Others, err)
		}
	}
}
