package kinds

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
	"sync"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/sensitivity"
	"github.com/dprelease/dprelease/queries/strategy"
)

// Crosstabs
//
// A crosstabs query counts the same rows in several marginals, each by some of the query's dimensions. Noise is not
// added to these tables but to their residuals ([strategy.Marginals]). So what several tables have in common gets noise
// once, and the tables that are computed from the noisy residuals agree. The released vector holds the noisy residuals,
// as coordinates.

// Crosstabs is a query of marginals over the same dimensions.
type Crosstabs struct {
	Base
	Marginals *strategy.Marginals
	parts               // by residual
	weights   []float64 // weights[i] is the weight of the error of table i in the loss

	mutex   sync.Mutex
	designs map[query.Adjacency]strategy.Design // the designs that were computed, by adjacency
}

// ResidualOfAll is the name of the residual without dimensions: the number of rows.
const ResidualOfAll = "rows"

// newCrosstabs checks a spec and returns its query.
func newCrosstabs(s query.Spec, p *problem.Problems) kind {
	q := &Crosstabs{Base: Base{Spec: s, Axes: newAxes(s, nil, p), Limits: rowLimits(s, p)},
		designs: map[query.Adjacency]strategy.Design{}}
	if s.Declared != 0 {
		p.Add(problem.FieldSensitivity, problem.CodeBadSpec,
			"tables that share their noise have a sensitivity for each component", "leave the declaration out")
	}
	for _, a := range q.Axes {
		if a.Nearest != nil && a.Nearest.BandwidthM != 0 {
			p.Add(a.Field+".nearest.kernel", problem.CodeBadSpec, "a kernel spreads the rows of one histogram",
				"leave kernel out")
		}
	}
	for i, d := range s.By {
		if d.Discover {
			p.Add(s.DimensionField(i), problem.CodeBadSpec, "tables are of listed cells, and keys are discovered",
				"list the keys, or discover them in a histogram")
		}
	}
	if len(p.List) == 0 {
		q.tables(p)
	}
	if len(p.List) == 0 && s.Crosstabs.RoundTo > 0 {
		q.checkRounding(p)
	}
	if len(p.List) > 0 {
		return nil
	}
	for _, r := range q.Marginals.Residuals() {
		q.names, q.lengths = append(q.names, q.residualName(r)), append(q.lengths, q.Marginals.Dimension(r))
	}
	q.Size = sumOf(q.lengths)
	return q
}

// tables finds the marginals that the job requests and their weights, or reports problems with them.
func (q *Crosstabs) tables(p *problem.Problems) {
	x, field := q.Spec.Crosstabs, string(query.Crosstab)
	var sizes []int
	names := map[string]int{}
	for i := range q.Axes {
		sizes = append(sizes, q.Axes[i].Size)
		names[q.axisName(i)] = i
	}
	if len(names) < len(q.Axes) || slices.ContainsFunc(slices.Collect(maps.Keys(names)),
		func(name string) bool { return strings.Contains(name, "*") || name == ResidualOfAll }) {
		p.Add(field+".by", problem.CodeDuplicate, `dimensions of tables have distinct names, not "rows" and without *`,
			"name them with as: NAME")
		return
	}
	var sets []strategy.Set
	for i, k := range x.Ways {
		if k < 1 || k > len(q.Axes) {
			p.Add(fmt.Sprintf("%s.ways[%d]", field, i), problem.CodeBadValue,
				fmt.Sprintf("there are no tables of %d of %d dimensions", k, len(q.Axes)), "")
			continue
		}
		sets = appendSubsets(sets, len(q.Axes), k)
	}
	q.weights = slices.Repeat([]float64{1}, len(sets))
	for i, t := range x.Tables {
		at, s := fmt.Sprintf("%s.tables[%d]", field, i), strategy.Set(0)
		for k, name := range t.By {
			axis, ok := names[name]
			if !ok {
				p.Add(fmt.Sprintf("%s.by[%d]", at, k), problem.CodeUnknownColumn,
					fmt.Sprintf("%q is not among the query's dimensions", name), "tables name dimensions by their columns, or by as")
				continue
			}
			s |= strategy.SetOf(axis)
		}
		weight := t.Weight
		if weight == 0 {
			weight = 1
		}
		if at := slices.Index(sets, s); at >= 0 {
			q.weights[at] = weight
		} else if s != 0 {
			sets, q.weights = append(sets, s), append(q.weights, weight)
		}
	}
	if len(sets) == 0 && len(p.List) == 0 {
		p.Add(field, problem.CodeBadSpec, "no table is asked", "add ways: [1, 2], or tables")
	}
	if len(p.List) > 0 {
		return
	}
	var err error
	if q.Marginals, err = strategy.NewMarginals(sizes, sets); err != nil {
		p.Add(field, problem.CodeTooManyCells, err.Error(), "ask fewer tables, of fewer dimensions")
		return
	}
	for _, s := range sets {
		if q.Spec.Crosstabs.Nonnegative && q.Marginals.Cells(s) > maxNonnegative {
			p.Add(field, problem.CodeTooManyCells, "a table of more than 2^20 cells is not made non-negative, which would take "+
				"minutes", "leave nonnegative out, or ask for smaller tables")
			return
		}
	}
}

// checkRounding reports tables of three and more dimensions that are too large to be rounded so that they agree.
func (q *Crosstabs) checkRounding(p *problem.Problems) {
	field := "crosstabs.integers"
	if q.Spec.Crosstabs.RoundTo > 1 {
		field = "crosstabs.round_to"
	}
	var of []uint64
	for _, t := range q.Marginals.Tables() {
		of = append(of, uint64(t))
	}
	for _, cluster := range clustersOf(of) {
		cells := 1
		for _, i := range strategy.Set(cluster).Attributes() {
			if cells *= q.Axes[i].Size; cells > maxJoint {
				p.Add(field, problem.CodeTooManyCells, "tables of three and more dimensions are rounded together, as sums of one "+
					"table of all their dimensions, which may have at most 2^22 cells",
					"leave "+strings.TrimPrefix(field, "crosstabs.")+" out, or ask fewer of these tables in one query")
				return
			}
		}
		if !q.Spec.Crosstabs.Nonnegative {
			p.Add(field, problem.CodeBadSpec,
				"tables of three and more dimensions are rounded to numbers that are not negative",
				"add nonnegative: true, or ask tables of at most two dimensions")
			return
		}
	}
}

// maxNonnegative is the number of cells of the largest table that can be made non-negative, which takes about 20
// seconds.
const maxNonnegative = 1 << 20

// maxTables is larger than the number of tables of any query for which a design can be computed.
const maxTables = 4 * strategy.MaxResiduals

// appendSubsets appends all sets of k out of n dimensions, in order.
func appendSubsets(sets []strategy.Set, n, k int) []strategy.Set {
	var choose func(s strategy.Set, from, left int)
	choose = func(s strategy.Set, from, left int) {
		if left == 0 {
			if !slices.Contains(sets, s) && len(sets) < maxTables {
				sets = append(sets, s)
			}
			return
		}
		for i := from; i <= n-left && len(sets) < maxTables; i++ {
			choose(s|strategy.SetOf(i), i+1, left-1)
		}
	}
	choose(0, 0, k)
	return sets
}

// residualName names a residual by its dimensions, for example "race*sex".
func (q *Crosstabs) residualName(s strategy.Set) string {
	if s == 0 {
		return ResidualOfAll
	}
	return strings.Join(q.DimensionNames(s), "*")
}

// DimensionNames names the dimensions of a set.
func (q *Crosstabs) DimensionNames(s strategy.Set) []string {
	var names []string
	for _, i := range s.Attributes() {
		names = append(names, q.axisName(i))
	}
	return names
}

// changes returns the changes of the residuals that one unit can make. Item i is one kind of change: it holds the
// squared norm of each residual's change, in rows². k rows can change a residual by k² times as much as one row,
// because all of them may be equal.
func (q *Crosstabs) changes(adj query.Adjacency) [][]float64 {
	out := [][]float64{q.Marginals.Added()}
	if adj == query.ReplaceOne {
		out = q.Marginals.Replaced()
	}
	k := float64(q.Limits.Rows)
	for _, change := range out {
		for i := range change {
			change[i] *= k * k
		}
	}
	return out
}

// design computes the design of least loss at mu = 1.
func (q *Crosstabs) design(adj query.Adjacency) (strategy.Design, error) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if d, ok := q.designs[adj]; ok {
		return d, nil
	}
	d, err := q.Marginals.Solve(q.Spec.Crosstabs.Loss, q.weights, q.changes(adj))
	if err == nil {
		q.designs[adj] = d
	}
	return d, err
}

// norms returns the squared sensitivity of each residual, in rows². Under add-remove it is the largest change of the
// residual. Under replace-one it is smaller: only the changes of all residuals together matter.
func (q *Crosstabs) norms(adj query.Adjacency, d strategy.Design) (out []*big.Rat) {
	k := new(big.Rat).SetInt64(q.Limits.Rows)
	k.Mul(k, k)
	for i, r := range q.Marginals.Residuals() {
		if adj == query.ReplaceOne {
			out = append(out, new(big.Rat).SetFloat64(d.Costs[i]))
			continue
		}
		norm := q.Marginals.ColumnNorm(r)
		out = append(out, norm.Mul(norm, k))
	}
	return out
}

// checkTogether returns an error if one unit can make a change whose mu, over all residuals together, is larger than
// the components' mu² add up to.
func (q *Crosstabs) checkTogether(adj query.Adjacency, ms []calibrate.Mechanism) error {
	if adj != query.ReplaceOne {
		return nil
	}
	stated := 0.0
	for _, m := range ms {
		mu := m.Sens.L2 / float64(m.Sigma)
		stated += mu * mu
	}
	for _, change := range q.changes(adj) {
		mu2 := 0.0
		for i, k := range change {
			mu2 += k / (float64(ms[i].Sigma) * float64(ms[i].Sigma))
		}
		if mu2 > stated {
			return errProportion
		}
	}
	return nil
}

var errProportion = errors.New("the noise of the tables' parts is not in proportion to what the plan charges")

// Components returns one component for each residual, with its sensitivity and its weight in splitting the budget.
func (q *Crosstabs) Components(adj query.Adjacency) ([]query.Component, error) {
	if err := q.checkAdjacency(adj); err != nil {
		return nil, err
	}
	d, err := q.design(adj)
	if err != nil {
		return nil, problem.One(q.Spec.Name, string(query.Crosstab), problem.CodeBadSpec,
			"the best weights of the tables were not found", "use optimize: cells")
	}
	norms := q.norms(adj, d)
	var out []query.Component
	for i, r := range q.Marginals.Residuals() {
		l2 := sensitivity.RootUpRat(norms[i])
		out = append(out, query.Component{
			Name: q.names[i], Sens: calibrate.Sensitivity{L2: l2, Why: q.whyResidual(adj, r, l2)},
			Cells:   q.lengths[i],
			Quantum: q.Marginals.Quantum(r), RowBound: strategy.RowBound, Scale: 1, Weight: d.Costs[i] / d.Variances[i],
		})
	}
	return out, nil
}

// whyResidual returns the one-line argument for a residual's sensitivity.
func (q *Crosstabs) whyResidual(adj query.Adjacency, r strategy.Set, l2 float64) string {
	what := "contrasts of one cell of " + strings.Join(q.DimensionNames(r), " by ")
	if r == 0 {
		what = "1 to the number of rows"
	}
	who := "each row adds the "
	switch {
	case adj == query.ReplaceOne:
		return fmt.Sprintf("replacing %s changes all parts of the tables by no more, together, than if this one changed "+
			"by: %s",
			q.rowsText(), spelling.Exact(l2))
	case !q.Spec.PerRow():
		who = fmt.Sprintf("%s adds at most %s, each of them the ", q.Spec.EachUnit(), q.rowsText())
	}
	if r == 0 {
		who = strings.TrimSuffix(who, "the ")
	}
	return who + what + ": " + spelling.Exact(l2)
}

// Strategy describes the errors of the tables that are computed from the noisy residuals, and of other designs.
func (q *Crosstabs) Strategy(adj query.Adjacency, ms []calibrate.Mechanism) (query.Strategy, error) {
	if len(ms) != len(q.names) {
		return query.Strategy{}, errComponents
	}
	d, err := q.design(adj)
	if err == nil {
		err = q.checkTogether(adj, ms)
	}
	if err != nil {
		return query.Strategy{}, err
	}
	out := query.Strategy{Name: query.StrategyResiduals, Loss: q.Spec.Crosstabs.Loss}
	names, variances := q.tableNames(), variancesOf(ms)
	for k, t := range q.Marginals.Tables() {
		of := query.StrategyTable{Name: names[k], By: q.DimensionNames(t), Cells: q.Marginals.Cells(t),
			Factors: map[string]float64{}}
		variance := 0.0
		for i, r := range q.Marginals.Residuals() {
			if t.Has(r) {
				of.Factors[q.names[i]] = q.Marginals.Factor(t, r)
				variance += of.Factors[q.names[i]] * variances[i]
			}
		}
		of.Deviation = math.Sqrt(variance)
		out.Tables = append(out.Tables, of)
	}
	out.Error = q.errorOf(out.Tables)
	mu := float64(calibrate.ComposedMu(ms))
	unit := float64(q.Limits.Rows) / mu // the standard deviation of a cell if a single table gets all of mu
	if adj == query.ReplaceOne {
		unit *= math.Sqrt2
	} else {
		out.Bound = d.Bound / mu
	}
	other := q.Marginals.Compare(out.Loss, q.weights)
	out.Others = []strategy.Candidate{{Name: "a table of all dimensions, added up", Error: unit * other.Joint},
		{Name: "each table alone, equal noise", Error: unit * other.Equal}, {Name: "each table alone, best noise",
			Error: unit * other.Alone}}
	if other.Averaged > 0 {
		out.Others = append(out.Others, strategy.Candidate{Name: "each table with noise, averaged",
			Error: unit * other.Averaged})
	}
	return out, nil
}

// errorOf returns the square root of the tables' loss (job key optimize).
func (q *Crosstabs) errorOf(tables []query.StrategyTable) float64 {
	sum, total, largest := 0.0, 0.0, 0.0
	for k, t := range tables {
		w := q.weights[k]
		largest = max(largest, w*t.Deviation*t.Deviation)
		if q.Spec.Crosstabs.Loss == strategy.LossCells {
			w *= float64(t.Cells)
		}
		sum, total = sum+w*t.Deviation*t.Deviation, total+w
	}
	if q.Spec.Crosstabs.Loss == strategy.LossLargest {
		return math.Sqrt(largest)
	}
	return math.Sqrt(sum / total)
}

// tableNames returns the tables' names for file names.
func (q *Crosstabs) tableNames() []string {
	var names [][]string
	for _, t := range q.Marginals.Tables() {
		names = append(names, q.DimensionNames(t))
	}
	return fileNames(names, "table")
}

// Aggregation describes counting the largest tables. All residuals follow from these.
func (q *Crosstabs) Aggregation(s table.Schema) (*aggregation.Aggregation, error) {
	a, err := q.Base.Aggregation(s)
	a.Tables, a.CellPerAxis = nil, true
	for _, t := range q.Marginals.Largest() {
		a.Tables = append(a.Tables, t.Attributes())
	}
	return a, err
}

// Hide computes each residual from the first table that contains it, and returns one exact answer for each residual.
func (q *Crosstabs) Hide(t accumulate.Totals) (out []mechanism.Exact, err error) {
	largest := q.Marginals.Largest()
	for _, counts := range t.Tables {
		q.capTotal(counts)
	}
	for _, r := range q.Marginals.Residuals() {
		k := slices.IndexFunc(largest, func(t strategy.Set) bool { return t.Has(r) }) // there is always such a table
		e, err := mechanism.HideWide(q.Marginals.Quantum(r), q.Marginals.Measure(r, largest[k], t.Tables[k]))
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	for _, counts := range t.Tables {
		clear(counts)
	}
	return out, nil
}

// Bytes returns the memory of the cells: see [query.Query].
func (q *Crosstabs) Bytes(workers int, _ int64) int64 {
	n := 32 * int64(q.Size) // all residuals, and one more while it is computed
	for _, t := range q.Marginals.Largest() {
		n += 8 * int64(q.Marginals.Cells(t)) * q.copies(workers)
	}
	return n
}

// Directions returns nil, since the coordinates of residuals have no order.
func (q *Crosstabs) Directions() []domain.Direction { return nil }

// LooksEmpty reports whether the noisy number of rows could be noise alone.
func (q *Crosstabs) LooksEmpty(noisy []mechanism.Noisy) bool {
	return sumIsNoise(noisy[0])
}

// rowLimits returns limits that bound only the number of a unit's rows. All of these rows may be in the same cell of
// every table.
func rowLimits(s query.Spec, p *problem.Problems) bounding.Limits {
	rows := newLimits(s, math.MaxInt32, p).Rows
	return bounding.Limits{Rows: rows, Cells: rows, RowsPerCell: rows}
}
