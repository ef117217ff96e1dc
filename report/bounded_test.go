package report

import (
	"math"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/pipeline/manifest"
)

// For each query, the page states what the bounds of the job leave out.
func TestBoundedNumbersAreNamed(t *testing.T) {
	for _, c := range []struct{ kind, why, want string }{
		{histogram, "each row is in one cell: 1", ""},
		{histogram, "declared: 3; implied: each person adds at most 2 rows: 2", "true numbers can be higher."},
		{histogram, "each person adds at most 2 rows: 2", "each person adds at most 2 rows. Rows above these bounds are not " +
			"counted: true numbers can be higher."},
		{histogram, "each person adds at most 2 rows, in at most 1 cell, to weighted sums of cells, which change most for rows in " +
			"the first cells: 2.8", "each person adds at most 2 rows, in at most 1 cell. Rows above these bounds are not " +
			"counted: true numbers can be higher."},
		{"sum", "each row, a value in [0, 99]: 99", "values outside of the range count as its nearer end."},
	} {
		q := queryFacts{kind: c.kind, why: c.why}
		if got := q.bounded(""); !strings.HasSuffix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%q: %q", c.why, got)
		}
	}
}

// Each picture on the page, each table's description, each end of an interval and each table on a terminal names what
// the bounds leave out. True quantiles and shares can be higher or lower than quantiles and shares of bounded data.
func TestBoundedNumbersAreNamedAtEachTable(t *testing.T) {
	const words, higher = "each member adds at most 2 rows. Rows above these bounds are not counted", ": true numbers can be higher."
	for _, kind := range []string{"count", "histogram", "mean"} {
		m := stated(gaussian("by", kind, 4, 2, 1))
		f := factsOf(m)
		q := f.find("by")
		var d pageData
		var tables []*Table
		for _, holds := range []string{"", pictureQuantiles, pictureCDF, holdsSums} {
			table := known("by", []string{"a", "b"}, []string{"x", "y"})
			table.Holds = holds
			one := dataOf(q, table, maxRows, f)
			d.Tables, d.queries, tables = append(d.Tables, one), append(d.queries, q), append(tables, table)
		}
		v, err := f.queryView(0, &d)
		if err != nil {
			t.Fatal(err)
		}
		catalogued := f.catalogue(tables).Tables
		if len(v.Tables) != 4 || len(catalogued) != 4 {
			t.Fatalf("%s: %d tables on the page, %d in catalogues", kind, len(v.Tables), len(catalogued))
		}
		for i, table := range tables {
			said := []string{strings.Join(NewRemarks(m).Of(0, table.Holds, math.NaN()), " "), catalogued[i].Description}
			for _, view := range v.Tables {
				if view.At == i {
					said = append(said, view.Bounded)
				}
			}
			for _, c := range catalogued[i].Columns {
				if strings.HasPrefix(c.Name, "ci95_") {
					said = append(said, c.Description)
				}
			}
			counts := kind != "mean" && table.Holds != pictureQuantiles && table.Holds != pictureCDF
			for _, text := range said {
				if !strings.Contains(text, words) || strings.Contains(text, higher) != counts {
					t.Errorf("%s, table %q: %q", kind, table.Holds, text)
				}
			}
			if len(said) != 5 {
				t.Errorf("%s, table %q: %d texts", kind, table.Holds, len(said))
			}
		}
	}
}

// A query's texts hold its accuracy, its rule of publishing, the risk of its clamp, its grid and its rates.
func TestFactsAreInTheTextsOfAQuery(t *testing.T) {
	m := stated(gaussian("by", "histogram", 4, 2, 1))
	m.Queries[0].Rates = []manifest.Rate{{Name: "share", Per: "total", Times: 1, MaxHalfWidth: 0.25}}
	f := factsOf(m)
	q := f.find("by")
	q.publish, q.clampRisk, q.gridStep = &manifest.Publish{MaxRelativeError: 0.5}, "a clamp's risk", 2
	has := func(text string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("no %q in %q", part, text)
			}
		}
	}
	has(strings.Join(q.remarks(), " "), "a standard deviation of 1.003", "further than 0.5 times the noisy value", "multiples of 2")
	has(q.description(f), "a clamp's risk", "multiples of 2")
	table := known("by", []string{"a", "b"}, []string{"x", "y"})
	table.Holds = "share"
	rates := q.catalogued(table, f)
	has(rates.Description, "divided by total", "further than 0.25 to each side")
	for _, c := range rates.Columns {
		if c.Name == estimateColumn && c.Unit != "share" {
			t.Errorf("the unit of a rate is %q", c.Unit)
		}
	}
}

// The tables of crosstabs are named after their columns. One over a column of the name quantiles, cdf or sums is a
// table of counts.
func TestTablesOfColumnsWithNamesOfReadings(t *testing.T) {
	m := stated(gaussian("by", crosstabs, 4, 2, 1))
	m.Queries[0].Strategy = &manifest.Strategy{}
	f := factsOf(m)
	q := f.find("by")
	plain := known("by", []string{"a", "b"}, []string{"x", "y"})
	plain.Holds = "kind"
	as := dataOf(q, plain, maxRows, f)
	for _, holds := range []string{pictureQuantiles, pictureCDF, holdsSums} {
		table := known("by", []string{"a", "b"}, []string{"x", "y"})
		table.Holds = holds
		d := dataOf(q, table, maxRows, f)
		if d.Picture != as.Picture || d.Unit != as.Unit || titleOf(q, &d) != titleOf(q, &as) || len(d.Axes) != len(as.Axes) {
			t.Errorf("%s: picture %s and title %q, want %s and %q", holds, d.Picture, titleOf(q, &d), as.Picture, titleOf(q, &as))
		}
		if got, want := q.catalogued(table, f).Description, strings.Replace(q.catalogued(plain, f).Description, "table kind",
			"table "+holds, 1); got != want {
			t.Errorf("%s: %q, want %q", holds, got, want)
		}
		if got, want := q.bounded(holds), q.bounded("kind"); got != want {
			t.Errorf("%s: %q, want %q", holds, got, want)
		}
	}
}
