package queries

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/queries/quantize"
	"github.com/dprelease/dprelease/queries/query"
)

// Coverage of every kind
//
// Each kind is released many times, in the way of a run: rows are added up, noise for epsilon 1 and delta 1e-6 is
// charged and added, and the answer is computed. 94 to 96 % of the stated 95 % intervals must contain the exact bounded
// answer, and totals of estimates must have no bias. If the noise of cells is independent, each cell counts as a case;
// otherwise only one cell of each run does. Other files test delta 0 (pure_test.go), clamps and bounds that are found
// (pipeline/clampsearch), and estimates that are made non-negative (kinds/crosstabsbias_test.go).

// drawTable draws a table. It also returns the exact answer by cell, under the key "", and the exact answers of the
// query's readings, under their names.
type drawTable = func(r *rand.Rand) (*testTable, map[string][]float64)

// simulated is a kind of query with a table whose answer is known.
type simulated struct {
	name  string
	spec  Spec
	table drawTable
	// dependent is set if the noise of the cells is not independent.
	dependent bool
	// apart is set if the cells cannot be added up, such as means. Then the bias is tested for each cell instead of for
	// totals of 20 cells.
	apart bool
	// pure is set if delta is 0.
	pure bool
	// most is the largest accepted fraction of intervals that contain the truth, for kinds whose intervals are wider than
	// necessary; 0 stands for 0.96.
	most float64
	// long is set if the kind needs many rows, so that it is tested only with DPRELEASE_LONG=1.
	long bool
}

// intColumns makes a table of integers, column by column.
func intColumns(names []string, columns ...[]int64) *testTable {
	tab := &testTable{}
	for _, name := range names {
		tab.fields = append(tab.fields, table.Field{Name: name, Type: table.Type{Kind: table.Int}})
	}
	for i := range columns[0] {
		var row []value
		for _, c := range columns {
			row = append(row, value{n: c[i]})
		}
		tab.rows = append(tab.rows, row)
	}
	return tab
}

// groupsOfRun is the number of groups of a simulated table.
const groupsOfRun = 500

var (
	groupColumn = domain.Dimension{Column: "g", Labels: numbered(groupsOfRun)}
	cellEdges   = []string{"0", "2", "4", "6", "8", "10", "12", "14", "16"}
	personal    = []string{"u"}
)

// groupedValues returns a function that draws tables: each group has this many rows, with values from 0 to 19. The
// exact answer of a group is the result of of, given the group's sum, sum of squares and number of rows.
func groupedValues(rows int, of func(sum, squares, n float64) float64) drawTable {
	return func(r *rand.Rand) (*testTable, map[string][]float64) {
		var g, x []int64
		truth := make([]float64, groupsOfRun)
		for i := range truth {
			sum, squares := 0.0, 0.0
			for range rows {
				v := r.Int64N(r.Int64N(20) + 1)
				g, x = append(g, int64(i)), append(x, v)
				sum, squares = sum+float64(v), squares+float64(v*v)
			}
			truth[i] = of(sum, squares, float64(rows))
		}
		return intColumns([]string{"g", "x"}, g, x), map[string][]float64{"": truth}
	}
}

// spreadValues returns a function that draws tables: each group has this many rows, whose values have a falling
// density. The exact quantiles, and the exact fractions and numbers of rows below each edge, are computed from the
// values themselves, not from the cells.
func spreadValues(groups, rows int) drawTable {
	return func(r *rand.Rand) (*testTable, map[string][]float64) {
		tab := &testTable{fields: []table.Field{{Name: "g", Type: table.Type{Kind: table.Int}},
			{Name: "x", Type: table.Type{Kind: table.Float}}}}
		truth := map[string][]float64{}
		for g := range groups {
			values := make([]float64, rows)
			for i := range values {
				values[i] = 16 * min(r.Float64(), r.Float64())
				tab.rows = append(tab.rows, []value{{n: int64(g)}, {x: values[i]}})
			}
			slices.Sort(values)
			below := 0
			for edge := 2.0; edge <= 16; edge += 2 {
				before := below
				for below < rows && values[below] < edge {
					below++
				}
				truth[""] = append(truth[""], float64(below-before))
				truth["sums"] = append(truth["sums"], float64(below))
				truth["cdf"] = append(truth["cdf"], float64(below)/float64(rows))
			}
			for _, q := range []float64{0.1, 0.5, 0.9} {
				truth["quantiles"] = append(truth["quantiles"], values[int(q*float64(rows))])
			}
		}
		return tab, truth
	}
}

func readByGroup(groups int, sums bool) Spec {
	by := []domain.Dimension{{Column: "g", Labels: numbered(groups)}, {Column: "x", Edges: cellEdges}}
	return Spec{Kind: Histogram, By: by, Read: Read{Quantiles: []string{"0.1", "0.5", "0.9"}, CDF: true, Sums: sums}}
}

// weights describes a column of row weights, clamped to [0, 5].
var weights = &quantize.Value{Columns: []string{"w"}, Lo: "0", Hi: "5"}

func withWeights(s Spec) Spec {
	s.Value = weights
	return s
}

// even draws a weight from 0 to 7, which may exceed the clamp.
func even(r *rand.Rand) float64 { return 7 * r.Float64() }

// skewed draws a weight that is usually far below the clamp, and exceeds it in 1 of 70 cases.
func skewed(r *rand.Rand) float64 { return math.Exp(1.2*r.NormFloat64() - 1) }

// weighted returns a function that draws tables: each group has this many rows with values and weights. The exact
// answer of a group is its weighted mean if of is 1, otherwise its sum of weights.
func weighted(of, rows int, weight func(*rand.Rand) float64) drawTable {
	return func(r *rand.Rand) (*testTable, map[string][]float64) {
		tab := &testTable{}
		for _, name := range []string{"g", "x", "w"} {
			tab.fields = append(tab.fields, table.Field{Name: name, Type: table.Type{Kind: table.Float}})
		}
		tab.fields[0].Type.Kind = table.Int
		truth := make([]float64, groupsOfRun)
		for g := range truth {
			sums := [2]float64{}
			for range rows {
				x, w := float64(r.IntN(r.IntN(20)+1)), weight(r)
				tab.rows = append(tab.rows, []value{{n: int64(g)}, {x: x}, {x: w}})
				sums[0], sums[1] = sums[0]+min(w, 5), sums[1]+min(w, 5)*x
			}
			if truth[g] = sums[0]; of == 1 {
				truth[g] = sums[1] / sums[0]
			}
		}
		return tab, map[string][]float64{"": truth}
	}
}

// growing draws a weight that grows with the value, and is near the clamp.
func growing(r *rand.Rand, x float64) float64 { return 3.5 + r.Float64() + x/32 }

// skewedAgain draws a weight as skewed does and clamps it. It ignores the value.
func skewedAgain(r *rand.Rand, _ float64) float64 { return min(skewed(r), 5) }

// weightedSpread returns a function that draws tables: each group has n rows with weights, whose values have a falling
// density. The exact answers are sums of weights by cell, and weighted fractions and quantiles. Intervals of quantiles
// are too wide if most weights are far below their clamp.
func weightedSpread(n int, weight func(r *rand.Rand, x float64) float64) drawTable {
	return func(r *rand.Rand) (*testTable, map[string][]float64) {
		tab := &testTable{fields: []table.Field{{Name: "g", Type: table.Type{Kind: table.Int}},
			{Name: "x", Type: table.Type{Kind: table.Float}}, {Name: "w", Type: table.Type{Kind: table.Float}}}}
		truth := map[string][]float64{}
		for g := range groupsOfRun {
			cells, total := make([]float64, 8), 0.0
			type row struct{ x, w float64 }
			var rows []row
			for range n {
				x := 16 * min(r.Float64(), r.Float64())
				w := weight(r, x)
				rows = append(rows, row{x, w})
				tab.rows = append(tab.rows, []value{{n: int64(g)}, {x: x}, {x: w}})
				cells[int(x/2)] += w
				total += w
			}
			truth[""] = append(truth[""], cells...)
			below := 0.0
			for _, w := range cells {
				below += w
				truth["cdf"] = append(truth["cdf"], below/total)
			}
			slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.x, b.x) })
			for _, q := range []float64{0.1, 0.5, 0.9} {
				below := 0.0
				for _, a := range rows {
					if below += a.w; below >= q*total {
						truth["quantiles"] = append(truth["quantiles"], a.x)
						break
					}
				}
			}
		}
		return tab, truth
	}
}

// unitsOfRows draws a table of 300 persons with 1 to 5 rows each. The exact answer is the number of persons with more
// than 2 rows.
func unitsOfRows(r *rand.Rand) (*testTable, map[string][]float64) {
	var u, g []int64
	over := 0.0
	for person := range int64(300) {
		n := 1 + r.IntN(5)
		for range n {
			u, g = append(u, person), append(g, r.Int64N(4))
		}
		if n > 2 {
			over++
		}
	}
	return intColumns([]string{"u", "g"}, u, g), map[string][]float64{"": {over}}
}

// inThreeColumns draws a table with three columns. The exact answers are the marginals by one and by two of them.
func inThreeColumns(r *rand.Rand) (*testTable, map[string][]float64) {
	const rows = 3000
	columns := make([][]int64, 3)
	truth := map[string][]float64{"a": make([]float64, 3), "b": make([]float64, 4), "c": make([]float64, 5),
		"a.b": make([]float64, 12), "a.c": make([]float64, 15), "b.c": make([]float64, 20)}
	for range rows {
		a, b, c := r.IntN(3), r.IntN(4), r.IntN(5)
		for i, x := range []int{a, b, c} {
			columns[i] = append(columns[i], int64(x))
		}
		truth["a"][a]++
		truth["b"][b]++
		truth["c"][c]++
		truth["a.b"][a*4+b]++
		truth["a.c"][a*5+c]++
		truth["b.c"][b*5+c]++
	}
	return intColumns([]string{"a", "b", "c"}, columns...), truth
}

// inThreeColumnsAndTogether does the same as inThreeColumns, and also returns the counts by all three columns.
func inThreeColumnsAndTogether(r *rand.Rand) (*testTable, map[string][]float64) {
	tab, truth := inThreeColumns(r)
	together := make([]float64, 60)
	for _, row := range tab.rows {
		together[(row[0].n*4+row[1].n)*5+row[2].n]++
	}
	truth["a.b.c"] = together
	return tab, truth
}

// simulations returns the kinds of query to test.
func simulations() []simulated {
	counts := func(r *rand.Rand) (*testTable, map[string][]float64) {
		var g []int64
		truth := make([]float64, groupsOfRun)
		for i := range truth {
			truth[i] = float64(r.IntN(30))
			for range int(truth[i]) {
				g = append(g, int64(i))
			}
		}
		return intColumns([]string{"g"}, g), map[string][]float64{"": truth}
	}
	total := func(r *rand.Rand) (*testTable, map[string][]float64) {
		n := r.IntN(100)
		return intColumns([]string{"g"}, make([]int64, n+1)), map[string][]float64{"": {float64(n + 1)}}
	}
	hours := func(r *rand.Rand) (*testTable, map[string][]float64) {
		var u, g []int64
		truth := make([]float64, 24)
		for person := range int64(100) {
			for hour := range int64(24) {
				if r.IntN(2) == 0 {
					u, g = append(u, person), append(g, hour)
					truth[hour]++
				}
			}
		}
		return intColumns([]string{"u", "g"}, u, g), map[string][]float64{"": truth}
	}
	three := []domain.Dimension{{Column: "a", Labels: numbered(3)}, {Column: "b", Labels: numbered(4)}, {Column: "c",
		Labels: numbered(5)}}
	values := &quantize.Value{Columns: []string{"x"}, Lo: "0", Hi: "20"}
	group := []domain.Dimension{groupColumn}
	sum := groupedValues(30, func(sum, _, _ float64) float64 { return sum })
	mean := groupedValues(150, func(sum, _, n float64) float64 { return sum / n })
	variance := groupedValues(300, func(sum, squares, n float64) float64 { return squares/n - sum*sum/n/n })
	over := Spec{Kind: query.OverBound, Unit: personal, Bounds: Bounds{MaxRows: 2}}
	common := Spec{Kind: Histogram, Unit: personal, CommonNoise: AddRemove,
		Bounds: Bounds{MaxGroups: 24, MaxRowsPerGroup: 1}, By: []domain.Dimension{{Column: "g", Labels: numbered(24)}}}
	tables := Spec{Kind: Crosstab, By: three, Crosstabs: &Crosstabs{Ways: []int{1, 2}}}
	whole := tables
	whole.Crosstabs = &Crosstabs{Ways: []int{1, 2}, Nonnegative: true, RoundTo: 1}
	cube := tables
	cube.Crosstabs = &Crosstabs{Ways: []int{1, 2, 3}, Nonnegative: true, RoundTo: 5}
	weightedCounts := Spec{Kind: Histogram, Value: weights, By: group}
	weightedMeans := Spec{Kind: Mean, Value: &quantize.Value{Columns: []string{"x"}, Lo: "0", Hi: "20", Weight: weights},
		By: group}
	weightedQuantiles := withWeights(readByGroup(groupsOfRun, false))
	return []simulated{
		{name: "count", spec: Spec{Kind: Count}, table: total},
		{name: "histogram", spec: Spec{Kind: Histogram, By: group}, table: counts},
		{name: "units over a bound", spec: over, table: unitsOfRows},
		{name: "sums", spec: Spec{Kind: Sum, Value: values, By: group}, table: sum},
		{name: "means", spec: Spec{Kind: Mean, Value: values, By: group}, table: mean, apart: true},
		{name: "weighted histogram", spec: weightedCounts, table: weighted(0, 30, even)},
		{name: "weighted means", spec: weightedMeans, table: weighted(1, 150, even), apart: true},
		{name: "weighted quantiles", spec: weightedQuantiles, table: weightedSpread(300, growing)},
		{name: "skewed weights", spec: weightedCounts, table: weighted(0, 30, skewed)},
		{name: "means by skewed weights", spec: weightedMeans, table: weighted(1, 600, skewed), apart: true, long: true},
		{name: "quantiles by skewed weights", spec: weightedQuantiles, table: weightedSpread(600, skewedAgain), most: 0.99,
			long: true},
		{name: "histogram with delta 0", spec: Spec{Kind: Histogram, By: group}, table: counts, pure: true, most: 0.98},
		{name: "sums with delta 0", spec: Spec{Kind: Sum, Value: values, By: group}, table: sum, pure: true},
		{name: "means with delta 0", spec: Spec{Kind: Mean, Value: values, By: group}, table: mean, apart: true, pure: true},
		{name: "skewed weights with delta 0", spec: weightedCounts, table: weighted(0, 30, skewed), pure: true},
		{name: "means by skewed weights with delta 0", spec: weightedMeans, table: weighted(1, 600, skewed), apart: true,
			pure: true, long: true},
		{name: "quantiles by skewed weights with delta 0", spec: weightedQuantiles, table: weightedSpread(600, skewedAgain),
			pure: true, most: 0.99, long: true},
		{name: "variances", spec: Spec{Kind: Variance, Value: values, By: group}, table: variance, apart: true},
		{name: "quantiles of narrow noise", spec: readByGroup(groupsOfRun, false), table: spreadValues(groupsOfRun, 800)},
		{name: "quantiles of wide noise", spec: readByGroup(groupsOfRun, false), table: spreadValues(groupsOfRun, 150)},
		{name: "ordered sums", spec: readByGroup(4, true), table: spreadValues(4, 800), dependent: true},
		{name: "common noise", spec: common, table: hours, dependent: true},
		{name: "crosstabs", spec: tables, table: inThreeColumns, dependent: true},
		{name: "crosstabs of integers", spec: whole, table: inThreeColumns, dependent: true},
		{name: "crosstabs of multiples of 5", spec: cube, table: inThreeColumnsAndTogether, dependent: true},
	}
}

// drawn answers a query with noise for epsilon 1, by the same steps as a run.
func drawn(tb testing.TB, delta calibrate.Delta, q Query, tab *testTable) Answer {
	tb.Helper()
	components, err := q.Components(AddRemove)
	if err != nil {
		tb.Fatal(err)
	}
	var asks []calibrate.Ask
	var pure []calibrate.PureAsk
	for _, p := range components {
		asks = append(asks, calibrate.Ask{Query: "q" + p.Name, Sens: p.Sens, Weight: p.Weight, Quantum: p.Quantum,
			RowBound: p.RowBound})
		pure = append(pure, calibrate.PureAsk{Query: "q" + p.Name, Why: p.WhyL1, L1: p.L1, Cost: p.Cost, Quantum: p.Quantum,
			RowBound: p.RowBound})
	}
	var ms []calibrate.Mechanism
	if delta > 0 {
		ms, err = calibrate.SplitBudget(calibrate.Guarantee{Epsilon: 1, Delta: delta}, asks)
	} else {
		ms, err = calibrate.SplitPure(1, pure)
	}
	if err != nil {
		tb.Fatal(err)
	}
	receipt := ledgertest.Receipt(tb, ms...)
	var noisy []mechanism.Noisy
	for i, e := range hiddenBy(tb, q, tab, plainly(q, tab), nil) {
		n, err := mechanism.AddNoise(tb.Context(), e, receipt, ms[i], 1)
		if err != nil {
			tb.Fatal(err)
		}
		noisy = append(noisy, n)
	}
	a, err := q.Finish(context.Background(), noisy, noisy)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// caseCount counts intervals, and collects the errors of totals of estimates.
type caseCount struct {
	cases, held int       // the number of intervals, and of those that contain the truth
	totals      []float64 // the error of each total
	block       int       // the number of cells in a total
}

// add counts the intervals of all cells of a table or, if only is not negative, of one cell. It does not count an
// interval of length 0, such as the interval of the fraction of rows below the last edge.
func (c *caseCount) add(a *Answer, truth []float64, only int) {
	low, high, estimate := fill(a.Low, a.Cells), fill(a.High, a.Cells), fill(a.Estimate, a.Cells)
	total := 0.0
	for i, x := range truth {
		if total += estimate[i] - x; only < 0 && i%c.block == c.block-1 || i == len(truth)-1 {
			c.totals, total = append(c.totals, total), 0
		}
		if only >= 0 && i != only%len(truth) || low[i] == high[i] {
			continue
		}
		if c.cases++; low[i] <= x && x <= high[i] {
			c.held++
		}
	}
}

// check tests two properties. The fraction of intervals that contain the truth must be from 94 to 96 %, or from 94 % to
// highest if that is more. If there are few cases, the range is 6.1 standard errors to each side of 95 %. And the bias
// of totals must be below a tenth of their standard deviation, plus 6.1 standard errors; quantiles and fractions are
// not added up. Each of the two fails by chance with probability 1e-9.
func (c *caseCount) check(t *testing.T, name string, highest float64) {
	t.Helper()
	share, slack := float64(c.held)/float64(c.cases), max(0.01, 6.1*math.Sqrt(0.95*0.05/float64(c.cases)))
	mean, spread := meanAndSpread(c.totals)
	n := float64(len(c.totals))
	t.Logf("%-12s %6d intervals: %.4f hold; bias of %.0f totals %.3f deviations", name, c.cases, share, n, mean/spread)
	if highest = max(highest, 0.95+slack); share < 0.95-slack || share > highest {
		t.Errorf("%s: %.4f of the intervals hold the answer, want %.4f to %.4f", name, share, 0.95-slack, highest)
	}
	if strings.HasSuffix(name, "quantiles") || strings.HasSuffix(name, "cdf") {
		return
	}
	if n > 20 && math.Abs(mean) > (0.1+6.1/math.Sqrt(n))*spread {
		t.Errorf("%s: totals of estimates are off by %.3f on average, with a deviation of %.3f", name, mean, spread)
	}
}

// casesOf returns the number of intervals that are tested of a kind: 10,000 with DPRELEASE_LONG=1.
func casesOf(dependent bool) int {
	switch {
	case os.Getenv("DPRELEASE_LONG") != "":
		return 10_000
	case dependent:
		return 100
	}
	return 400
}

// For every kind of query, 94 to 96 % of the intervals contain the truth, and totals of estimates have no bias. See
// [caseCount.check].
func TestEveryKindCovers(t *testing.T) {
	owntest.Slow(t)
	for i, s := range simulations() {
		t.Run(s.name, func(t *testing.T) {
			if testing.Short() && s.dependent {
				t.Skip("many runs, which take long with the race detector")
			}
			if s.long && os.Getenv("DPRELEASE_LONG") == "" {
				t.Skip("set DPRELEASE_LONG=1 for kinds that need many rows")
			}
			s.spec.Name = "q"
			q, r := makeQuery[Query](t, s.spec), rand.New(rand.NewPCG(41, uint64(i)))
			all := map[string]*caseCount{}
			fewest := func() int {
				least := casesOf(s.dependent)
				for _, c := range all {
					least = min(least, c.cases)
				}
				return least
			}
			for run := 0; len(all) == 0 || fewest() < casesOf(s.dependent); run++ {
				tab, truth := s.table(r)
				a := drawn(t, map[bool]calibrate.Delta{false: 1e-6}[s.pure], q, tab)
				for _, reading := range append([]query.Reading{{Answer: a}}, a.Readings...) {
					want, ok := truth[reading.Name]
					if !ok && reading.Name == "" {
						continue // the noisy numbers from which crosstabs are computed
					}
					if len(want) != reading.Answer.Cells {
						t.Fatalf("%q has %d cells, want %d", reading.Name, reading.Answer.Cells, len(want))
					}
					if all[reading.Name] == nil {
						all[reading.Name] = &caseCount{block: map[bool]int{false: 20, true: 1}[s.apart]}
					}
					only := -1
					if s.dependent || reading.Name != "" {
						only = run
					}
					all[reading.Name].addGroups(&reading.Answer, want, only, s.dependent)
				}
			}
			for name, c := range all {
				c.check(t, s.name+" "+name, s.most)
			}
		})
	}
}

// The errors of counts, sums and sums of weights have the stated standard deviation, at a delta above 0 and at delta 0.
// So have means and weighted means in large groups. With DPRELEASE_LONG=1 the tolerance is 3 %. Otherwise there are
// fewer cases, and it is 6.1 standard errors for Laplace noise: the test fails by chance with probability 1e-9.
func TestErrorsAreAsStated(t *testing.T) {
	owntest.Slow(t)
	cases := 2_000
	if os.Getenv("DPRELEASE_LONG") != "" {
		cases = 60_000
	}
	slack := max(0.03, 6.1*math.Sqrt(5.0/4/float64(cases)))
	by, value := []domain.Dimension{groupColumn}, &quantize.Value{Columns: []string{"x"}, Lo: "0", Hi: "20"}
	for i, s := range []simulated{
		{name: "counts", spec: Spec{Kind: Histogram, By: by}, table: groupedValues(2, func(_, _, n float64) float64 { return n })},
		{name: "sums", spec: Spec{Kind: Sum, Value: value, By: by},
			table: groupedValues(2, func(sum, _, _ float64) float64 { return sum })},
		{name: "weights", spec: Spec{Kind: Histogram, Value: weights, By: by}, table: weighted(0, 2, even)},
		{name: "means", spec: Spec{Kind: Mean, Value: value, By: by},
			table: groupedValues(300, func(sum, _, n float64) float64 { return sum / n })},
		{name: "weighted means", spec: Spec{Kind: Mean, Value: &quantize.Value{Columns: []string{"x"}, Lo: "0", Hi: "20",
			Weight: weights}, By: by}, table: weighted(1, 300, even)},
	} {
		s.spec.Name = "q"
		q, r := makeQuery[Query](t, s.spec), rand.New(rand.NewPCG(47, uint64(i)))
		for _, delta := range []calibrate.Delta{1e-6, 0} {
			squares := 0.0
			for range cases / groupsOfRun {
				tab, truth := s.table(r)
				a := drawn(t, delta, q, tab)
				noisy, stated := fill(a.Noisy, a.Cells), fill(a.Sigma, a.Cells)
				for cell, x := range truth[""] {
					z := (noisy[cell] - x) / stated[cell]
					squares += z * z
				}
			}
			ratio := math.Sqrt(squares / float64(cases))
			t.Logf("%-14s delta %-5g %.4f of the stated deviation", s.name, delta, ratio)
			if math.Abs(ratio-1) > slack {
				t.Errorf("%s, delta %g: errors are %.4f of the stated deviation, want 1 ± %.3f", s.name, delta, ratio, slack)
			}
		}
	}
}

// addGroups does the same as add, for readings of many groups. The noise of different groups is independent, so it
// counts one row of each group.
func (c *caseCount) addGroups(a *Answer, truth []float64, only int, dependent bool) {
	if only < 0 || dependent {
		c.add(a, truth, only)
		return
	}
	rows := len(truth) / groupsOfRun
	for g := range groupsOfRun {
		at := g * rows
		part := Answer{Cells: rows}
		for _, x := range []struct{ to, from *Series }{{&part.Low, &a.Low}, {&part.High, &a.High}, {&part.Estimate,
			&a.Estimate}} {
			from := *x.from
			*x.to = func(start int, dst []float64) { from(at+start, dst) }
		}
		c.add(&part, truth[at:at+rows], only+g)
	}
}

// 94 to 96 % of the intervals of selected keys contain the key's count, whether it is near the threshold or far above
// it. The same holds for sums and means by these keys.
func TestDiscoveredKeysCover(t *testing.T) {
	const keys, each = 300, 12
	r := rand.New(rand.NewPCG(43, 1))
	leader := Spec{Name: "h", Kind: Histogram, Unit: personal, Bounds: Bounds{MaxGroups: 1},
		By: []domain.Dimension{{Column: "key", Discover: true}}}
	follower := Spec{Name: "q", Kind: Sum, Unit: personal, Bounds: Bounds{MaxGroups: 1, MaxRowsPerGroup: 1}, By: leader.By,
		Leader: &Leader{Name: "h", Dims: 1}, Value: &quantize.Value{Columns: []string{"x"}, Lo: "0", Hi: "20"}}
	means := follower
	means.Kind = Mean
	counts, sums, quotients := &caseCount{block: 20}, &caseCount{block: 20}, &caseCount{block: 1}
	for counts.cases < casesOf(false) {
		var u, key, x []int64
		size, sum := map[string]float64{}, map[string]float64{}
		for k := range int64(keys) {
			name, n := strconv.FormatInt(k, 10), each+r.IntN(120)
			size[name] = float64(n)
			for range n {
				v := r.Int64N(20)
				u, key, x = append(u, int64(len(u))), append(key, k), append(x, v)
				sum[name] += float64(v)
			}
		}
		tab := intColumns([]string{"u", "key", "x"}, u, key, x)
		selected := selectedCounts(t, mustDiscover(t, leader), tab)
		a, err := makeQuery[Query](t, leader).Finish(t.Context(), selected, selected)
		if err != nil {
			t.Fatal(err)
		}
		byKey := func(a *Answer, of func(string) float64) (truth []float64) {
			for i := range a.Cells {
				truth = append(truth, of(strings.Trim(labelOf(a.Keys[0], i), `"`)))
			}
			return truth
		}
		counts.add(&a, byKey(&a, func(k string) float64 { return size[k] }), -1)
		for _, f := range []struct {
			s  Spec
			c  *caseCount
			of func(k string) float64
		}{{follower, sums, func(k string) float64 { return sum[k] }},
			{means, quotients, func(k string) float64 { return sum[k] / size[k] }}} {
			b := answeredByKeys(t, makeQuery[*kinds.ByKeys](t, f.s), tab, selected[0])
			f.c.add(&b, byKey(&b, f.of), -1)
		}
	}
	counts.check(t, "keys", 0)
	sums.check(t, "sums by keys", 0)
	quotients.check(t, "means by keys", 0)
}

// selectedCounts selects keys at epsilon 1, as a run does.
func selectedCounts(tb testing.TB, q Query, tab *testTable) []mechanism.Noisy {
	tb.Helper()
	components, err := q.Components(AddRemove)
	if err != nil {
		tb.Fatal(err)
	}
	m := calibrate.Mechanism{Query: "h", Sens: components[0].Sens, Sigma: 5, Grid: 0.25}
	s := calibrate.KeySelection{Mechanism: m, Keys: components[0].Keys, Failure: 1e-7}
	n, err := mechanism.SelectKeys(tb.Context(), hiddenBy(tb, q, tab, plainly(q, tab), nil)[0],
		ledgertest.ShareReceipt(tb, "1e-7", m), s, 1)
	if err != nil {
		tb.Fatal(err)
	}
	return []mechanism.Noisy{n}
}

// answeredByKeys adds values up by selected keys, as a run does.
func answeredByKeys(tb testing.TB, q *kinds.ByKeys, tab *testTable, selected mechanism.Noisy) Answer {
	tb.Helper()
	components, err := q.Components(AddRemove)
	if err != nil {
		tb.Fatal(err)
	}
	var noisy []mechanism.Noisy
	for i, e := range hiddenBy(tb, q, tab, plainly(q, tab), nil) {
		m := calibrate.Mechanism{Query: "q" + components[i].Name, Sens: components[i].Sens,
			Sigma: calibrate.Sigma(4 * components[i].Sens.L2), Grid: 0.25}
		if e, err = e.ForKeys(selected); err != nil {
			tb.Fatal(err)
		}
		n, err := mechanism.AddNoise(tb.Context(), e, ledgertest.Receipt(tb, m), m, 1)
		if err != nil {
			tb.Fatal(err)
		}
		noisy = append(noisy, n)
	}
	bound, err := q.WithKeys(selected.Keys())
	if err != nil {
		tb.Fatal(err)
	}
	a, err := bound.Finish(context.Background(), noisy, noisy)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}
