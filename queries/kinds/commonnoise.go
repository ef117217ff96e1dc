package kinds

import (
	"context"
	"fmt"
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/sensitivity"
	"github.com/dprelease/dprelease/queries/strategy"
)

// Histograms whose cells have common noise
//
// A privacy unit may have rows in many cells of a histogram. If it may be in enough cells, a different design has less
// noise. The number of units with a row gets noise once, and a fraction of this noise is common to all cells; see
// [strategy.CommonNoise].

// The names of the two components, and of the columns that hold their noisy numbers.
const (
	cellsComponent = "cells"
	unitsComponent = "units"
	noisyUnits     = "noisy_units"
	noiseField     = "histogram.noise"
)

// CommonNoise is a histogram whose cells have some noise in common ([strategy.CommonNoise]). It has two components: the
// number of units with a row, and the cells minus a fraction of this number. The cells are the first component.
type CommonNoise struct {
	Base
	reader *quantileReader // nil if neither quantiles nor cumulative fractions are requested
	Form   *strategy.CommonNoise
}

// IndependentNoise is a histogram for which the job requests common noise, but common noise would not be smaller. It
// has independent noise, and its Strategy states the comparison.
type IndependentNoise struct {
	*Histogram
	form *strategy.CommonNoise
}

// newCommonNoise returns the query, or reports parts of the spec that exclude common noise.
func newCommonNoise(c Base, r *quantileReader, spreads bool, p *problem.Problems) kind {
	s := &c.Spec
	if s.Declared != 0 {
		p.Add(problem.FieldSensitivity, problem.CodeBadSpec, "cells that share noise have sensitivities of their own",
			"leave the declaration out")
	}
	if spreads {
		p.Add(noiseField, problem.CodeBadSpec, "a kernel spreads rows over points, so that rows are not of one cell",
			"leave noise or the kernel out")
	}
	if s.CommonNoise.Check(p); len(p.List) > 0 {
		return nil
	}
	form := formOf(&c, s.CommonNoise)
	if form.Form() == strategy.FormCells {
		return &IndependentNoise{&Histogram{Base: c, reader: r}, form}
	}
	for _, k := range domain.KeyColumns(c.Axes) {
		if k.Name == noisyMeasured || k.Name == noisyUnits {
			p.Add(s.ByField(), problem.CodeDuplicate, fmt.Sprintf("the table would have two columns %q", k.Name),
				"name that dimension with as: NAME")
		}
	}
	return &CommonNoise{Base: c, reader: r, Form: form}
}

// formOf returns the design of the query's noise under which a cell has the least error. It has a fraction of common
// noise, or none.
func formOf(c *Base, adj query.Adjacency) *strategy.CommonNoise {
	return strategy.NewCommonNoise(c.Size, c.Limits, sensitivity.SquaredCounts(c.Limits, adj, c.Size),
		adj == query.ReplaceOne)
}

// GainOfCommonNoise compares common noise with independent noise. It returns the standard deviation of a cell, and of
// the sum of all cells, each divided by the standard deviation with independent noise: 0.9 means 10 % less. It returns
// 1, 1 if common noise is not smaller, or if the query is not a histogram with independent noise.
func GainOfCommonNoise(of query.Query, adj query.Adjacency) (cell, total float64) {
	h, ok := of.(*Histogram)
	if !ok || h.Kernel != nil || !h.Spec.BoundsUnits() {
		return 1, 1
	}
	q := &CommonNoise{Base: h.Base, Form: formOf(&h.Base, adj)}
	if q.Form.Form() == strategy.FormCells {
		return 1, 1
	}
	alone := q.Form.Considered()[0].Error
	sums := q.sumsAt(1)
	return q.Form.Error() / alone, sums.Deviation(q.Size) / (alone * math.Sqrt(float64(q.Size)))
}

// sumsAt returns the variances of sums of cells if the query has the budget mu. Rounding to grids is not included.
func (q *CommonNoise) sumsAt(mu float64) *query.SumsOfCells {
	cells, units := q.Form.Weights()
	norm, _ := q.Form.Norm2().Float64()
	each, common := q.Form.Variances(math.Sqrt(norm/cells)/mu, math.Sqrt(1/units)/mu)
	return &query.SumsOfCells{Each: each, Common: common}
}

// Components returns the components of the cells and of the number of units.
func (q *CommonNoise) Components(adj query.Adjacency) ([]query.Component, error) {
	if adj != q.Spec.CommonNoise {
		return nil, problem.One(q.Spec.Name, noiseField, problem.CodeBadSpec,
			fmt.Sprintf("the noise was laid out for %s, not %s", q.Spec.CommonNoise, adj), "")
	}
	a := q.Form.Share()
	who := q.Spec.EachUnit() + " adds "
	l2 := sensitivity.RootUpRat(q.Form.Norm2())
	why := fmt.Sprintf("%s%s, and takes %s off every cell; as many full cells as fit change most: %s",
		who, q.limitsText(), spelling.Exact(a), q.Form.Argument(q.Limits))
	cells, units := q.Form.Weights()
	return []query.Component{
		{Name: cellsComponent, Sens: calibrate.Sensitivity{L2: l2, Why: why}, Cells: q.Size, Quantum: q.Form.Quantum(),
			RowBound: max(1, a), Scale: 1, Weight: cells},
		{Name: unitsComponent, Sens: calibrate.Sensitivity{L2: 1, Why: who +
			"at most 1 to the number of those that have a row: 1"}, Cells: 1, Quantum: 1, RowBound: 1, Scale: 1, Weight: units},
	}, nil
}

// Aggregation describes counting the rows of each cell, and the units that have a row.
func (q *CommonNoise) Aggregation(s table.Schema) (*aggregation.Aggregation, error) {
	a, err := q.Base.Aggregation(s)
	a.Units = true
	return a, err
}

// Hide returns two exact answers: the cells minus a fraction of the number of units, and this number.
func (q *CommonNoise) Hide(t accumulate.Totals) ([]mechanism.Exact, error) {
	cells, units := t.Tables[0], t.Units
	measured := q.Form.Measure(cells, units)
	clear(cells)
	residuals, err := mechanism.HideWide(q.Form.Quantum(), measured)
	if err != nil {
		return nil, err
	}
	number, err := mechanism.Hide(1, []int64{units})
	return []mechanism.Exact{residuals, number}, err
}

// Bytes returns the memory of the cells: see [query.Query].
func (q *CommonNoise) Bytes(workers int, _ int64) int64 {
	return 8*int64(q.Size)*max(q.copies(workers), 2) + 16*int64(q.Size)
}

// factors returns a factor for each component: the variance of a cell is the sum of the components' noise variances
// times these factors.
func (q *CommonNoise) factors() []float64 { return []float64{1, q.Form.Share() * q.Form.Share()} }

// deviationOf returns the standard deviation of a cell. The cell's variance is the sum of the mechanisms' noise
// variances times factors.
func deviationOf(ms []calibrate.Mechanism, factors []float64) float64 {
	variance := 0.0
	for i, v := range variancesOf(ms) {
		variance += factors[i] * v
	}
	return math.Sqrt(variance)
}

// Finish adds a fraction of the noisy number of units to each noisy cell, and returns an answer with these sums.
func (q *CommonNoise) Finish(_ context.Context, noisy, estimate []mechanism.Noisy) (query.Answer, error) {
	if err := checkComponents(q.Name(), noisy, estimate, q.Size, 1); err != nil {
		return query.Answer{}, err
	}
	ms := mechanismsOf(noisy)
	a := normalAnswer(q.cells(noisy), q.cells(estimate), deviationOf(ms, q.factors()))
	a.Cells, a.Keys = q.Size, domain.KeyColumns(q.Axes)
	a.Extra = []query.Extra{{Name: noisyMeasured, Values: noisy[0].Fill},
		{Name: noisyUnits, Values: func(start int, dst []float64) {
			for i := range dst {
				dst[i] = math.NaN()
			}
			if start == 0 && len(dst) > 0 {
				noisy[1].Fill(0, dst[:1])
			}
		}}}
	if q.reader != nil {
		m := len(q.reader.Edges) - 1
		spread := q.Form.Spread(m, ms[0].Deviation(), ms[1].Deviation())
		a.Readings = q.reader.readSeries(a.Noisy, a.Estimate, q.Size, spread)
	}
	return a, nil
}

// cells returns the values of the cells: each is its noisy number plus a fraction of the noisy number of units.
func (q *CommonNoise) cells(noisy []mechanism.Noisy) query.Series {
	common := q.Form.Share() * valuesOf(noisy[1])[0]
	return addedSeries(noisy[0].Fill, common)
}

// Recover reads both noisy components back from released columns.
func (q *CommonNoise) Recover(c query.Columns, grids []float64) (out query.Recovered, err error) {
	if len(grids) != 2 || len(c.Extra) != 2 || len(c.Extra[0]) != q.Size || len(c.Extra[1]) != q.Size {
		return out, errInexact
	}
	return recoverVectors(grids, c.Extra[0], c.Extra[1][:1])
}

// LooksEmpty reports whether the noisy number of units could be noise alone.
func (q *CommonNoise) LooksEmpty(noisy []mechanism.Noisy) bool {
	return sumIsNoise(noisy[1])
}

// Strategy describes the errors of the cells, and the errors of the other designs that were compared.
func (q *CommonNoise) Strategy(_ query.Adjacency, ms []calibrate.Mechanism) (query.Strategy, error) {
	if len(ms) != 2 {
		return query.Strategy{}, errComponents
	}
	out := stated(&q.Base, q.Form, ms, q.factors())
	out.Tables[0].Factors = map[string]float64{cellsComponent: 1, unitsComponent: q.factors()[1]}
	each, common := q.Form.Variances(ms[0].Deviation(), ms[1].Deviation())
	out.Sums = &query.SumsOfCells{Each: each, Common: common}
	return out, nil
}

// Strategy states that independent noise is best for the cells.
func (q *IndependentNoise) Strategy(_ query.Adjacency, ms []calibrate.Mechanism) (query.Strategy, error) {
	if len(ms) != 1 {
		return query.Strategy{}, errComponents
	}
	out := stated(&q.Base, q.form, ms, []float64{1})
	out.Tables[0].Factors = map[string]float64{"": 1}
	return out, nil
}

// stated returns the part of a strategy that is the same for common and for independent noise: the facts about the
// query's table.
func stated(q *Base, form *strategy.CommonNoise, ms []calibrate.Mechanism, factors []float64) query.Strategy {
	out := query.Strategy{Name: string(form.Form()), Loss: strategy.LossCells, Error: deviationOf(ms, factors)}
	out.Cell = out.Error
	unit := 1 / float64(calibrate.ComposedMu(ms))
	for _, c := range form.Considered() {
		out.Others = append(out.Others, strategy.Candidate{Name: c.Name, Error: unit * c.Error})
	}
	var by []string
	for i := range q.Axes {
		by = append(by, q.axisName(i))
	}
	out.Tables = []query.StrategyTable{{Name: cellsComponent, By: by, Cells: q.Size, Deviation: out.Error}}
	return out
}
