package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/report/picture"
)

// The page's sums of cells use the variance of one cell or, in a marginal, the variances of its residuals.
func TestSumsAreReadBack(t *testing.T) {
	q := gaussian("by", "histogram", 4, 1, 3)
	deviation := q.Mechanisms[0].StandardDeviation
	table := known("by", []string{"a", "b"}, []string{"x", "y"})
	table.Values = append(table.Values, Column{"standard_deviation", heldSeries(slices.Repeat([]float64{deviation}, 4))})
	table.Uniform = true
	f := factsOf(stated(q))
	d := dataOf(f.find("by"), table, maxRows, f)
	if s := sumsOf(&q, table, d.Table); s == nil || s.Variance != deviation*deviation || s.Common != 0 || s.Heavy {
		t.Errorf("%+v, want the variance %g", s, deviation*deviation)
	}
	cut := *d.Table
	cut.Shown-- // the page would add up less than the reader chose
	if s := sumsOf(&q, table, &cut); s != nil {
		t.Errorf("a table of which the page has %d of %d rows: %+v", cut.Shown, cut.Rows, s)
	}
	for _, extreme := range []float64{1e-200, 1e200} {
		table.Values[len(table.Values)-1] = Column{"standard_deviation", heldSeries(slices.Repeat([]float64{extreme}, 4))}
		if s := sumsOf(&q, table, d.Table); s != nil {
			t.Errorf("standard deviation %g: %+v, but its square is no 64-bit number", extreme, s)
		}
	}

	q = manifest.Query{Name: "by", Kind: "crosstabs", Strategy: &manifest.Strategy{Tables: []manifest.Table{
		{Name: "kind.day", By: []string{"kind", "day"}, Cells: 4},
		{Name: "kind.age", By: []string{"kind", "age"}, Cells: 8}}}}
	for i, name := range []string{kinds.ResidualOfAll, "kind", "day", "age", "kind*day", "kind*age", "day*age"} {
		q.Mechanisms = append(q.Mechanisms, manifest.Mechanism{Component: name, StandardDeviation: float64(i + 1)})
	}
	readers := &pageTable{Keys: []pageKey{{Name: "kind", Labels: []string{"a", "b"}},
		{Name: "day", Labels: []string{"x", "y"}}}, Shown: 4, Rows: 4}
	s := &sumsData{}
	want := "[{[] 1} {[0] 4} {[1] 9} {[0 1] 25}] [2 2]"
	if ok := s.ofMarginal(&q, "kind.day", readers); !ok || fmt.Sprint(s.Parts, s.Sizes) != want {
		t.Errorf("%v: %v %v, want %s", ok, s.Parts, s.Sizes, want)
	}
}

// Each heat map of several has the name of its label, and holds its cells.
func TestHeatMapsHaveTheirNames(t *testing.T) {
	table := &Table{Query: "by", Cells: 12, Keys: []domain.KeyColumn{
		{Name: "kind", Stride: 6, Labels: domain.Labels{Strings: []string{"a", "b"}}},
		{Name: "place", Stride: 2, Labels: domain.Labels{Strings: []string{"p", "q", "r"}}},
		{Name: "sex", Stride: 1, Labels: domain.Labels{Strings: []string{"f", "m"}}}}}
	values := make([]float64, 12)
	for i := range values {
		values[i] = float64(i)
	}
	for _, name := range []string{noisyColumn, estimateColumn, "ci95_low", "ci95_high"} {
		table.Values = append(table.Values, Column{name, heldSeries(values)})
	}
	f := factsOf(stated(gaussian("by", "histogram", 12, 1, 1)))
	d := dataOf(f.find("by"), table, maxRows, f)
	heat := (&figure{d: &d, query: f.find("by")}).heat()
	for _, panel := range heat.Panels {
		cells := panel.(picture.Cells)
		name, label, _ := strings.Cut(cells.Title, ": ")
		for _, c := range cells.Cells {
			at := map[string]string{name: label, cells.X.Label: cells.X.Names[c.X], cells.Y.Label: cells.Y.Names[c.Y]}
			i := 6*strings.Index("ab", at["kind"]) + 2*strings.Index("pqr", at["place"]) + strings.Index("fm", at["sex"])
			if len(at) != 3 || c.Value != values[i] {
				t.Errorf("%q, %v: %g, want %g", cells.Title, at, c.Value, values[i])
			}
		}
	}
	if len(heat.Panels) != 2 || len(heat.Panels[1].(picture.Cells).Cells) != 6 {
		t.Errorf("%d panels", len(heat.Panels))
	}
}

// The places of a map have their values, and a kilometre is longer in degrees the farther north the map is.
func TestMapsAreReadBack(t *testing.T) {
	keys := []pageKey{{Name: "at", Labels: []string{"one", "two", "three"}, Codes: []int{2, 0, 1}}}
	number := func(x float64) *decimal { return &decimal{value: x} }
	d := &tableData{Axes: []axis{{Label: "at", Type: "point", Keys: []int{0}}},
		Table: &pageTable{Keys: keys, Rows: 3, Shown: 3, Values: []pageColumn{{Name: estimateColumn, Data: []decimal{{value: 30}, {value: 10},
			{value: 20}}}}},
		Places: &places{Lat: []*decimal{number(60), number(60), number(60)}, Lon: []*decimal{number(1), number(2), number(3)}}}
	m := (&figure{d: d, query: &queryFacts{}}).maps().Panels[0].(picture.Map)
	if !slices.Equal(m.X, []float64{1, 2, 3}) || !slices.Equal(m.Values, []float64{10, 20, 30}) {
		t.Errorf("places %v have the values %v", m.X, m.Values)
	}
	if want := 2 / kilometresADegree; math.Abs(m.Kilometre/want-1) > 1e-9 || math.Abs(m.Aspect-2) > 1e-9 { // cos 60° = 1/2
		t.Errorf("a kilometre is %g degrees of longitude, want %g; aspect %g", m.Kilometre, want, m.Aspect)
	}
}

// Only the last span has its upper edge, if the job includes it.
func TestTheLastSpanHasItsEdge(t *testing.T) {
	p := &pageTable{Keys: []pageKey{{Labels: []string{"0", "18", "65"}, Codes: []int{0, 1, 2}},
		{Labels: []string{"18", "65", "99"},
			Codes: []int{0, 1, 2}}}}
	for closed, want := range map[bool]string{true: "[0–17 18–64 65–99]", false: "[0–17 18–64 65–98]"} {
		a := axis{Keys: []int{0, 1}, Whole: true, Closed: closed}
		if got := fmt.Sprint(a.spanNames(p)); got != want {
			t.Errorf("closed %v: %s, want %s", closed, got, want)
		}
	}
}

// A rate's description names its queries by their titles, and its factor unless that is 1.
func TestRatesAreReadBack(t *testing.T) {
	f := &facts{queries: []queryFacts{{name: "ill", title: "Sick"}, {name: "all", title: "All"}}}
	for times, want := range map[float64]string{1: "The noisy values of Sick divided by All. ",
		1000: "The noisy values of Sick divided by All, times 1000. "} {
		got := rateText(&f.queries[0], &manifest.Rate{Name: "rate", Per: "all", Times: times}, f)
		if !strings.HasPrefix(got, want) {
			t.Errorf("times %g: %q", times, got)
		}
	}
}

// The description of a discovered clamp has its part of the budget, the range and the number of rows that it would have
// noticed.
func TestFoundClampsAreReadBack(t *testing.T) {
	q := gaussian("by", "sum", 1, 1, 1)
	q.Search = &manifest.Search{Share: 0.125}
	q.Search.Least, q.Search.Most, q.Search.Exponent, q.Search.Clamp = -64, 1024, -2, [2]float64{-8, 40}
	q.Search.RuleVersion, q.Search.Groups, q.Search.Noise, q.Search.Grid, q.Search.Deviation = 1, 1, 1, 1, 100
	q.Search.Cells, q.Search.Found = make([]int64, 721), true
	q.Search.High, q.Search.Low = 160, -32
	want := "Values count as if moved into the range from -8 to 40. It was chosen between -16 and 256 from a noisy histogram of the " +
		"values alone, for which 12.5 % of the query's budget was spent"
	if got := clampWords(&q); !strings.HasPrefix(got, want) {
		t.Errorf("%q", got)
	}
	// 6.96 standard deviations of an octave, 100/2.
	want = fmt.Sprintf("%d or more rows of about one size", int(math.Ceil(6.96*50)))
	if got := clampRiskWords(&q); !strings.Contains(got, want) || !strings.Contains(got, "a chance of about 10 %") {
		t.Errorf("%q, want %q", got, want)
	}
}
