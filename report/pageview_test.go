package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// The page shows limits from the job as the job states them; it does not round them like noisy numbers.
func TestStatedNumbersAreShownAsStated(t *testing.T) {
	for _, text := range []string{"1e-7", "1e-12", "0.1", "0.25", "3.5e-10", "1e-6"} {
		if got := ceilingText(ceilingOf(text)); got != text {
			t.Errorf("%s is shown as %s", text, got)
		}
	}
	q := queryFacts{cells: 7, publish: &manifest.Publish{MinCount: 20, MaxRelativeError: 0.1, Withheld: 2}}
	for _, words := range []string{"below 20, or", "further than 0.1 times", "of 7 cells, 2 are left empty"} {
		if !strings.Contains(q.withheld(), words) {
			t.Errorf("no %q in %q", words, q.withheld())
		}
	}
}

// A query's description names what it counts as the job states it; otherwise units if each counts at most once, and
// rows otherwise.
func TestQuestion(t *testing.T) {
	f := &facts{unit: []string{"member_id"}}
	columns := map[string]described{"member_id": {Title: "members"}, "fee": {Title: "Late fee", Unit: "EUR"}}
	by := []dimension{{Column: "fee", texts: columns["fee"]}}
	for _, c := range []struct {
		q    queryFacts
		want string
	}{
		{queryFacts{kind: "histogram", cells: 3}, "Numbers of rows: 3 cells."},
		{queryFacts{kind: "count", cells: 1}, "The number of rows."},
		{queryFacts{kind: "histogram", cells: 3, units: true}, "Number of members: 3 cells."},
		{queryFacts{kind: "histogram", cells: 3, counted: "loans", axes: by}, "Loans by Late fee (EUR): 3 cells."},
		{queryFacts{kind: "mean", cells: 1, value: "fee"}, "Means of Late fee."},
		{queryFacts{kind: "count", cells: 1, conditions: "Only rows with fee at least 1."}, "The number of rows. Only rows with fee at least 1."},
	} {
		c.q.columns = columns
		if got := c.q.question(f); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	untitled := queryFacts{kind: "histogram", cells: 3, units: true, axes: by}
	if got := untitled.question(f); got != "Number of units (member_id) by Late fee (EUR): 3 cells." {
		t.Error(got)
	}
	mean := queryFacts{kind: "mean", value: "fee", columns: columns}
	if got := mean.unitText(f); got != "mean of Late fee (EUR)" {
		t.Errorf("the unit is %q", got)
	}
	for unit, want := range map[string]string{"EUR": "EUR²", "€": "€²", "km/h": "(km/h)²", "m²": "(m²)²"} {
		columns["fee"] = described{Title: "Late fee", Unit: unit}
		variance := queryFacts{kind: "variance", value: "fee", columns: columns}
		if got := variance.unitText(f); got != "variance of Late fee ("+want+")" {
			t.Errorf("the unit of a variance is %q", got)
		}
	}
}

// The columns of a weighted mean are sums of weights; other means have numbers of rows there.
func TestColumnsOfWeightedMeans(t *testing.T) {
	for weight, want := range map[string]bool{"": false, "w": true} {
		f := &facts{queries: []queryFacts{{kind: "mean", weight: weight}}}
		if got := strings.Contains(fmt.Sprint(f.columnViews()), "of a weighted mean, the sum of their weights"); got != want {
			t.Errorf("weight %q: %q", weight, f.columnViews())
		}
	}
}

// Intervals of geometric noise on a coarse grid state how often they hold; others hold in 95 %.
func TestCoverageIsStated(t *testing.T) {
	noise := calibrate.Mechanism{Noise: calibrate.Geometric, Scale: 1, Grid: 1}
	q := queryFacts{kind: "histogram", cells: 3, gridStep: 1, half: 3, deviation: 1.4, noise: noise}
	columns := q.catalogued(&Table{Values: []Column{{Name: "noisy"}, {Name: "ci95_low"}}}, &facts{}).Columns
	const words = "The interval holds in 97.3 % of cases, since the noise takes only multiples of 1."
	if strings.Contains(columns[0].Description, words) || !strings.HasSuffix(columns[1].Description, words) {
		t.Errorf("columns are described as %+v", columns)
	}
	if got := q.accuracy(); !strings.Contains(got, "with 97.3 % probability") {
		t.Error(got)
	}
	wide, quotient, fine := q, q, q
	wide.noise.Scale, quotient.overRows, fine.noise = 100, true, calibrate.Mechanism{Noise: calibrate.LaplaceNoise, Scale: 1, Grid: 1}
	for i, other := range []queryFacts{wide, quotient, fine, {kind: "histogram", gridStep: 1}} {
		if got := other.coverage(); got != "" {
			t.Errorf("%d: %q", i, got)
		}
	}
}

// The number above a table of one row is written as page.js writes the number in the table.
func TestTableNumber(t *testing.T) {
	for x, want := range map[float64]string{4001.75: "4,002", -4001.75: "-4,002", 12.3456: "12.35", 17: "17", 0: "0"} {
		if got := tableNumber(x); got != want {
			t.Errorf("%v is %s, want %s", x, got, want)
		}
	}
}
