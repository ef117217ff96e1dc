package report

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/report/picture"
)

// These tests read numbers, names and places back from the page's texts and pictures, for small tables with known
// answers, and compare them with the manifest and the tables.

// stated returns a manifest of some queries, with a job of their kinds.
func stated(queries ...manifest.Query) *manifest.Manifest {
	m := &manifest.Manifest{Name: "r"}
	m.Privacy.Epsilon, m.Privacy.Delta, m.Privacy.Mu = 1, 1e-6, math.Sqrt(5)
	m.Privacy.Unit = []string{"member"}
	m.Job = json.RawMessage(`{"name": "r", "queries": [
		{"name": "one", "count": {}},
		{"name": "by", "histogram": {"by": [{"column": "kind"}, {"column": "day", "edges": [0, 2, 6]}]}},
		{"name": "over", "unit": "members", "count": {"measure": "units_over_bound"}}]}`)
	m.Queries = queries
	return m
}

// gaussian returns a query of one Gaussian mechanism.
func gaussian(name, kind string, cells int, l2, sigma float64) manifest.Query {
	return manifest.Query{Name: name, Kind: kind, Cells: cells, Mechanisms: []manifest.Mechanism{{Noise: "Gaussian",
		Sensitivity: manifest.Sensitivity{L2: l2, Why: "each member adds at most 2 rows: 2"}, Sigma: sigma, Grid: 0.25,
		StandardDeviation: math.Hypot(sigma, 0.25/math.Sqrt(12)), Mu: l2 / sigma}}}
}

// The fractions of the budget are by mu²; deviations, half-widths and sensitivities come from the manifest.
func TestSharesAreReadBack(t *testing.T) {
	f := factsOf(stated(gaussian("one", "count", 1, 2, 2), gaussian("by", "histogram", 4, 2, 1)))
	v, err := f.view(&pageData{})
	if err != nil {
		t.Fatal(err)
	}
	// mu is 1 and 2, so that mu² is 1 and 4. Half-widths are 1.95996·hypot(sigma, 1/(4·sqrt(12))), rounded up.
	want := []shareView{
		{"one", "20.0 %", "2", "2.002", "3.923", "each member adds at most 2 rows: 2"},
		{"by", "80.0 %", "2", "1.003", "1.966", "each member adds at most 2 rows: 2"},
	}
	if !slices.Equal(v.Shares, want) {
		t.Errorf("%+v\nwant %+v", v.Shares, want)
	}
	half := 7.5
	m := stated(gaussian("one", "count", 1, 2, 2))
	m.Queries[0].HalfWidth, m.Queries[0].OverRows = &half, true
	if got := factsOf(m).queries[0].halfText(); got != "7.5 / rows" {
		t.Errorf("a half-width that is stated is shown as %q", got)
	}
	if got := f.queries[1].accuracy(); !strings.Contains(got, "deviation of 1.003 in") ||
		!strings.Contains(got, "within 1.966 of") {
		t.Errorf("the accuracy is %q", got)
	}
}

// The sum of k cells with common noise has the deviation sqrt(k·v + k²·c), the difference of two cells sqrt(2·v).
func TestCommonNoiseIsReadBack(t *testing.T) {
	q := queryFacts{cells: 10, sums: &manifest.SumsOfCells{Each: 8, Common: 0.5}}
	want := "the sum of all 10 cells has a standard deviation of 11.41, and the difference of two cells one of 4. That " +
		"of the sum of k cells is the square root of 8·k + 0.5·k²."
	if got := q.sharing(); !strings.Contains(got, want) {
		t.Errorf("%q", got)
	}
}

// tailOf returns the probability that geometric noise is at least from multiples of its grid, summed term by term.
func tailOf(m calibrate.Mechanism, from int) (p float64) {
	q := math.Exp(-m.Grid / m.Scale)
	for k := from; k < from+4000; k++ {
		p += (1 - q) / (1 + q) * math.Pow(q, math.Abs(float64(k)))
	}
	return p
}

// The noise threshold is the least multiple that the largest of some cells of geometric noise alone exceeds with at
// most 5 %; of Gaussian and Laplace noise it is exceeded with exactly 5 %.
func TestThresholdsHoldTheirProbability(t *testing.T) {
	for _, scale := range []float64{0.3, 1, 5, 40} {
		for _, grid := range []float64{1, 0.5} {
			for _, cells := range []int{1, 3, 100} {
				m := calibrate.Mechanism{Noise: calibrate.Geometric, Scale: scale, Grid: grid}
				at := NoiseThresholdOf(m, cells)
				k := int(math.Round(at / grid))
				above := func(k int) float64 { return -math.Expm1(float64(cells) * math.Log1p(-tailOf(m, k+1))) }
				if above(k) > 0.05*(1+1e-9) || k > 0 && above(k-1) <= 0.05*(1-1e-9) {
					t.Errorf("scale %g, grid %g, %d cells: %g is exceeded with %g, the multiple below with %g", scale, grid, cells, at,
						above(k), above(k-1))
				}
				laplace := calibrate.Mechanism{Noise: "Laplace", Scale: scale, Grid: grid}
				p := math.Exp(-NoiseThresholdOf(laplace, cells)/scale) / 2
				if got := 1 - math.Pow(1-p, float64(cells)); math.Abs(got-0.05) > 1e-9 {
					t.Errorf("Laplace noise of scale %g in %d cells exceeds its threshold with %g", scale, cells, got)
				}
				z := NoiseThreshold(scale, cells) / scale
				if got := 1 - math.Pow(1-math.Erfc(z/math.Sqrt2)/2, float64(cells)); math.Abs(got-0.05) > 1e-9 {
					t.Errorf("Gaussian noise in %d cells exceeds its threshold with %g", cells, got)
				}
			}
		}
	}
	q := &queryFacts{kind: "histogram", cells: 100, deviation: 2, noise: calibrate.Mechanism{Sigma: 2}}
	text := q.standsOutText()
	for _, want := range []string{"above 3.29 with a probability of 5 %",
		"If all 100 cells were 0, the largest would be above 6.5"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
}

// known returns a table of two key columns with values that differ between cells, columns and ends: in cell i the
// estimate is 10·(i+1), the noisy value 1 more, the interval from 2 below to 3 above.
func known(name string, first, second []string) *Table {
	var estimate, noisy, low, high []float64
	for i := range len(first) * len(second) {
		x := float64(10 * (i + 1))
		estimate, noisy, low, high = append(estimate, x), append(noisy, x+1), append(low, x-2), append(high, x+3)
	}
	return &Table{Query: name, Cells: len(estimate), Keys: []domain.KeyColumn{
		{Name: "kind", Stride: len(second), Labels: domain.Labels{Strings: first}},
		{Name: "day_from", Stride: 1, Labels: domain.Labels{Floats: []float64{0, 2}[:len(second)]}},
		{Name: "day_to", Stride: 1, Labels: domain.Labels{Floats: []float64{2, 6}[:len(second)]}}},
		Values: []Column{{noisyColumn, heldSeries(noisy)}, {estimateColumn, heldSeries(estimate)},
			{"ci95_low", heldSeries(low)}, {"ci95_high", heldSeries(high)}}}
}

// Bars have the names, values and intervals of their cells; of many they are the 40 with the largest estimates, the
// largest first.
func TestBarsAreReadBack(t *testing.T) {
	for _, n := range []int{3, 50} {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("kind%02d", i))
		}
		table := known("by", names, []string{"x"})
		table.Keys = table.Keys[:1]
		m := stated(gaussian("by", "histogram", n, 1, 1))
		m.Job = json.RawMessage(`{"queries": [{"name": "by", "histogram": {"by": [{"column": "kind"}]}}]}`)
		f, err := Figure(m, []*Table{table}, "by", "")
		if err != nil {
			t.Fatal(err)
		}
		rows := f.Panels[0].(picture.Rows)
		if len(rows.Names) != min(n, 40) || len(f.Keys) != 3 || f.Keys[0].Name != "estimate (denoised)" ||
			f.Keys[1].Name != "noisy value" {
			t.Fatalf("%d names, keys %+v", len(rows.Names), f.Keys)
		}
		for at, name := range rows.Names {
			cell := at
			if n > 40 {
				cell = n - 1 - at
			}
			x := float64(10 * (cell + 1))
			bar, interval, noisy := rows.Marks[0], rows.Marks[1], rows.Marks[2]
			if name != names[cell] || bar.Values[at] != x || noisy.Values[at] != x+1 || interval.Low[at] != x-2 ||
				interval.High[at] != x+3 {
				t.Errorf("row %d is %s: %g, noisy %g, from %g to %g; want %s", at, name, bar.Values[at], noisy.Values[at],
					interval.Low[at], interval.High[at], names[cell])
			}
		}
	}
}

// A line goes through the middle of its cells, with the band of its interval, in the chart of its group. Cells of a
// heat map are at the places of their labels.
func TestLinesAndCellsAreReadBack(t *testing.T) {
	m := stated(gaussian("by", "histogram", 4, 1, 1))
	table := known("by", []string{"a", "b"}, []string{"x", "y"})
	f := factsOf(m)
	d := dataOf(f.find("by"), table, maxRows, f)
	g := &figure{d: &d, query: f.find("by"), two: true}
	lines := g.lines()
	for group, panel := range lines.Panels {
		chart := panel.(picture.Chart)
		line, noisy := chart.Lines[0], chart.Lines[1]
		x := float64(20*group + 10)
		want := fmt.Sprint([]string{"a", "b"}[group], []float64{1, 4}, []float64{x, x + 10}, []float64{x - 2, x + 8},
			[]float64{x + 3, x + 13}, []float64{x + 1, x + 11}, "day")
		if got := fmt.Sprint(chart.Title, line.X, line.Y, line.Low, line.High, noisy.Y, chart.X.Label); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if len(lines.Panels) != 2 {
		t.Errorf("%d charts", len(lines.Panels))
	}
	heat := g.heat()
	if len(heat.Panels) != 2 || heat.Ramp.Scale.Low != 0 || heat.Ramp.Scale.High != 40 {
		t.Fatalf("%d panels, scale %+v", len(heat.Panels), heat.Ramp.Scale)
	}
	for i, panel := range heat.Panels {
		cells := panel.(picture.Cells)
		title := []string{"Noisy values", "Estimates (denoised)"}[i]
		if cells.Title != title || cells.Scale != heat.Ramp.Scale {
			t.Errorf("panel %d is %q, scale %+v", i, cells.Title, cells.Scale)
		}
		for _, c := range cells.Cells {
			kind, day := c.X, c.Y
			if cells.X.Label == "day" {
				kind, day = c.Y, c.X
			}
			if want := float64(10*(2*kind+day+1) + 1 - i); c.Value != want {
				t.Errorf("%s %d, %s %d: %g, want %g", cells.X.Label, c.X, cells.Y.Label, c.Y, c.Value, want)
			}
		}
	}
}

// A sentence states the number of units over a bound, with the bound, the half-width and the unit.
func TestUnitsOverABoundAreReadBack(t *testing.T) {
	q := gaussian("over", "units_over_bound", 1, 1, 7)
	q.Mechanisms[0].Sensitivity.Why = "each member counts once if it has more than 3 rows: 1"
	m := stated(q)
	want := "About 1,235 ± 14 members had more than 3 rows: further rows of each are left out by this bound."
	if got := NewRemarks(m).Of(0, "", 1234.6); len(got) != 1 || got[0] != want {
		t.Errorf("%q", got)
	}
	if got := NewRemarks(m).Of(0, "", -5); !strings.HasPrefix(got[0], "About 0 ± 14 ") {
		t.Errorf("%q", got)
	}
	if got := factsOf(m).queries[0].question(factsOf(m)); got != "Members with more than 3 rows." {
		t.Errorf("%q", got)
	}
}

// The page's rest of a budget is the part of the cap's mu² that is not charged, rounded down.
func TestBudgetIsReadBack(t *testing.T) {
	m := stated(gaussian("one", "count", 1, 1, 1))
	m.Privacy.Scope.LedgerCap, m.Privacy.Scope.LedgerCharged = "mu 3: epsilon 10, delta 1e-5", "2"
	f := factsOf(m)
	if f.budget == nil || f.budget.left() != "77.7 %" { // 1 - 2/9
		t.Fatalf("%+v", f.budget)
	}
	// Phi(sqrt(2)/2) = 0.76024993…
	if got := strings.Join(f.budgetView(), " "); !strings.Contains(got, "77.7 % of it is left") ||
		!strings.Contains(got, "at most 76.03 % of the time") {
		t.Errorf("%q", got)
	}
	if got := wholePercent(f.budget.capMu2); got != "900 %" {
		t.Errorf("%q", got)
	}
}

// Numbers are rounded to the side that does not flatter.
func TestRoundingIsToTheSafeSide(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{spelling.Up(1.0001, 4), "1.001"}, {spelling.Up(12345, 2), "13,000"}, {spelling.Up(0.00012341, 4), "0.0001235"},
		{percentDown(0.29999), "29.9 %"}, {percentDown(1), "100.0 %"}, {short(-1234.4), "-1,235"},
		{spelling.Integer(1234567), "1,234,567"}, {spelling.Integer(999), "999"}, {spelling.Count(1, "row"), "1 row"},
		{spelling.Count(1000, "row"), "1,000 rows"}, {short(0), "0"}, {percentDown(0), "0.0 %"}, {percentDown(0.0004), "0.0 %"},
		{percentDown(-0.01234), "-1.3 %"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// Guesses are listed by belief, with how often they are right without the release: the larger of belief and disbelief.
// Alarms are listed in per cent.
func TestBeliefsAreReadBack(t *testing.T) {
	v := factsOf(stated(gaussian("one", "count", 1, 1, 1))).guaranteeView()
	var guesses, alarms []string
	for _, g := range v.Guesses {
		guesses = append(guesses, g[0]+" alone "+g[1])
	}
	for _, a := range v.Alarms {
		alarms = append(alarms, a[0])
	}
	if want := []string{"1 % alone 99 %", "10 % alone 90 %", "50 % alone 50 %", "90 % alone 90 %",
		"99 % alone 99 %"}; !slices.Equal(guesses,
		want) {
		t.Errorf("%q", guesses)
	}
	if want := []string{"0.1 %", "1 %", "5 %"}; !slices.Equal(alarms, want) {
		t.Errorf("%q", alarms)
	}
}

// The page says which cells of non-negative tables are biased, and says nothing of other tables.
func TestBiasOfNonnegativeTablesIsSaid(t *testing.T) {
	m := stated(gaussian("one", "crosstabs", 4, 1, 1))
	for _, c := range []struct{ strategy, key, want string }{
		{"", `"nonnegative": true`, "a large cell beside many of these too small"},
		{query.StrategyNested, `"nonnegative": true`, "others of their group too small"},
		{"", `"integers": true`, ""},
	} {
		m.Queries[0].Strategy = &manifest.Strategy{Name: c.strategy}
		m.Job = json.RawMessage(`{"queries": [{"name": "one", "crosstabs": {` + c.key + `}}]}`)
		if got := strings.Join(factsOf(m).limits(), " "); c.want != "" && !strings.Contains(got, c.want) ||
			c.want == "" && strings.Contains(got, "made non-negative") ||
			c.strategy != "" && strings.Contains(got, "right on average; a cell without rows") {
			t.Errorf("%s %s: %q", c.strategy, c.key, got)
		}
	}
}
