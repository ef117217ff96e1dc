package queries

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/strategy"
)

// randomSharing draws a histogram with common noise. In most of them a unit may be in many cells, so that common noise
// is smaller than independent noise.
func randomSharing(rt *rapid.T, adj Adjacency) Spec {
	s := randomSpec(rt)
	for len(s.By) == 0 {
		s = randomSpec(rt)
	}
	s.Unit, s.FloatUnit = rapid.SampledFrom([][]string{{"u"}, {"v"}, {"w"}, {"u", "v"}}).Draw(rt, "units"), true
	if rapid.Bool().Draw(rt, "one a cell") {
		s.Bounds = Bounds{MaxGroups: rapid.Int64Range(2, 40).Draw(rt, "groups"), MaxRowsPerGroup: 1}
	}
	s.CommonNoise = adj
	return s
}

// unitsOf returns the number of units that have a row that counts in a query.
func unitsOf(s Spec, tab *testTable) int64 {
	units := map[string]bool{}
	for _, row := range tab.rows {
		cell := 0
		for _, d := range s.By {
			if c := refAxis(s, d, tab, row); c < 0 {
				cell = -1
			}
		}
		if unit := refUnit(s, tab, row); cell == 0 && unit != "" {
			units[unit] = true
		}
	}
	return int64(len(units))
}

// A histogram with common noise has two components: the cells of a plain histogram, each minus a fraction of the number
// of units, and the number of units. The exact components are right for any order of the rows, batches, encoding,
// number of workers and memory, and after states are saved and loaded.
func TestSharedCellsAreThoseOfAHistogram(t *testing.T) {
	forms := map[strategy.Form]int{}
	rapid.Check(t, func(rt *rapid.T) {
		s, tab := randomSharing(rt, AddRemove), randomTable(rt)
		plain := s
		plain.CommonNoise = ""
		want := reference(plain, tab)
		made, err := New(s)
		if err != nil {
			rt.Fatal(err)
		}
		shuffled, workers := dealt(rt, made, tab)
		exact := residualsOf(t, made, shuffled, workers)
		q, ok := made.(*kinds.CommonNoise)
		if !ok {
			forms[strategy.FormCells]++
			for i, x := range exact[0] {
				if x.Cmp(big.NewRat(want[i], 1)) != 0 {
					rt.Fatalf("cell %d is %v, want %d", i, x, want[i])
				}
			}
			return
		}
		forms[strategy.FormCommonNoise]++
		if units := unitsOf(s, tab); exact[1][0].Cmp(big.NewRat(units, 1)) != 0 {
			rt.Fatalf("%v units, want %d", exact[1][0], units)
		}
		common := new(big.Rat).SetFloat64(q.Form.Share())
		common.Mul(common, exact[1][0])
		for i, x := range exact[0] {
			if x.Add(x, common).Cmp(big.NewRat(want[i], 1)) != 0 {
				rt.Fatalf("cell %d is %v, want %d", i, x, want[i])
			}
		}
	})
	if len(forms) < 2 {
		t.Errorf("only %v were tried", forms)
	}
}

// If queries share the rows of units, each query counts the units that have a row in one of its own cells.
func TestUnitsAreCountedTogether(t *testing.T) {
	owntest.Slow(t)
	shares := 0
	rapid.Check(t, func(rt *rapid.T) {
		specs := []Spec{randomSharing(rt, AddRemove), randomSpec(rt), randomSharing(rt, AddRemove)}
		var qs []Query
		for i := range specs {
			specs[i].Unit = specs[0].Unit
			qs = append(qs, makeQuery[Query](t, specs[i]))
		}
		tab := randomTable(rt)
		for _, spill := range spills() {
			batches := make([][]*table.Batch, len(qs))
			for i, q := range qs {
				batches[i] = tab.batches(q.Columns(), []int{len(tab.rows) / 2}, plain)
			}
			for i, a := range togetherOf(t, qs, tab.schema(), spill, batches, 2) {
				exacts, err := a.hide()
				if err != nil {
					rt.Fatal(err)
				}
				if _, ok := qs[i].(*kinds.CommonNoise); !ok {
					continue
				}
				shares++
				if _, n := mechanismtest.Open(t, exacts[1]); n[0] != unitsOf(specs[i], tab) {
					rt.Fatalf("query %d has %d units, want %d", i, n[0], unitsOf(specs[i], tab))
				}
			}
		}
	})
	if shares == 0 {
		t.Error("no query shared noise")
	}
}

// Between neighbouring tables, no component of a histogram with common noise changes by more than its stated
// sensitivity.
func TestNeighboursChangeNoSharedCellsByMore(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, tab := randomSharing(rt, AddRemove), randomTable(rt)
		other, adj := neighbour(rt, s, tab)
		s.CommonNoise = adj
		q, err := New(s)
		if err != nil {
			rt.Fatal(err)
		}
		checkChange(t, rt, q, s.Bounds, adj, tab, other)
	})
}

// The sensitivity is attained by a unit with a row in every cell, of which max_groups are kept.
func TestSharedSensitivityIsAttained(t *testing.T) {
	for _, b := range []Bounds{{MaxGroups: 12, MaxRowsPerGroup: 1}, {MaxGroups: 6, MaxRowsPerGroup: 1},
		{MaxGroups: 12, MaxRowsPerGroup: 3}} {
		q := mustShare(t, sharedSpec(12, b))
		tab := &testTable{fields: []table.Field{{Name: "u", Type: table.Type{Kind: table.Int}},
			{Name: "x", Type: table.Type{Kind: table.String}}}}
		for cell := range 12 {
			for range 4 {
				tab.rows = append(tab.rows, []value{{n: 7}, {s: fmt.Sprint(cell)}})
			}
		}
		exact := residualsOf(t, q, tab, [][]*table.Batch{tab.batches(q.Columns(), nil, plain)})
		norm := new(big.Rat)
		for _, y := range exact[0] {
			norm.Add(norm, new(big.Rat).Mul(y, y))
		}
		if norm.Cmp(q.Form.Norm2()) != 0 || exact[1][0].Cmp(big.NewRat(1, 1)) != 0 {
			t.Errorf("%+v: %v is attained, %v stated; %v units", b, norm, q.Form.Norm2(), exact[1][0])
		}
	}
}

func mustShare(tb testing.TB, s Spec) *kinds.CommonNoise { return makeQuery[*kinds.CommonNoise](tb, s) }

// sharedSpec returns a histogram of n cells with common noise.
func sharedSpec(n int, b Bounds) Spec {
	return Spec{Name: "q", Kind: Histogram, Unit: []string{"u"}, Bounds: b, CommonNoise: AddRemove,
		By: []domain.Dimension{{Column: "x", Labels: numbered(n)}}}
}

// sharedEdges returns a histogram with common noise along edges, in two groups, with quantiles and shares.
func sharedEdges(n int, b Bounds) Spec {
	s := sumsSpec(n, b)
	s.Read.Sums, s.CommonNoise = false, AddRemove
	return s
}

// The stated strategy names both designs, common and independent noise, with their standard deviations. The design with
// the smaller one is chosen, and sums of cells have the stated deviations.
func TestSharedStrategyIsStated(t *testing.T) {
	q := mustShare(t, sharedSpec(24, Bounds{MaxGroups: 24, MaxRowsPerGroup: 1}))
	components, ms := calibrated(t, q)
	stated, err := q.Strategy(AddRemove, ms)
	if err != nil {
		t.Fatal(err)
	}
	if stated.Name != "shared" || len(stated.Others) != 2 || stated.Others[0].Name != "cells" {
		t.Fatalf("%+v", stated)
	}
	if got := stated.Error / stated.Others[0].Error; math.Abs(got-0.602) > 0.002 {
		t.Errorf("%g of the noise of the cells", got)
	}
	r := rand.New(rand.NewPCG(2, 9))
	const draws = 4000
	var totals []float64
	for range draws {
		noisy := noiseOf(t, r, components, ms)
		a, err := q.Finish(t.Context(), noisy, noisy)
		if err != nil {
			t.Fatal(err)
		}
		values, _, _, sigma := columnsOf(a)
		if sigma[3] != stated.Tables[0].Deviation {
			t.Fatalf("deviation %g, stated %g", sigma[3], stated.Tables[0].Deviation)
		}
		sum := 0.0
		for _, v := range values[:10] {
			sum += v
		}
		totals = append(totals, sum*sum/math.Pow(stated.Sums.Deviation(10), 2))
	}
	if mean, spread := meanAndSpread(totals); math.Abs(mean-1) > 6*spread/math.Sqrt(draws) { // a false alarm once in 10^8
		t.Errorf("the mean square of sums of ten cells is %g of what is stated", mean)
	}
	cell, total := kinds.GainOfCommonNoise(makeQuery[Query](t, Spec{Name: "q", Kind: Histogram, Unit: []string{"u"},
		Bounds: Bounds{MaxGroups: 24, MaxRowsPerGroup: 1}, By: q.Spec.By}), AddRemove)
	if want := stated.Sums.Deviation(24) / (stated.Others[0].Error * math.Sqrt(24)); math.Abs(cell-0.602) > 0.002 ||
		math.Abs(total-want) > 0.002 {
		t.Errorf("gains are %g and %g, want %g", cell, total, want)
	}
}

// coverage returns the fraction of an answer's intervals that contain the exact value 0.
func coverage(all ...Answer) float64 {
	covered, cells := 0, 0
	for _, a := range all {
		values, low, high, _ := columnsOf(a)
		for i := range values {
			if cells++; low[i] <= 0 && high[i] >= 0 {
				covered++
			}
		}
	}
	return float64(covered) / float64(cells)
}

// 95 % of the intervals contain the exact value, under every strategy. The errors of the cells of a draw are dependent,
// so the standard error is computed from the fractions of the draws. The tolerance is 6 standard errors: each strategy
// fails by chance once in 10^8, or more often if the fractions are far from normally distributed. With DPRELEASE_LONG=1
// there are so many draws that 6 standard errors are 0.3 %.
func TestStrategiesCover(t *testing.T) {
	tables := Spec{Name: "q", Kind: Crosstab, Crosstabs: &Crosstabs{Ways: []int{1, 2}, Loss: strategy.LossCells}}
	for i, n := range []int{7, 5, 2} {
		tables.By = append(tables.By, domain.Dimension{Column: fmt.Sprint("c", i), Labels: numbered(n)})
	}
	readings := func(a Answer) (all []Answer) {
		for _, r := range a.Readings {
			if r.Name != "quantiles" && r.Name != "cdf" { // these are of an exact answer with rows
				all = append(all, r.Answer)
			}
		}
		return all
	}
	for name, c := range map[string]struct {
		spec Spec
		form string
		of   func(Answer) []Answer
	}{
		"tables":         {tables, "residuals", readings},
		"prefix sums":    {sumsSpec(60, Bounds{MaxRows: 1}), "prefix", readings},
		"cells of sums":  {sumsSpec(60, Bounds{MaxRows: 1}), "prefix", func(a Answer) []Answer { return []Answer{a} }},
		"sums of a tree": {sumsSpec(60, Bounds{MaxRows: 20, MaxRowsPerGroup: 1}), "tree", readings},
		"sums of cells":  {sumsSpec(3, Bounds{MaxRows: 20, MaxRowsPerGroup: 1}), "cells", readings},
		"24 of 24": {sharedSpec(24, Bounds{MaxGroups: 24, MaxRowsPerGroup: 1}), "shared",
			func(a Answer) []Answer { return []Answer{a} }},
		"50 of 100": {sharedSpec(100, Bounds{MaxGroups: 50, MaxRowsPerGroup: 1}), "shared",
			func(a Answer) []Answer { return []Answer{a} }},
		"3 of 24": {sharedSpec(24, Bounds{MaxGroups: 3, MaxRowsPerGroup: 1}), "shared",
			func(a Answer) []Answer { return []Answer{a} }},
	} {
		q := makeQuery[Query](t, c.spec)
		components, ms := calibrated(t, q)
		if stated, err := q.(Strategic).Strategy(AddRemove, ms); err != nil || stated.Name != c.form {
			t.Fatalf("%s: %s, %v", name, stated.Name, err)
		}
		coverOf(t, name, q, components, ms, c.of)
	}
}

func coverOf(t *testing.T, name string, q Query, components []Component, ms []calibrate.Mechanism,
	of func(Answer) []Answer) {
	t.Helper()
	const errors, tolerance = 6, 0.003
	long := os.Getenv("DPRELEASE_LONG") == "1"
	draws := 400
	if long {
		draws = 1 << 20
	}
	r := rand.New(rand.NewPCG(11, 5))
	sum, squares, n := 0.0, 0.0, 0
	within := func() (mean, reach float64) {
		mean = sum / float64(n)
		return mean, errors * math.Sqrt(max(squares/float64(n)-mean*mean, 0)/float64(n-1))
	}
	for n < draws {
		noisy := noiseOf(t, r, components, ms)
		a, err := q.Finish(t.Context(), noisy, noisy)
		if err != nil {
			t.Fatal(err)
		}
		x := coverage(of(a)...)
		sum, squares, n = sum+x, squares+x*x, n+1
		if _, reach := within(); long && n >= 1000 && reach < tolerance {
			break
		}
	}
	mean, reach := within()
	if long {
		reach = tolerance
	}
	if math.Abs(mean-0.95) > reach {
		t.Errorf("%s: %.5f are in their intervals, of %d draws, ± %.5f", name, mean, n, reach)
	}
	t.Logf("%s: %.5f are in their intervals, of %d draws, ± %.5f", name, mean, n, reach)
}

// If cells have common noise, at least 95 % of the intervals of medians and cumulative fractions contain the exact
// value. The tolerance is 6 standard errors over the draws, so the test fails by chance once in 10^9.
func TestSharedReadingsCover(t *testing.T) {
	const n, draws, rows = 20, 600, 2000.0
	q := mustShare(t, sharedEdges(n, Bounds{MaxGroups: 2 * n, MaxRowsPerGroup: 1}))
	components, ms := calibrated(t, q)
	r := rand.New(rand.NewPCG(4, 4))
	covered, all := 0, 0
	for range draws {
		noisy := noiseAround(t, r, components, ms, rows)
		a, err := q.Finish(t.Context(), noisy, noisy)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range a.Readings {
			low, high := make([]float64, x.Answer.Cells), make([]float64, x.Answer.Cells)
			x.Answer.Low(0, low)
			x.Answer.High(0, high)
			for i := range low {
				want := n / 2.0 // the median of cells with as many rows each
				if x.Name == "cdf" {
					want = float64(i%n+1) / n
				}
				if all++; low[i] <= want && want <= high[i] {
					covered++
				}
			}
		}
	}
	if share := float64(covered) / float64(all); share < 0.95-6*math.Sqrt(0.95*0.05/draws) {
		t.Errorf("%.4f are in their intervals", share)
	}
}

// If cells have common noise, the intervals of cumulative fractions take the covariance of the cells into account. Let
// A be the noisy number of rows below an edge, and B above it. At an end F of the interval, (1 − F)·A − F·B is 1.96 of
// its standard deviations from 0.
func TestSharedReadingsTakeTheCovariance(t *testing.T) {
	const n = 20
	q := mustShare(t, sharedEdges(n, Bounds{MaxGroups: 2 * n, MaxRowsPerGroup: 1}))
	components, ms := calibrated(t, q)
	groups := components[0].Cells / n              // the last key of a cell
	values := make([]float64, components[0].Cells) // most rows are in the first cells, and no noise disorders their sums
	for i := range values {
		values[i] = math.Round(2000*math.Exp(-float64(i/groups)/4)) * max(1, ms[0].Grid)
	}
	noisy := []mechanism.Noisy{mechanismtest.Make(t, ms[0], values), mechanismtest.Make(t, ms[1], []float64{0})}
	a, err := q.Finish(t.Context(), noisy, noisy)
	if err != nil {
		t.Fatal(err)
	}
	each, common := q.Form.Variances(ms[0].Deviation(), ms[1].Deviation())
	ends := 0
	for _, r := range a.Readings {
		if r.Name != "cdf" {
			continue
		}
		for _, end := range []query.Series{r.Answer.Low, r.Answer.High} {
			fractions := make([]float64, r.Answer.Cells)
			end(0, fractions)
			for i, f := range fractions {
				x, sum, squares := 0.0, 0.0, 0.0
				for k := range n {
					weight := -f
					if k <= i%n {
						weight = 1 - f
					}
					x += weight * values[k*groups+i/n]
					sum += weight
					squares += weight * weight
				}
				if f <= 0 || f >= 1 {
					continue
				}
				ends++
				if z := math.Abs(x) / math.Sqrt(each*squares+common*sum*sum); math.Abs(z/calibrate.Z95-1) > 1e-4 {
					t.Errorf("cell %d: the end %g is %g deviations away", i, f, z)
				}
			}
		}
	}
	if ends < 2*n {
		t.Errorf("%d ends between 0 and 1", ends)
	}
}

// Recover reads both noisy components back from the released columns.
func TestRecoverShared(t *testing.T) {
	q := mustShare(t, sharedEdges(20, Bounds{MaxGroups: 40, MaxRowsPerGroup: 1}))
	c, grids := mustRecover(t, q, AddRemove)
	c.Extra[1][0] = math.NaN()
	if _, err := q.Recover(c, grids); err == nil {
		t.Error("an answer without the number of units is read")
	}
}

// Each problem of a histogram with common noise is reported at its path. Under replace-one, and if each row is a unit,
// the noise of the cells is independent.
func TestSharedProblems(t *testing.T) {
	all := Bounds{MaxGroups: 9, MaxRowsPerGroup: 1}
	s := sharedSpec(9, all)
	s.Declared = 100
	_, err := New(s)
	if found := problem.Errors(err); len(found) == 0 || !strings.Contains(found[0].Message, "sensitivities of their own") {
		t.Errorf("%v", err)
	}
	s = sharedSpec(9, all)
	s.By[0].As = "noisy_units"
	if _, err := New(s); err == nil {
		t.Error("two columns noisy_units")
	}
	s = sharedSpec(9, all)
	s.CommonNoise = ReplaceOne
	q := makeQuery[*kinds.IndependentNoise](t, s)
	stated, err := q.Strategy(ReplaceOne, []calibrate.Mechanism{{Sens: calibrate.Sensitivity{L2: 3}, Sigma: 3,
		Grid: 1. / 16}})
	if err != nil || stated.Name != "cells" || stated.Others[1].Error <= stated.Others[0].Error {
		t.Errorf("%+v, %v", stated, err)
	}
	if cell, total := kinds.GainOfCommonNoise(q, ReplaceOne); cell != 1 || total != 1 {
		t.Errorf("gains %g, %g", cell, total)
	}
	s = sharedSpec(9, all)
	s.Unit = nil
	makeQuery[*kinds.IndependentNoise](t, s)
	if _, err := mustShare(t, sharedSpec(9, all)).Components(ReplaceOne); err == nil {
		t.Error("noise for add-remove is taken for replace-one")
	}
	if o, err := mustShare(t, sharedSpec(9, all)).Aggregation(
		table.Schema{Fields: []table.Field{{Name: "x", Type: table.Type{Kind: table.String}},
			{Name: "u", Type: table.Type{Kind: table.String}}}}); err != nil || !o.Units {
		t.Errorf("an engine is not asked how many units there are: %v", err)
	}
}
