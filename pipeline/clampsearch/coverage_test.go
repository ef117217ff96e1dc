package clampsearch_test

import (
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline/clampsearch"
	"github.com/dprelease/dprelease/queries"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/quantize"
	"github.com/dprelease/dprelease/queries/query"
)

// released answers a query whose clamp or bound is discovered, as a run does: charged with epsilon 1 and delta 1e-6,
// searched, chosen, and noised.
func released(t *testing.T, spec query.Spec, columns ...[]int64) (query.SearchResult, query.Answer) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	q, err := queries.New(spec)
	must(err)
	s, err := clampsearch.New(q, query.AddRemove)
	must(err)
	components, err := q.Components(query.AddRemove)
	must(err)
	asks := []calibrate.Ask{}
	for _, p := range components {
		asks = append(asks, calibrate.Ask{Query: "q" + p.Name, Sens: p.Sens, Weight: p.Weight / float64(len(components)),
			Quantum: p.Quantum, RowBound: p.RowBound})
	}
	charged, err := calibrate.SplitBudget(calibrate.Guarantee{Epsilon: 1, Delta: 1e-6}, s.Ask(asks, 1))
	must(err)
	s.Mechanism, charged = charged[len(components)], charged[:len(components)]

	schema, batch := table.Schema{}, table.Batch{Rows: len(columns[0])}
	for i, name := range q.Columns() {
		kind := table.Type{Kind: table.Int}
		schema.Fields = append(schema.Fields, table.Field{Name: name, Type: kind})
		batch.Columns = append(batch.Columns, table.Column{Type: kind, Values: table.Values{Ints: columns[i]}})
	}
	of, err := q.Aggregation(schema)
	must(err)
	all, err := queries.NewAccumulators([]*aggregation.Aggregation{of}, nil)
	must(err)
	must(all[0].Add(&batch))
	exacts, err := queries.HideTotals(q, all[0])
	must(err)

	receipt := ledgertest.Receipt(t, append(append([]calibrate.Mechanism{}, charged...), s.Mechanism)...)
	histogram, err := mechanism.AddNoise(t.Context(), exacts[len(components)], receipt, s.Charged(), 1)
	must(err)
	found, err := s.Find(histogram, charged, query.AddRemove)
	must(err)
	chosen, err := s.With(found, charged, query.AddRemove)
	must(err)
	exacts = exacts[:len(components)]
	must(s.Choose(exacts, found.Range()))
	var noisy []mechanism.Noisy
	for i, e := range exacts {
		n, err := mechanism.AddNoise(t.Context(), e, receipt, chosen.Mechanisms[i], 1)
		must(err)
		noisy = append(noisy, n)
	}
	answer, err := chosen.Query.Finish(t.Context(), noisy, noisy)
	must(err)
	return found, answer
}

// covered counts the intervals that contain the exact answer, and compares the noise with the stated error: the root
// mean squared error must be within 7 standard errors.
func covered(t *testing.T, a query.Answer, truth float64) (n int) {
	t.Helper()
	low, high, noisy, sigma := make([]float64, a.Cells), make([]float64, a.Cells), make([]float64,
		a.Cells), make([]float64, a.Cells)
	a.Low(0, low)
	a.High(0, high)
	a.Noisy(0, noisy)
	a.Sigma(0, sigma)
	squares := 0.0
	for i := range low {
		if low[i] <= truth && truth <= high[i] {
			n++
		}
		z := (noisy[i] - truth) / sigma[i]
		squares += z * z
	}
	if got := math.Sqrt(squares / float64(a.Cells)); math.Abs(got-1) > 7/math.Sqrt(2*float64(a.Cells)) {
		t.Errorf("the error is %.4f of the deviation that is stated", got)
	}
	return n
}

func numbered(n int) (labels []domain.Label) {
	for i := range n {
		text := strconv.Itoa(i)
		labels = append(labels, domain.Label{Name: text, Members: []string{text}})
	}
	return labels
}

// repeats returns the number of releases of a table, and the largest allowed distance from 95 % of the coverage over
// runs·cells intervals. This is 6.5 standard errors, which chance exceeds in one of 10^10 tests, plus the error of a
// grid of sigma/16: the ends of intervals lie between two grid points, so half of the probability of one point is
// added.
func repeats(cells, long int) (runs int, slack float64) {
	if runs = 1; os.Getenv("DPRELEASE_LONG") != "" {
		runs = long
	}
	onGrid := math.Exp(-1.96*1.96/2) / math.Sqrt(2*math.Pi) / 16
	return runs, onGrid + 6.5*math.Sqrt(0.95*0.05/float64(runs*cells))
}

// The 95 % intervals of a histogram whose bound on rows is discovered cover the exact counts under that bound at the
// stated rate.
func TestIntervalsUnderAFoundBoundCover(t *testing.T) {
	const cells, units = 20_000, 40_000 // of 4 rows each, so that a cell has 8
	var rows, persons []int64
	for i := range int64(4 * units) {
		rows, persons = append(rows, i%cells), append(persons, i/4)
	}
	spec := query.Spec{
		Name: "q", Kind: query.Histogram, Unit: []string{"u"}, Bounds: query.Bounds{MaxRows: 1000}, RowsShare: 0.1, By: []domain.Dimension{{Column: "g", Labels: numbered(cells)}},
	}
	runs, slack := repeats(cells, 12)
	held := 0
	for range runs {
		found, a := released(t, spec, rows, persons)
		if found.Rows.MaxRows != 4 {
			t.Fatalf("a bound of %d was found", found.Rows.MaxRows)
		}
		held += covered(t, a, 8)
	}
	if share := float64(held) / float64(runs*cells); math.Abs(share-0.95) > slack {
		t.Errorf("%.4f of the intervals hold the count, want 0.95 ± %.4f", share, slack)
	}
}

// The 95 % intervals of sums whose clamp is discovered cover the exact sums under that clamp at the stated rate.
func TestIntervalsUnderAFoundClampCover(t *testing.T) {
	const groups, each, value = 2_000, 10, 70
	var by, values []int64
	for i := range int64(groups * each) {
		by, values = append(by, i%groups), append(values, value)
	}
	spec := query.Spec{
		Name: "q", Kind: query.Sum, By: []domain.Dimension{{Column: "g", Labels: numbered(groups)}},
		Value: &quantize.Value{Columns: []string{"x"}, Lo: "0", Hi: "1e9", Share: 0.1},
	}
	runs, slack := repeats(groups, 120)
	held := 0
	for range runs {
		found, a := released(t, spec, by, values)
		clamp := found.Clamp.Clamp
		if !found.Clamp.Found || clamp[0] != 0 {
			t.Fatalf("a clamp of %v was found", clamp)
		}
		held += covered(t, a, each*min(value, clamp[1]))
	}
	if share := float64(held) / float64(runs*groups); math.Abs(share-0.95) > slack {
		t.Errorf("%.4f of the intervals hold the sum, want 0.95 ± %.4f", share, slack)
	}
}
