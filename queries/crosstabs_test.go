package queries

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/strategy"
	"pgregory.net/rapid"
)

// randomCrosstabs draws a query of tables.
func randomCrosstabs(rt *rapid.T) Spec {
	s := randomSpec(rt)
	for len(s.By) == 0 {
		s = randomSpec(rt)
	}
	s.Kind, s.Crosstabs = Crosstab, &Crosstabs{Loss: rapid.SampledFrom([]strategy.Loss{strategy.LossCells,
		strategy.LossTables, strategy.LossLargest}).Draw(rt, "loss")}
	if rapid.Bool().Draw(rt, "ways") {
		s.Crosstabs.Ways = []int{rapid.IntRange(1, len(s.By)).Draw(rt, "way")}
	}
	if len(s.Crosstabs.Ways) == 0 || rapid.Bool().Draw(rt, "table") {
		all := []string{"as0", "as1", "as2"}[:len(s.By)]
		by := rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, len(all), func(s string) string { return s }).Draw(rt, "by")
		s.Crosstabs.Tables = []CrosstabTable{{By: by, Weight: rapid.Float64Range(0.5, 4).Draw(rt, "weight")}}
	}
	return s
}

func mustCross(tb testing.TB, s Spec) *kinds.Crosstabs { return makeQuery[*kinds.Crosstabs](tb, s) }

// residualsOf returns the exact coordinates of each residual, in rows.
func residualsOf(tb testing.TB, q Query, t *testTable, workers [][]*table.Batch) [][]*big.Rat {
	tb.Helper()
	var first [][]*big.Rat
	for i, spill := range spills() {
		exacts, err := accumulated(tb, q, t.schema(), spill, workers).hide()
		if err != nil {
			tb.Fatal(err)
		}
		var all [][]*big.Rat
		for _, e := range exacts {
			unit, cells := mechanismtest.OpenWide(tb, e)
			var y []*big.Rat
			for _, c := range cells {
				x := new(big.Rat).SetFloat64(unit)
				y = append(y, x.Mul(x, new(big.Rat).SetInt(c)))
			}
			all = append(all, y)
		}
		if i > 0 && fmt.Sprint(all) != fmt.Sprint(first) {
			tb.Fatal("spilled, the residuals differ")
		}
		first = all
	}
	return first
}

// Tables that are reconstructed from the exact residuals equal the tables of a plain histogram of the same dimensions,
// for any order of the rows, batches, encoding and number of workers.
func TestCrosstabsAreSumsOfAHistogram(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, tab := randomCrosstabs(rt), randomTable(rt)
		s.Bounds = Bounds{MaxRows: 1000} // the two queries drop different rows
		q := mustCross(t, s)
		plain := s
		plain.Kind, plain.Crosstabs = Histogram, nil
		joint := reference(plain, tab)
		shuffled, workers := dealt(rt, q, tab)
		exact := map[strategy.Set][]float64{}
		for i, y := range residualsOf(t, q, shuffled, workers) {
			for _, x := range y {
				f, _ := x.Float64()
				exact[q.Marginals.Residuals()[i]] = append(exact[q.Marginals.Residuals()[i]], f)
			}
		}
		strides := domain.AxisStrides(q.Axes)
		for _, table := range q.Marginals.Tables() {
			got := q.Marginals.Reconstruct(table, func(r strategy.Set) []float64 { return exact[r] })
			want := make([]float64, len(got))
			for cell, n := range joint {
				at := 0
				for _, axis := range table.Attributes() {
					at = at*q.Axes[axis].Size + cell/strides[axis]%q.Axes[axis].Size
				}
				want[at] += float64(n)
			}
			for cell := range want {
				if math.Abs(got[cell]-want[cell]) > 1e-6 {
					rt.Fatalf("table %v, cell %d: %g, want %g", q.DimensionNames(table), cell, got[cell], want[cell])
				}
			}
		}
	})
}

// checkChange checks that no component of a query differs between two neighbouring tables by more than its stated
// sensitivity. For crosstabs under replace-one it instead checks all components together: the sum of their squared
// changes, each relative to its sensitivity and multiplied by its weight, is at most the sum of the weights.
func checkChange(t *testing.T, rt *rapid.T, q Query, b Bounds, adj Adjacency, tab, other *testTable) {
	components, err := q.Components(adj)
	if err != nil {
		t.Fatal(err)
	}
	one := residualsOf(t, q, tab, [][]*table.Batch{tab.batches(q.Columns(), nil, plain)})
	two := residualsOf(t, q, other, [][]*table.Batch{other.batches(q.Columns(), nil, plain)})
	_, together := q.(*kinds.Crosstabs)
	together = together && adj == ReplaceOne
	changed, stated := new(big.Rat), new(big.Rat)
	for i, c := range components {
		sum := new(big.Rat)
		for j := range one[i] {
			d := new(big.Rat).Sub(one[i][j], two[i][j])
			sum.Add(sum, d.Mul(d, d))
		}
		weight := new(big.Rat).SetFloat64(c.Weight)
		stated.Add(stated, weight)
		changed.Add(changed, weight.Mul(weight, new(big.Rat).Quo(sum, c.Sens.Squared())))
		if !together && sum.Cmp(c.Sens.Squared()) > 0 {
			rt.Fatalf("%s, %s, %+v: %s changed by the root of %v, sensitivity %g", c.Name, adj, b, c.Sens.Why, sum, c.Sens.L2)
		}
	}
	if together && changed.Cmp(stated) > 0 {
		rt.Fatalf("%s, %+v: the components change by mu² %v together, stated %v", adj, b, changed, stated)
	}
}

// No pair of neighbouring tables changes a residual by more than its stated sensitivity.
func TestNeighboursChangeNoResidualByMore(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, tab := randomCrosstabs(rt), randomTable(rt)
		q := mustCross(t, s)
		other, adj := neighbour(rt, s, tab)
		checkChange(t, rt, q, s.Bounds, adj, tab, other)
	})
}

// The sensitivities are attained if all rows of a unit are in one cell.
func TestCrosstabsSensitivityIsAttained(t *testing.T) {
	s := Spec{Name: "q", Kind: Crosstab, Unit: []string{"u"}, Bounds: Bounds{MaxRows: 3},
		By: []domain.Dimension{{Column: "int", Edges: []string{"0", "1", "2", "3"}},
			{Column: "flag", Labels: []domain.Label{{Name: "f", Members: []string{"false"}},
				{Name: "t", Members: []string{"true"}}}}},
		Crosstabs: &Crosstabs{Ways: []int{1, 2}, Loss: strategy.LossCells}}
	q := mustCross(t, s)
	components, err := q.Components(AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	largest := make([]float64, len(components))
	for cell := range 6 {
		row := make([]value, len(randomFields))
		tab := &testTable{fields: randomFields}
		row[0], row[tab.schema().Index("int")], row[tab.schema().Index("flag")] = value{n: 1}, value{n: int64(cell / 2)}, value{n: int64(cell % 2)}
		tab.rows = slices.Repeat([][]value{row}, 5) // 3 of them count
		for i, y := range residualsOf(t, q, tab, [][]*table.Batch{tab.batches(q.Columns(), nil, plain)}) {
			norm := 0.0
			for _, x := range y {
				f, _ := x.Float64()
				norm += f * f
			}
			largest[i] = max(largest[i], math.Sqrt(norm))
		}
	}
	for i, p := range components {
		if math.Abs(largest[i]-p.Sens.L2) > 1e-12 {
			t.Errorf("%s: %g is attained, %g stated", p.Name, largest[i], p.Sens.L2)
		}
	}
}

// noiseOf draws the noisy components of a query whose exact answers are 0.
func noiseOf(t *testing.T, r *rand.Rand, components []Component, ms []calibrate.Mechanism) (out []mechanism.Noisy) {
	return noiseAround(t, r, components, ms, 0)
}

// noiseAround draws the noisy components of a query. All exact answers of the first component are equal, and all others
// are 0.
func noiseAround(t *testing.T, r *rand.Rand, components []Component, ms []calibrate.Mechanism,
	exact float64) (out []mechanism.Noisy) {
	for i, p := range components {
		values := make([]float64, p.Cells)
		for j := range values {
			values[j] = math.Floor(r.NormFloat64()*float64(ms[i].Sigma)/ms[i].Grid+0.5)*ms[i].Grid + exact
		}
		out, exact = append(out, mechanismtest.Make(t, ms[i], values)), 0
	}
	return out
}

// calibrated returns a query's components with the mechanisms of (1, 1e-6)-differential privacy for them.
func calibrated(t *testing.T, q Query) ([]Component, []calibrate.Mechanism) {
	t.Helper()
	return calibratedFor(t, q, AddRemove)
}

func calibratedFor(t *testing.T, q Query, adjacency Adjacency) ([]Component, []calibrate.Mechanism) {
	t.Helper()
	components, err := q.Components(adjacency)
	if err != nil {
		t.Fatal(err)
	}
	var asks []calibrate.Ask
	for _, p := range components {
		asks = append(asks, calibrate.Ask{Query: "q/" + p.Name, Sens: p.Sens, Weight: p.Weight, Quantum: p.Quantum,
			RowBound: p.RowBound})
	}
	ms, err := calibrate.SplitBudget(calibrate.Guarantee{Epsilon: 1, Delta: 1e-6}, asks)
	if err != nil {
		t.Fatal(err)
	}
	return components, ms
}

// columnsOf returns the noisy values of an answer whose exact values are 0, their intervals and deviations.
func columnsOf(a Answer) (noisy, low, high, sigma []float64) {
	read := func(s Series) []float64 {
		out := make([]float64, a.Cells)
		s(0, out)
		return out
	}
	return read(a.Noisy), read(a.Low), read(a.High), read(a.Sigma)
}

// The stated standard deviations and intervals of the tables are right. Over 300 draws, the mean square of each table's
// cells is within 6 standard errors of the stated variance. Since the cells of a draw are dependent, each draw counts
// as one number for this standard error; the test fails by chance with a probability below 10^-6. The intervals contain
// the exact value 0 in 95 % ± 0.3 % of all cells.
func TestCrosstabsErrorsAreAsStated(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	s := Spec{Name: "q", Kind: Crosstab, Crosstabs: &Crosstabs{Ways: []int{1, 2}, Loss: strategy.LossCells}}
	for i, n := range []int{7, 5, 2, 14} {
		s.By = append(s.By, domain.Dimension{Column: fmt.Sprint("c", i), Labels: numbered(n)})
	}
	q := mustCross(t, s)
	components, ms := calibrated(t, q)
	stated, err := q.Strategy(AddRemove, ms)
	if err != nil {
		t.Fatal(err)
	}
	if stated.Error > stated.Bound*1.001 || stated.Error < stated.Bound*(1-1e-6) {
		t.Errorf("error %g, bound %g", stated.Error, stated.Bound)
	}
	const draws = 300
	r := rand.New(rand.NewPCG(3, 5))
	squares := make([][]float64, len(stated.Tables))
	covered, cells := 0, 0
	for range draws {
		noisy := noiseOf(t, r, components, ms)
		a, err := q.Finish(t.Context(), noisy, noisy)
		if err != nil {
			t.Fatal(err)
		}
		for k, x := range a.Readings {
			values, low, high, sigma := columnsOf(x.Answer)
			mean := 0.0
			for i, v := range values {
				mean += v * v / float64(len(values))
				if low[i] <= 0 && high[i] >= 0 {
					covered++
				}
				if sigma[i] != stated.Tables[k].Deviation {
					t.Fatalf("%s: deviation %g, stated %g", x.Name, sigma[i], stated.Tables[k].Deviation)
				}
			}
			squares[k] = append(squares[k], mean)
			cells += len(values)
		}
	}
	for k, table := range stated.Tables {
		mean, spread := meanAndSpread(squares[k])
		if want := table.Deviation * table.Deviation; math.Abs(mean-want) > 6*spread/math.Sqrt(draws) {
			t.Errorf("%s: mean square %g, stated %g", table.Name, mean, want)
		}
	}
	if share := float64(covered) / float64(cells); math.Abs(share-0.95) > 0.003 {
		t.Errorf("%.4f of the cells are in their intervals", share)
	}
}

// meanAndSpread returns the mean and the standard deviation of some numbers.
func meanAndSpread(x []float64) (mean, spread float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		spread += (v - mean) * (v - mean) / float64(len(x)-1)
	}
	return mean, math.Sqrt(spread)
}

// Recover returns the multiples of the grids, and the same tables.
func TestRecoverCrosstabs(t *testing.T) {
	s := Spec{Name: "q", Kind: Crosstab, Crosstabs: &Crosstabs{Ways: []int{2}, Loss: strategy.LossTables},
		By: []domain.Dimension{{Column: "a", Labels: numbered(4)}, {Column: "b", Labels: numbered(3), Null: domain.OwnCell}}}
	q := mustCross(t, s)
	c, grids := mustRecover(t, q, AddRemove)
	c.Noisy[0] += grids[0] / 2
	if _, err := q.Recover(c, grids); err == nil {
		t.Error("half a unit is read back")
	}
}

// Each problem of a crosstabs query is reported at its path.
func TestCrosstabsProblems(t *testing.T) {
	a, b := domain.Dimension{Column: "a", Labels: numbered(4)}, domain.Dimension{Column: "b", Labels: numbered(3)}
	big := domain.Dimension{Column: "z", Edges: []string{"0", "1"}}
	for i := range 9000 {
		big.Edges = append(big.Edges, fmt.Sprint(i+2))
	}
	bigger := big
	bigger.Column = "y"
	for name, c := range map[string]struct {
		by    []domain.Dimension
		x     *Crosstabs
		field string
	}{
		"no tables":     {[]domain.Dimension{a}, &Crosstabs{}, "crosstabs"},
		"too many ways": {[]domain.Dimension{a}, &Crosstabs{Ways: []int{2}}, "crosstabs.ways[0]"},
		"other dimension": {[]domain.Dimension{a, b}, &Crosstabs{Tables: []CrosstabTable{{By: []string{"a", "c"}}}},
			"crosstabs.tables[0].by[1]"},
		"name": {[]domain.Dimension{a, {Column: "b", As: "rows", Labels: numbered(3)}}, &Crosstabs{Ways: []int{1}},
			"crosstabs.by"},
		"large":      {[]domain.Dimension{big, bigger}, &Crosstabs{Ways: []int{2}}, "crosstabs"},
		"discovered": {[]domain.Dimension{{Column: "a", Discover: true}}, &Crosstabs{Ways: []int{1}}, "crosstabs.by[0]"},
	} {
		_, err := New(Spec{Name: "q", Kind: Crosstab, By: c.by, Crosstabs: c.x})
		found := problem.Errors(err)
		if len(found) == 0 || !strings.HasPrefix(found[0].Field, c.field) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The stated errors of the other designs follow from the largest change of one unit. If norm² is the largest squared
// norm of the change of the vector to which a design adds noise, each number of the vector has the noise variance
// norm²/mu², and the error of a table's cell is the sum of the variances that make it up.
func TestAlternativesAreThoseOfTheirMatrices(t *testing.T) {
	sizes, rows := []int{3, 4, 2}, int64(3)
	s := Spec{Name: "q", Kind: Crosstab, Unit: []string{"u"}, Bounds: Bounds{MaxRows: rows},
		Crosstabs: &Crosstabs{Ways: []int{1, 2}, Loss: strategy.LossCells}}
	for i, n := range sizes {
		s.By = append(s.By, domain.Dimension{Column: fmt.Sprint("c", i), Labels: numbered(n)})
	}
	tables := [][]int{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}}
	for _, adjacency := range []Adjacency{AddRemove, ReplaceOne} {
		// One unit has all its rows in one cell and, if it is replaced, all in another one.
		norm2 := float64(rows * rows)
		if adjacency == ReplaceOne {
			norm2 *= 2
		}
		joint, equal, cells := 0.0, 0.0, 0.0
		for _, of := range tables {
			n := 1.0
			for _, i := range of {
				n *= float64(sizes[i])
			}
			cells += n
			joint += n * norm2 * (3 * 4 * 2 / n)      // a cell of the table is the sum of this many cells
			equal += n * norm2 * float64(len(tables)) // each table has a part of mu²
		}
		q := mustCross(t, s)
		_, ms := calibratedFor(t, q, adjacency)
		stated, err := q.Strategy(adjacency, ms)
		if err != nil {
			t.Fatal(err)
		}
		mu := float64(calibrate.ComposedMu(ms))
		for name, want := range map[string]float64{"a table of all dimensions, added up": math.Sqrt(joint/cells) / mu,
			"each table alone, equal noise": math.Sqrt(equal/cells) / mu} {
			at := slices.IndexFunc(stated.Others, func(c strategy.Candidate) bool { return c.Name == name })
			if at < 0 || math.Abs(stated.Others[at].Error/want-1) > 1e-9 {
				t.Errorf("%s: %s: %+v, want %g", adjacency, name, stated.Others, want)
			}
		}
		for _, c := range stated.Others {
			if c.Error < stated.Error*(1-1e-4) {
				t.Errorf("%s: %s has %g, what is taken %g", adjacency, c.Name, c.Error, stated.Error)
			}
		}
	}
}

// No other design that a plan lists has a smaller error than the design that the program chose. The test tries random
// sets of tables of two to four dimensions, under both adjacencies and all losses. The tolerance is the solver's.
func TestNoAlternativeIsBetter(t *testing.T) {
	r, compared := rand.New(rand.NewPCG(61, 62)), 0
	for trial := range 300 {
		rows := int64(1 + r.IntN(3))
		s := Spec{Name: "q", Kind: Crosstab, Unit: []string{"u"}, Bounds: Bounds{MaxRows: rows}, Crosstabs: &Crosstabs{
			Loss: []strategy.Loss{strategy.LossCells, strategy.LossTables, strategy.LossLargest}[trial%3]}}
		for i := range 2 + r.IntN(3) {
			s.By = append(s.By, domain.Dimension{Column: fmt.Sprint("c", i), Labels: numbered(2 + r.IntN(9))})
		}
		for way := range len(s.By) {
			if r.IntN(2) == 0 || way == 0 {
				s.Crosstabs.Ways = append(s.Crosstabs.Ways, way+1)
			}
		}
		q := mustCross(t, s)
		for _, adjacency := range []Adjacency{AddRemove, ReplaceOne} {
			_, ms := calibratedFor(t, q, adjacency)
			stated, err := q.Strategy(adjacency, ms)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range stated.Others {
				compared++
				if c.Error < stated.Error*(1-1e-4) {
					t.Errorf("%s, %s, ways %d of %d dimensions, %d rows a unit: %s has %g, what is taken %g", adjacency,
						s.Crosstabs.Loss, s.Crosstabs.Ways, len(s.By), rows, c.Name, c.Error, stated.Error)
				}
			}
		}
	}
	if compared < 1000 {
		t.Errorf("%d alternatives were compared: too few", compared)
	}
	t.Logf("%d alternatives", compared)
}

// Under replace-one, no change of a unit with up to two rows has a larger mu than the charged one, and the largest has
// almost that mu. The test tries all pairs of contributions of a unit, over small domains. The numbers of rows may
// differ.
func TestReplacedUnitsOfSeveralRows(t *testing.T) {
	for _, sizes := range [][]int{{3}, {2, 3}, {2, 2, 2}} {
		for rows := int64(1); rows <= 2; rows++ {
			s := Spec{Name: "q", Kind: Crosstab, Unit: []string{"u"}, Bounds: Bounds{MaxRows: rows},
				Crosstabs: &Crosstabs{Ways: []int{1}, Loss: strategy.LossTables}}
			if len(sizes) > 1 {
				s.Crosstabs.Ways = []int{1, 2}
			}
			cells, all := 1, strategy.Set(0)
			for i, n := range sizes {
				s.By = append(s.By, domain.Dimension{Column: fmt.Sprint("c", i), Labels: numbered(n)})
				cells, all = cells*n, all|strategy.SetOf(i)
			}
			q := mustCross(t, s)
			_, ms := calibratedFor(t, q, ReplaceOne)
			var coordinates [][]float64 // of each contribution, in standard deviations
			var fill func(counts []int64, left int64)
			fill = func(counts []int64, left int64) {
				if len(counts) < cells {
					for n := int64(0); n <= left; n++ {
						fill(append(slices.Clone(counts), n), left-n)
					}
					return
				}
				var y []float64
				for i, r := range q.Marginals.Residuals() {
					measured := q.Marginals.Measure(r, all, counts)
					for j := range measured.Len() {
						x, _ := new(big.Float).SetInt(measured.At(j).Big()).Float64()
						y = append(y, x*q.Marginals.Quantum(r)/float64(ms[i].Sigma))
					}
				}
				coordinates = append(coordinates, y)
			}
			fill(nil, rows)
			largest := 0.0
			for _, a := range coordinates {
				for _, b := range coordinates {
					mu2 := 0.0
					for i := range a {
						mu2 += (a[i] - b[i]) * (a[i] - b[i])
					}
					largest = max(largest, mu2)
				}
			}
			mu := float64(calibrate.ComposedMu(ms))
			if worst := math.Sqrt(largest); worst > mu*(1+1e-12) || worst < mu*(1-1e-3) {
				t.Errorf("%v, %d rows: mu of the worst of %d units %.12g, charged %.12g", sizes, rows, len(coordinates), worst, mu)
			}
		}
	}
}
