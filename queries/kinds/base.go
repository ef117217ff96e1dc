// Package kinds has the kinds of query, implementations of [query.Query]. [New] chooses the kind of a spec.
//
// A kind is a type that embeds [Base], or [Sums] if it adds values up. Its methods describe the totals to compute
// (Aggregation), the sensitivity of each noisy vector (Components), and how noisy vectors become an answer (Finish).
// Each kind has a file:
//   - histogram.go: counts and histograms; kernel.go spreads their rows over points
//   - overbound.go: the number of units with more rows than their bound
//   - ordered.go: histograms for cumulative counts
//   - commonnoise.go: histograms whose cells have some noise in common
//   - discoveredkeys.go: histograms by keys that private partition selection finds; bykeys.go: sums by these keys
//   - crosstabs.go and the files whose names begin with crosstabs: several marginals that agree
//   - nested.go and nestedagree.go: levels of places or times, such as regions and cities, that add up
//   - sums.go: what sums, means and variances have in common; sum.go, mean.go and variance.go; weighted.go has weights
//   - discoveredclamp.go: sums whose clamp is chosen from noisy values
//   - discoveredrows.go: queries whose bound on the rows of a unit is chosen from noisy values
//
// Noisy vectors become answers as follows: answercolumns.go computes the columns and their intervals, ratio.go the
// intervals of means, and quantiles.go the intervals of quantiles and cumulative fractions. heavytails.go has the
// quantiles of sums of noise that is not Gaussian. recover.go reads noisy vectors back from the columns.
package kinds

import (
	"cmp"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/internal/keyselection"
	"github.com/dprelease/dprelease/queries/internal/units"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/quantize"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/tally"
)

// Base is what all kinds have in common: a checked spec, the limits on a unit's rows, and the axes whose cells are
// counted.
type Base struct {
	Spec   query.Spec
	Axes   []domain.Axis // the listed dimensions
	Size   int           // the number of cells
	Limits bounding.Limits
}

// newBase checks the dimensions and bounds of a spec whose cells are listed in the job. columns are the names of the
// answer's columns that only this kind has; key columns must have other names.
func newBase(s query.Spec, columns []string, p *problem.Problems) Base {
	axes := newAxes(s, columns, p)
	cells := countCells(s, axes, p)
	return Base{Spec: s, Axes: axes, Size: cells, Limits: newLimits(s, cells, p)}
}

// Name returns the query's name.
func (q *Base) Name() string { return q.Spec.Name }

// checkAdjacency returns an error if the adjacency is unknown.
func (q *Base) checkAdjacency(adj query.Adjacency) error {
	p := &problem.Problems{Query: q.Spec.Name}
	adj.Check(p)
	return p.Err()
}

// axisName names a dimension by its key column; "grid" if it has two.
func (q *Base) axisName(i int) string { return cmp.Or(q.Axes[i].Name(), "grid") }

// KeyColumns returns the key columns of the cells.
func (q *Base) KeyColumns() []domain.KeyColumn { return domain.KeyColumns(q.Axes) }

// resized returns the query with another number of cells.
func (q *Base) resized(cells int) Base {
	out := *q
	out.Size = cells
	return out
}

// Cells returns the number of cells of the answer.
func (q *Base) Cells() int { return q.Size }

// HalfWidth returns false: only answers that are divided by a private number of rows have a half-width that depends on
// this number.
func (q *Base) HalfWidth([]calibrate.Mechanism) (float64, bool) { return 0, false }

// Directions returns the directions along which the cells of the axes are arranged.
func (q *Base) Directions() []domain.Direction { return domain.Directions(q.Axes) }

// Columns returns the columns that the query reads, each once: the columns of the dimensions, of the value or count,
// of the unit, and of its sample.
func (q *Base) Columns() []string {
	var all, columns []string
	for i := range q.Spec.By {
		all = append(all, q.Spec.By[i].Columns()...)
	}
	for _, v := range []*quantize.Value{q.Spec.Value, q.Spec.Counts} {
		if v != nil {
			all = append(all, v.AllColumns()...)
		}
	}
	seen := map[string]bool{}
	for _, c := range slices.Concat(all, q.Spec.Unit, q.Spec.SampleBy) {
		if !seen[c] {
			seen[c] = true
			columns = append(columns, c)
		}
	}
	return columns
}

// BatchColumns describes batches with the query's columns, for a table with schema s.
func (q *Base) BatchColumns(s table.Schema, p *problem.Problems) domain.BatchColumns {
	return domain.BatchColumns{Schema: s, Columns: q.Columns(), Problems: p}
}

// compileUnits returns the reader of the privacy unit for a table with schema s. It reports columns that do not fit.
func (q *Base) compileUnits(s table.Schema, p *problem.Problems) *units.Reader {
	return units.New(q.Spec.Unit, q.Spec.FloatUnit, q.Columns(), s, p)
}

// aggregation returns the totals that queries of all kinds need: the row counts of the cells, within the limits on a
// unit's rows. If v is not nil, the values that it quantizes are added up, too. If keys is not nil, the totals are by
// discovered keys. Columns that do not fit are reported.
func (q *Base) aggregation(s table.Schema, v *quantize.Quantizer, keys *keyselection.Dimensions,
	p *problem.Problems) *aggregation.Aggregation {
	l := q.BatchColumns(s, p)
	a := &aggregation.Aggregation{By: q.Spec.ByField(), Unit: q.Spec.Unit, FloatUnit: q.Spec.FloatUnit, Limits: q.Limits,
		SampleBy: q.Spec.SampleBy}
	fields := make(map[string]table.Field, len(s.Fields)) // a map, because vectors may have thousands of columns
	for _, f := range slices.Backward(s.Fields) {
		fields[f.Name] = f
	}
	for _, name := range l.Columns {
		if f, ok := fields[name]; ok {
			a.Columns = append(a.Columns, f)
		}
	}
	a.Axes, a.Sizes = domain.Codings(q.Axes, l)
	if keys != nil {
		a.Keys = keys.Parts(l, q.Spec.DimensionField)
	}
	cell := []int{}
	for i := a.KeyAxes(); i < len(a.Axes); i++ {
		cell = append(cell, i)
	}
	a.Tables = [][]int{cell}
	if v != nil {
		v.Compile(l) // to report columns that do not fit; the result is not used
		a.Value, a.AllRows = v, v.Value.Rows > 0
	}
	if c := q.Spec.Counts; c != nil {
		a.Value, a.Weighted = countsQuantizer(c, p), true
		checkCountsType(c, l)
	}
	q.compileUnits(s, p)
	q.checkSample(s, p)
	return a
}

const sampleField = problem.FieldBounds + ".sample_by"

// checkSample reports columns of sample_by whose texts are not the same for all engines.
func (q *Base) checkSample(s table.Schema, p *problem.Problems) {
	for _, name := range q.Spec.SampleBy {
		f, ok := s.Lookup(name)
		switch {
		case !ok:
			problem.UnknownColumn(name, sampleField, s, p)
		case !columnar.HasCanonicalForm(f.Type):
			e := problem.BadType(f.Type)
			p.Add(sampleField, e.Code, "column "+name+": "+e.Message, e.Hint)
		case f.Type.Kind == table.Float:
			p.Add(sampleField, problem.CodeColumnType, "column "+name+" holds floating-point numbers, which engines write as "+
				"text in different ways", "name columns of integers, texts, truth values, dates or times that tell the rows of "+
				"a unit apart")
		}
	}
}

// Aggregation describes counting the rows of each cell.
func (q *Base) Aggregation(s table.Schema) (*aggregation.Aggregation, error) {
	p := &problem.Problems{Query: q.Spec.Name}
	a := q.aggregation(s, nil, nil, p)
	return a, p.Err()
}

// copies returns how many accumulators hold the cells at the same time, if there are workers goroutines.
func (q *Base) copies(workers int) int64 {
	if q.Spec.BoundsUnits() {
		return 1
	}
	return int64(workers)
}

// countBytes returns the memory in bytes for copies of the counts of cells.
func (q *Base) countBytes(cells int, copies int64) int64 {
	bytes := int64(8)
	if q.Spec.Counts != nil {
		bytes = 32 // counts from a column of counts are added up as sums of values
	}
	return bytes * int64(cells) * copies
}

// Tally returns a tally for a table with schema s: it counts how many rows are kept, and how many are dropped for each
// reason. Batches must hold the columns of Columns, in that order. Errors are problems of the columns, such as a column
// that is missing.
func (q *Base) Tally(s table.Schema) (*tally.Tally, error) {
	p := &problem.Problems{Query: q.Spec.Name}
	l := q.BatchColumns(s, p)
	t := &tally.Tally{}
	listed := 0
	for i := range q.Spec.By {
		if q.Spec.By[i].Discover {
			t.AddDiscovered(&q.Spec.By[i], q.Spec.DimensionField(i), l)
			continue
		}
		t.AddDimension(q.Axes[listed], l)
		listed++
	}
	u := q.compileUnits(s, p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	if q.Spec.Counts != nil {
		t.AddValue(countsQuantizer(q.Spec.Counts, p), l)
	}
	if q.Spec.BoundsUnits() {
		t.AddUnit(q.Spec.Unit, u, l)
	}
	return t, nil
}

// kind is a query of any kind in this package.
type kind interface {
	query.Query
	common() *Base
}

func (q *Base) common() *Base { return q }
