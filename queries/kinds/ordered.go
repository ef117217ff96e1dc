package kinds

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/int128"
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

// Histograms for cumulative counts
//
// The cumulative count at an edge is the sum of all cells below it, so their noise adds up: in a histogram of n cells
// the error of a cumulative count is about sqrt(n/2) times the error of a cell. If a job needs cumulative counts, noise
// is instead added to sums of groups of cells, and the error of cumulative counts then grows only with ln(n)
// ([strategy.NewOrdered]). Cells are differences of neighbouring cumulative counts, and have about twice the error. If
// noise in the cells is best even for cumulative counts, the cells get the noise.

// LossSums is the loss (job key optimize: cdf) of a histogram for cumulative counts: the mean squared error of the row
// counts below each edge, except the first edge.
const LossSums strategy.Loss = "cdf"

// The names of the table of cumulative counts, and of the columns that hold the noisy numbers.
const (
	sumsReading    = "sums"
	noisyMeasured  = "noisy_measurement"
	noisyWidth     = "noisy_width_"
	optimizedField = "histogram.optimize"
)

// Ordered is a histogram for cumulative counts: noise is added to sums of cells along one dimension.
type Ordered struct {
	Base
	reader *quantileReader
	Form   *strategy.Ordered
	// n is the number of cells of the dimension. Groups is the number of combinations of the other dimensions' cells.
	n, Groups int
}

// newOrdered returns the query, or reports what a histogram for cumulative counts cannot have.
func newOrdered(c Base, reader *quantileReader, spreads bool, p *problem.Problems) kind {
	s := &c.Spec
	if reader == nil {
		reader = newSumsReader(c.Spec, c.Axes, c.Size, p)
	}
	if s.Declared != 0 {
		p.Add(problem.FieldSensitivity, problem.CodeBadSpec, "sums of cells have sensitivities of their own",
			"leave the declaration out")
	}
	if spreads {
		p.Add(optimizedField, problem.CodeBadSpec, "a kernel spreads rows over points, which have no order",
			"leave optimize or the kernel out")
	}
	if len(p.List) > 0 {
		return nil
	}
	q := &Ordered{Base: c, reader: reader, n: reader.Size, Groups: c.Size / reader.Size}
	if q.n != len(reader.Edges)-1 {
		p.Add(optimizedField, problem.CodeBadSpec, "a cell for null or other has no place in the order",
			"use drop in the dimension with edges, and count such rows in a query of their own")
		return nil
	}
	if q.n > strategy.MaxOrdered {
		p.Add(optimizedField, problem.CodeTooManyCells, fmt.Sprintf("more than 2^20 = %d cells along the dimension",
			strategy.MaxOrdered), "use wider cells")
		return nil
	}
	q.Form = strategy.NewOrdered(q.n, q.Groups, c.Limits)
	return q
}

// Cell returns the index of a group's cell i in the vector of all cells.
func (q *Ordered) Cell(group, i int) int {
	r := q.reader
	return group/r.Stride*r.Stride*r.Size + group%r.Stride + i*r.Stride
}

// componentName returns the name of the component for a level, or "" if it is the only component.
func (q *Ordered) componentName(level int) string {
	if len(q.Form.Levels()) == 1 {
		return ""
	}
	return fmt.Sprintf("width %d", q.Form.Levels()[level].Width)
}

// Components returns a component for each level of the strategy. Under replace-one, the squared norm of a unit's change
// is at most the sum of the squared norms of the rows that the unit removes and adds, since the strategy's matrix has
// no negative entry.
func (q *Ordered) Components(adj query.Adjacency) ([]query.Component, error) {
	if err := q.checkAdjacency(adj); err != nil {
		return nil, err
	}
	var out []query.Component
	for l, level := range q.Form.Levels() {
		norm := new(big.Rat).Set(level.Norm2)
		who := "each row adds 1 to "
		if adj == query.ReplaceOne {
			norm.Add(norm, norm)
			who = "replacing a row changes "
		}
		if !q.Spec.PerRow() {
			who = q.unitAdds(adj) + q.limitsText() + ", to "
		}
		l2 := sensitivity.RootUpRat(norm)
		out = append(out, query.Component{
			Name: q.componentName(l), Sens: calibrate.Sensitivity{L2: l2, Why: who + level.Why + ": " + spelling.Exact(l2)},
			Cells: q.Groups * level.Cells, Quantum: level.Quantum, RowBound: 1, Scale: 1, Weight: level.Weight,
		})
	}
	return out, nil
}

// Aggregation describes counting the rows of each cell. All cells are needed.
func (q *Ordered) Aggregation(s table.Schema) (*aggregation.Aggregation, error) {
	a, err := q.Base.Aggregation(s)
	a.Dense = true
	return a, err
}

// Hide computes the numbers of each level, for all groups, and returns one exact answer for each level.
func (q *Ordered) Hide(t accumulate.Totals) ([]mechanism.Exact, error) {
	cells := t.Tables[0]
	q.capTotal(cells)
	levels := q.Form.Levels()
	measured := make([]int128.Slice, len(levels))
	for l, level := range levels {
		measured[l] = int128.Make(q.Groups * level.Cells)
	}
	counts := make([]int64, q.n)
	for g := range q.Groups {
		for i := range counts {
			counts[i] = cells[q.Cell(g, i)]
		}
		for l, y := range q.Form.Measure(counts) {
			measured[l].Cut(g*levels[l].Cells, (g+1)*levels[l].Cells).AddSlice(y)
		}
	}
	clear(cells)
	clear(counts)
	var out []mechanism.Exact
	for l, level := range levels {
		e, err := mechanism.HideWide(level.Quantum, measured[l])
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// Bytes returns the memory of the cells: see [query.Query].
func (q *Ordered) Bytes(workers int, _ int64) int64 {
	n := q.countBytes(q.Size, max(q.copies(workers), 2))
	for _, level := range q.Form.Levels() {
		n += 16 * int64(q.Groups) * int64(level.Cells)
	}
	return n
}

// sums returns the estimated cumulative counts of each group: n + 1 numbers for each group, the first of which is 0.
func (q *Ordered) sums(noisy []mechanism.Noisy) [][]float64 {
	deviations, levels := deviationsOf(mechanismsOf(noisy)), q.Form.Levels()
	y := make([][]float64, len(levels))
	out := make([][]float64, q.Groups)
	for g := range out {
		for l, level := range levels {
			y[l] = make([]float64, level.Cells)
			noisy[l].Fill(g*level.Cells, y[l])
		}
		out[g] = append([]float64{0}, q.Form.Sums(y, deviations)...)
	}
	return out
}

// Finish computes the cells from the noisy numbers, and the cumulative counts and requested quantiles from the cells.
func (q *Ordered) Finish(_ context.Context, noisy, estimate []mechanism.Noisy) (query.Answer, error) {
	var lengths []int
	for _, level := range q.Form.Levels() {
		lengths = append(lengths, q.Groups*level.Cells)
	}
	if err := checkComponents(q.Name(), noisy, estimate, lengths...); err != nil {
		return query.Answer{}, err
	}
	spread, below := q.Form.Spread(deviationsOf(mechanismsOf(noisy))), q.sums(noisy)
	values, deviations := make([]float64, q.Size), make([]float64, q.Size)
	for g, s := range below {
		for i := range q.n {
			values[q.Cell(g, i)], deviations[q.Cell(g, i)] = s[i+1]-s[i], math.Sqrt(spread.Cells[i])
		}
	}
	a := answerOf(values, query.HeldSeries(deviations))
	a.Keys = domain.KeyColumns(q.Axes)
	a.Extra = q.measurements(noisy)
	sums := q.sumsTable(below, spread)
	a.Readings = append([]query.Reading{{Name: sumsReading, Answer: sums}},
		q.reader.read(q.Groups, spread, func(g int) sumsBelow { return sumsBelow{Noisy: below[g], Estimate: below[g]} })...)
	return a, nil
}

// sumsTable returns the table of cumulative counts: the number of rows below each edge, except the first edge.
func (q *Ordered) sumsTable(below [][]float64, spread strategy.Spread) query.Answer {
	var values, deviations []float64
	for _, s := range below {
		values = append(values, s[1:]...)
		for _, v := range spread.Variance {
			deviations = append(deviations, math.Sqrt(v))
		}
	}
	a := answerOf(values, query.HeldSeries(deviations))
	a.Keys = q.reader.keysWith(q.reader.belowColumn())
	return a
}

// measurements returns the noisy numbers as extra columns of the cells, one column for each level. A number is in the
// row of the first cell that it counts. The other rows of the column are NaN.
func (q *Ordered) measurements(noisy []mechanism.Noisy) []query.Extra {
	var out []query.Extra
	for l, level := range q.Form.Levels() {
		column := make([]float64, q.Size)
		for i := range column {
			column[i] = math.NaN()
		}
		for k, x := range valuesOf(noisy[l]) {
			column[q.first(level, k)] = x
		}
		out = append(out, query.Extra{Name: q.columnName(l), Values: query.HeldSeries(column)})
	}
	return out
}

func (q *Ordered) columnName(level int) string {
	if w := q.Form.Levels()[level].Width; w > 0 {
		return fmt.Sprint(noisyWidth, w)
	}
	return noisyMeasured
}

// first returns the index of the first cell that number k of a level counts.
func (q *Ordered) first(level strategy.Level, k int) int {
	return q.Cell(k/level.Cells, k%level.Cells*max(level.Width, 1))
}

// Recover reads the noisy numbers back from released columns.
func (q *Ordered) Recover(c query.Columns, grids []float64) (out query.Recovered, err error) {
	levels := q.Form.Levels()
	if len(grids) != len(levels) || len(c.Extra) != len(levels) {
		return out, errInexact
	}
	vectors := make([][]float64, len(levels))
	for l, level := range levels {
		if len(c.Extra[l]) != q.Size {
			return out, errInexact
		}
		for k := range q.Groups * level.Cells {
			vectors[l] = append(vectors[l], c.Extra[l][q.first(level, k)])
		}
	}
	return recoverVectors(grids, vectors...)
}

// LooksEmpty reports whether the estimated number of all rows could be noise alone.
func (q *Ordered) LooksEmpty(noisy []mechanism.Noisy) bool {
	spread, total := q.Form.Spread(deviationsOf(mechanismsOf(noisy))), 0.0
	for _, s := range q.sums(noisy) {
		total += s[q.n]
	}
	return math.Abs(total) <= noiseThreshold*math.Sqrt(float64(q.Groups)*spread.Variance[q.n-1])
}

// Strategy describes the errors of the cumulative counts, and of other designs.
func (q *Ordered) Strategy(adj query.Adjacency, ms []calibrate.Mechanism) (query.Strategy, error) {
	if len(ms) != len(q.Form.Levels()) {
		return query.Strategy{}, errComponents
	}
	deviations := deviationsOf(ms)
	unit := 1 / float64(calibrate.ComposedMu(ms))
	out := query.Strategy{Name: string(q.Form.Form()), Loss: LossSums, Error: q.Form.Error(deviations)}
	if adj == sensitivity.ReplaceOne {
		unit *= math.Sqrt2
	} else {
		out.Bound = unit * strategy.LeastOrdered(q.n, q.Limits.RowsPerCell)
	}
	for _, c := range q.Form.Considered() {
		out.Others = append(out.Others, strategy.Candidate{Name: c.Name, Error: unit * c.Error})
	}
	largest, cell := 0.0, 0.0
	spread := q.Form.Spread(deviations)
	for i, v := range spread.Variance {
		largest, cell = max(largest, v), max(cell, spread.Cells[i])
	}
	out.Cell = math.Sqrt(cell)
	sums := query.StrategyTable{Name: sumsReading, By: []string{q.reader.Name}, Cells: q.Groups * q.n,
		Deviation: math.Sqrt(largest)}
	if len(ms) == 1 { // with several mechanisms, the weights of least squares depend on the standard deviations of all of them
		sums.Factors = map[string]float64{"": largest / (deviations[0] * deviations[0])}
	}
	out.Tables = []query.StrategyTable{sums}
	return out, nil
}
