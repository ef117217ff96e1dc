package queries

import (
	"fmt"
	"math"
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/mechanism/int128"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/sensitivity"
	"github.com/dprelease/dprelease/queries/strategy"
)

// Histograms for what lies below
//
// The noise of cells adds up in the sums below an edge: a cumulative distribution of n cells has an error of sqrt(n/2) cells. If these sums are
// what a histogram is for, its noise goes to other numbers, from which the sums have an error that grows with ln(n)
// ([strategy.NewOrdered]); cells are the differences of neighbouring sums, and have about twice the error. If noise in the cells is best for the
// sums as well, the cells take it.

// LossSums is the loss of a histogram for its sums: the mean square error of the numbers of rows below each edge but the first.
const LossSums strategy.Loss = "cdf"

// The names of the table of sums, and of the columns that hold the noisy numbers.
const (
	sumsReading    = "sums"
	noisyMeasured  = "noisy_measurement"
	noisyWidth     = "noisy_width_"
	optimizedField = "histogram.optimize"
)

// ordering is a histogram whose noise goes to sums of its cells along one dimension.
type ordering struct {
	counting
	form *strategy.Ordered
	// n cells along the dimension, in each of some groups that the other dimensions make
	n, groups int
}

// newOrdering makes the query of a histogram that was checked, or reports what does not go with sums.
func newOrdering(c counting, p *problem.Problems) Query {
	s := &c.spec
	if c.reader == nil {
		c.reader = newSumsReader(c.spec, c.axes, c.cells, p)
	}
	if s.Declared != 0 {
		p.Add(problem.FieldSensitivity, problem.CodeBadSpec, "sums of cells have sensitivities of their own", "leave the declaration out")
	}
	if c.kernel != nil {
		p.Add(optimizedField, problem.CodeBadSpec, "a kernel spreads rows over points, which have no order", "leave optimize or the kernel out")
	}
	if len(p.List) > 0 {
		return &c
	}
	q := &ordering{counting: c, n: c.reader.size, groups: c.cells / c.reader.size}
	if q.n != len(c.reader.edges)-1 {
		p.Add(optimizedField, problem.CodeBadSpec, "a cell for null or other has no place in the order", "use drop in the dimension with edges, and count such rows in a query of their own")
		return &c
	}
	if q.n > strategy.MaxOrdered {
		p.Add(optimizedField, problem.CodeTooManyCells, fmt.Sprintf("more than 2^20 = %d cells along the dimension", strategy.MaxOrdered), "use wider cells")
		return &c
	}
	l := c.limits
	q.form = strategy.NewOrdered(q.n, q.groups, strategy.Bounds{Rows: l.Rows, Groups: l.Groups, PerGroup: l.PerGroup})
	return q
}

// newSumsReader reads nothing but the sums, or reports what is wrong with the dimensions.
func newSumsReader(s Spec, axes []domain.Axis, cells int, p *problem.Problems) *distributionReader {
	s.Read.CDF = true
	r := newReader(s, axes, cells, p)
	if r != nil {
		r.cdf = false
	}
	return r
}

// cell is the place in the vector of cell i of a group.
func (q *ordering) cell(group, i int) int {
	r := q.reader
	return group/r.stride*r.stride*r.size + group%r.stride + i*r.stride
}

// componentName names a component: the only one has none.
func (q *ordering) componentName(level int) string {
	if len(q.form.Levels()) == 1 {
		return ""
	}
	return fmt.Sprintf("width %d", q.form.Levels()[level].Width)
}

// Components states a mechanism for each level of the strategy. No number of a strategy's matrix is negative, so that under replace-one the
// squared norms of what one unit takes away and adds sum up at most.
func (q *ordering) Components(adj Adjacency) ([]Component, error) {
	p := &problem.Problems{Query: q.spec.Name}
	if adj.Check(p); len(p.List) > 0 {
		return nil, p.Err()
	}
	var out []Component
	for l, level := range q.form.Levels() {
		norm := new(big.Rat).Set(level.Norm2)
		who := "each row adds one row to "
		if !q.spec.perRow() {
			who = "each " + q.spec.unitName() + " adds " + limitsText(q.limits, q.cells) + ", to "
		}
		if adj == ReplaceOne {
			norm.Add(norm, norm)
			who = "taking rows away and adding others, each at most as follows, sqrt(2) times: " + who
		}
		l2 := rootUpRat(norm)
		out = append(out, Component{
			Name: q.componentName(l), Sens: calibrate.Sensitivity{L2: l2, Why: who + level.Why + ": " + domain.Shortest(l2)},
			Cells: q.groups * level.Cells, Quantum: level.Quantum, RowBound: 1, Scale: 1, Weight: level.Weight,
		})
	}
	return out, nil
}

// New compiles the query.
func (q *ordering) New(s table.Schema, spill bounding.Spill) (Accumulator, error) {
	p := &problem.Problems{Query: q.spec.Name}
	groups := domain.NewGrouping(q.axes, q.layout(s, p))
	u := q.compileUnits(s, p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	return q.gather(q, &accumulate.Counts{Groups: groups, Cells: q.cells, Finish: q.seal}, u, bounding.CellBytes, 0, spill), nil
}

// seal measures the levels of all groups and hides them.
func (q *ordering) seal(cells []int64) ([]mechanism.Exact, error) {
	levels := q.form.Levels()
	measured := make([]int128.Slice, len(levels))
	for l, level := range levels {
		measured[l] = int128.Make(q.groups * level.Cells)
	}
	counts := make([]int64, q.n)
	for g := range q.groups {
		for i := range counts {
			counts[i] = min(cells[q.cell(g, i)], accumulate.MaxRows)
		}
		for l, y := range q.form.Measure(counts) {
			measured[l].Cut(g*levels[l].Cells, (g+1)*levels[l].Cells).AddSlice(y)
		}
	}
	clear(cells)
	clear(counts)
	var out []mechanism.Exact
	for l, level := range levels {
		e, err := mechanism.SealWide(level.Quantum, measured[l])
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

func (q *ordering) bytes(workers int, _ int64) int64 {
	n := 8 * int64(q.cells) * max(q.copies(workers), 2)
	for _, level := range q.form.Levels() {
		n += 16 * int64(q.groups) * int64(level.Cells)
	}
	return n
}

// deviations are those of the noise of the components.
func deviationsOf(noisy []mechanism.Noisy) []float64 {
	var out []float64
	for _, n := range noisy {
		out = append(out, n.Mechanism().Deviation())
	}
	return out
}

// sums are the estimated sums of all groups, from 0 on: n + 1 each.
func (q *ordering) sums(noisy []mechanism.Noisy) [][]float64 {
	deviations, levels := deviationsOf(noisy), q.form.Levels()
	y := make([][]float64, len(levels))
	out := make([][]float64, q.groups)
	for g := range out {
		for l, level := range levels {
			y[l] = make([]float64, level.Cells)
			noisy[l].Fill(g*level.Cells, y[l])
		}
		out[g] = append([]float64{0}, q.form.Sums(y, deviations)...)
	}
	return out
}

// Finish makes the cells of the noisy numbers, and reads the sums and what else is asked off them.
func (q *ordering) Finish(noisy, estimate []mechanism.Noisy) (Answer, error) {
	var lengths []int
	for _, level := range q.form.Levels() {
		lengths = append(lengths, q.groups*level.Cells)
	}
	if err := checkComponents(q.Name(), noisy, estimate, lengths...); err != nil {
		return Answer{}, err
	}
	spread, below := q.form.Spread(deviationsOf(noisy)), q.sums(noisy)
	values, deviations := make([]float64, q.cells), make([]float64, q.cells)
	for g, s := range below {
		for i := range q.n {
			values[q.cell(g, i)], deviations[q.cell(g, i)] = s[i+1]-s[i], math.Sqrt(spread.Cells[i])
		}
	}
	a := answerOf(values, deviations)
	a.Keys = domain.KeyColumns(q.axes)
	a.Extra = q.measurements(noisy)
	sums := q.sumsTable(below, spread)
	a.Readings = append([]Reading{{sumsReading, sums}}, q.reader.read(q.groups, spread, func(g int) sumsBelow { return sumsBelow{below[g], below[g]} })...)
	return a, nil
}

// answerOf makes the columns of values in memory with normal noise of some deviations.
func answerOf(values, deviations []float64) Answer {
	return Answer{
		Cells: len(values), Noisy: held(values), Estimate: held(values), Sigma: held(deviations),
		Low: beside(values, deviations, -1), High: beside(values, deviations, 1),
	}
}

// sumsTable is the numbers of rows below each edge but the first.
func (q *ordering) sumsTable(below [][]float64, spread strategy.Spread) Answer {
	var values, deviations []float64
	for _, s := range below {
		values = append(values, s[1:]...)
		for _, v := range spread.Variance {
			deviations = append(deviations, math.Sqrt(v))
		}
	}
	a := answerOf(values, deviations)
	a.Keys = q.reader.keysWith(q.reader.belowColumn())
	return a
}

// measurements are the noisy numbers, level by level, in columns of the cells: each stands at the first of the cells that it counts, and NaN
// at the others.
func (q *ordering) measurements(noisy []mechanism.Noisy) []Extra {
	var out []Extra
	for l, level := range q.form.Levels() {
		column, y := make([]float64, q.cells), make([]float64, q.groups*level.Cells)
		noisy[l].Fill(0, y)
		for i := range column {
			column[i] = math.NaN()
		}
		for k, x := range y {
			column[q.first(level, k)] = x
		}
		out = append(out, Extra{q.columnName(l), held(column)})
	}
	return out
}

func (q *ordering) columnName(level int) string {
	if w := q.form.Levels()[level].Width; w > 0 {
		return fmt.Sprint(noisyWidth, w)
	}
	return noisyMeasured
}

// first is the place of the k-th number of a level among the cells.
func (q *ordering) first(level strategy.Level, k int) int {
	return q.cell(k/level.Cells, k%level.Cells*max(level.Width, 1))
}

// Recover reads the noisy numbers back.
func (q *ordering) Recover(c Columns, grids []float64) (out Recovered, err error) {
	levels := q.form.Levels()
	if len(grids) != len(levels) || len(c.Extra) != len(levels) {
		return out, errInexact
	}
	for l, level := range levels {
		if len(c.Extra[l]) != q.cells {
			return out, errInexact
		}
		y := make([]float64, q.groups*level.Cells)
		for k := range y {
			y[k] = c.Extra[l][q.first(level, k)]
		}
		units, err := toUnits(y, grids[l])
		if err != nil {
			return out, err
		}
		out.Units = append(out.Units, units)
	}
	return out, nil
}

// looksEmpty looks at the estimated number of all rows.
func (q *ordering) looksEmpty(noisy []mechanism.Noisy) bool {
	spread, total := q.form.Spread(deviationsOf(noisy)), 0.0
	for _, s := range q.sums(noisy) {
		total += s[q.n]
	}
	return math.Abs(total) <= largestNoise*math.Sqrt(float64(q.groups)*spread.Variance[q.n-1])
}

// Strategy says what becomes of the noise in the sums.
func (q *ordering) Strategy(adj Adjacency, ms []calibrate.Mechanism) (Strategy, error) {
	if len(ms) != len(q.form.Levels()) {
		return Strategy{}, errComponents
	}
	var deviations []float64
	for _, m := range ms {
		deviations = append(deviations, m.Deviation())
	}
	unit := 1 / float64(calibrate.ComposedMu(ms))
	if adj == sensitivity.ReplaceOne {
		unit *= math.Sqrt2
	}
	out := Strategy{Name: string(q.form.Form()), Loss: LossSums, Error: q.form.Error(deviations)}
	for _, c := range q.form.Considered() {
		out.Others = append(out.Others, strategy.Candidate{Name: c.Name, Error: unit * c.Error})
	}
	largest := 0.0
	for _, v := range q.form.Spread(deviations).Variance {
		largest = max(largest, v)
	}
	sums := StrategyTable{Name: sumsReading, By: []string{q.reader.name}, Cells: q.groups * q.n, Deviation: math.Sqrt(largest)}
	if len(ms) == 1 { // else the weights of the least squares depend on all deviations
		sums.Factors = map[string]float64{"": largest / (deviations[0] * deviations[0])}
	}
	out.Tables = []StrategyTable{sums}
	return out, nil
}
