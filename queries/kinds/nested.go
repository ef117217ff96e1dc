package kinds

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"sync"

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

// Nested levels
//
// A dimension can have levels, such as regions, counties and cities. A crosstabs query with such a dimension has one
// table for each level, by the groups of the level and all other dimensions. Only the cells of the last level are
// counted; the other levels are sums of these. Each level gets noise of its own. The released tables are least-squares
// estimates from all levels ([strategy.Nested]), so the levels add up.

// Nested is a query with a table for each level of its first dimension.
type Nested struct {
	Base
	Tree  *strategy.Nested
	parts                  // by level
	solve func() []float64 // computes the fraction of mu² for each level
}

// The key columns of the noisy numbers: the level, and the index of the number in the level.
const (
	levelKey  = "level"
	numberKey = "number_in_level"
)

// newNested checks a spec and returns its query.
func newNested(s query.Spec, p *problem.Problems) kind {
	q := &Nested{Base: Base{Spec: s, Axes: newAxes(s, nil, p), Limits: rowLimits(s, p)}}
	if s.Declared != 0 {
		p.Add(problem.FieldSensitivity, problem.CodeBadSpec, "levels have a sensitivity each", "leave the declaration out")
	}
	if len(s.Crosstabs.Ways) > 0 || len(s.Crosstabs.Tables) > 0 {
		p.Add(string(query.Crosstab), problem.CodeBadSpec, "with levels, there is a table for each level by all dimensions",
			"leave ways and tables out")
	}
	for i, d := range s.By {
		at := s.DimensionField(i)
		switch {
		case d.Levels != nil && i > 0:
			p.Add(at+".levels", problem.CodeBadSpec, "only the first dimension can have levels", "put it first")
		case d.Discover:
			p.Add(at, problem.CodeBadSpec, "tables are of listed cells, and keys are discovered", "list the keys")
		case d.Nearest != nil && d.Nearest.BandwidthM != 0:
			p.Add(at+".nearest.kernel", problem.CodeBadSpec, "a kernel spreads the rows of one histogram", "leave kernel out")
		case d.Levels != nil && (d.Null == domain.OwnCell || d.Other == domain.OwnCell):
			p.Add(at, problem.CodeBadSpec, "a cell for null or other lies in no group of a level", "use drop")
		}
	}
	if len(p.List) > 0 {
		return nil
	}
	q.tree(p)
	if len(p.List) > 0 {
		return nil
	}
	q.solve = sync.OnceValue(func() []float64 { return q.Tree.Solve(s.Crosstabs.Loss) })
	return q
}

// tree builds the tree of groups, or reports problems with the levels.
func (q *Nested) tree(p *problem.Problems) {
	levels, at := q.Spec.By[0].Levels, q.Spec.DimensionField(0)+".levels"
	cells := 1
	for i := range q.Axes[1:] {
		if size := q.Axes[1+i].Size; cells <= strategy.MaxTableCells/max(size, 1) {
			cells *= size
		} else {
			cells = strategy.MaxTableCells + 1
		}
	}
	if cells > strategy.MaxTableCells/q.Axes[0].Size {
		p.Add(q.Spec.ByField(), problem.CodeTooManyCells, fmt.Sprintf("a level of more than 2^24 = %d cells",
			strategy.MaxTableCells), "use fewer dimensions or fewer cells a dimension")
		return
	}
	var groups [][]int32
	lowest := -1
	for l := range q.Spec.Crosstabs.Known {
		lowest = max(lowest, l)
	}
	known := make([]bool, len(levels))
	for l, level := range levels {
		if len(level.Groups) != q.Axes[0].Size {
			p.Add(at, problem.CodeBadSpec, "level "+level.Name+" has not a group for each cell", "")
			return
		}
		q.names, groups, known[l] = append(q.names, level.Name), append(groups, level.Groups), l <= lowest
	}
	tree, err := strategy.NewNested(groups, cells, known)
	if err != nil {
		p.Add(at, problem.CodeBadSpec, err.Error(), "name the levels from the coarsest to the finest")
		return
	}
	q.Tree = tree
	for l := range levels {
		q.lengths = append(q.lengths, tree.Size(l)*cells)
	}
	q.Size = sumOf(q.lengths)
	seen := map[string]bool{}
	for _, k := range q.keys(len(levels) - 1) {
		if seen[k.Name] || slices.Contains(answerColumns, k.Name) {
			p.Add(at, problem.CodeDuplicate, fmt.Sprintf("the answer would have two columns %q", k.Name),
				"name the dimension with as: NAME")
			return
		}
		seen[k.Name] = true
	}
	q.checkKnown(p)
}

// checkKnown reports public totals that do not fit the tree. It also computes the public totals of the coarser levels.
func (q *Nested) checkKnown(p *problem.Problems) {
	given := q.Spec.Crosstabs.Known
	if len(given) == 0 {
		return
	}
	known := maps.Clone(given)
	if q.Spec.Crosstabs.RoundTo > 1 {
		p.Add("crosstabs.round_to", problem.CodeBadSpec,
			"public totals are published as they are, and need not be multiples of it", "use integers, or leave known out")
		return
	}
	q.Spec.Crosstabs = &query.Crosstabs{Loss: q.Spec.Crosstabs.Loss, Nonnegative: q.Spec.Crosstabs.Nonnegative,
		RoundTo: q.Spec.Crosstabs.RoundTo, Known: known}
	for l := q.Tree.Levels() - 1; l >= 0; l-- {
		totals, ok := known[l]
		if ok && len(totals) != q.Tree.Size(l) {
			p.Add("crosstabs.known", problem.CodeBadSpec, "there is not a total for each group of "+q.names[l], "")
			return
		}
		for i, x := range totals {
			if x < 0 || x != math.Trunc(x) || x >= 1<<48 {
				p.Add("crosstabs.known", problem.CodeBadSpec, fmt.Sprintf("total %d of %s is not a number of rows", i+1,
					q.names[l]), "")
				return
			}
		}
		if l+1 == q.Tree.Levels() || known[l+1] == nil {
			continue
		}
		sums := make([]float64, q.Tree.Size(l))
		for i := range sums {
			from, to := q.Tree.Children(l, i)
			for _, x := range known[l+1][from:to] {
				sums[i] += x
			}
		}
		if known[l] = sums; ok && !slices.Equal(sums, totals) {
			p.Add("crosstabs.known", problem.CodeBadSpec, "the totals of "+q.names[l+1]+" do not add up to the totals of "+
				""+q.names[l],
				"correct one of the two files: the totals of both levels must agree")
			return
		}
	}
}

// known returns the public totals of each level. An item is nil if the level has no public totals.
func (q *Nested) known() [][]float64 {
	out := make([][]float64, q.Tree.Levels())
	for l, totals := range q.Spec.Crosstabs.Known {
		out[l] = totals
	}
	return out
}

// others returns the names of the dimensions without levels.
func (q *Nested) others() []string {
	var names []string
	for i := range q.Axes[1:] {
		names = append(names, q.axisName(1+i))
	}
	return names
}

// Components returns one component for each level.
func (q *Nested) Components(adj query.Adjacency) ([]query.Component, error) {
	if err := q.checkAdjacency(adj); err != nil {
		return nil, err
	}
	l2 := sensitivity.RootUpRat(q.norm(adj))
	var out []query.Component
	for l, share := range q.solve() {
		out = append(out, query.Component{
			Name: q.names[l], Sens: calibrate.Sensitivity{L2: l2, Why: q.why(adj, l2)}, Cells: q.lengths[l],
			Quantum: 1, RowBound: 1, Scale: 1, Weight: share,
		})
	}
	return out, nil
}

// norm returns the largest squared norm of one unit's change in a level, in rows². All rows of the unit may be in one
// cell. Under replace-one they may all move to another cell.
func (q *Nested) norm(adj query.Adjacency) *big.Rat {
	k := new(big.Rat).SetInt64(q.Limits.Rows)
	k.Mul(k, k)
	if adj == query.ReplaceOne {
		k.Add(k, k)
	}
	return k
}

// why returns the reason for the sensitivity of a level, in one line.
func (q *Nested) why(adj query.Adjacency, l2 float64) string {
	what := "each row adds 1 to one cell of the level: "
	switch rows := q.rowsText(); {
	case adj == query.ReplaceOne && q.Limits.Rows == 1:
		what = "replacing a row takes 1 from one cell of the level and adds 1 to another: "
	case adj == query.ReplaceOne:
		what = fmt.Sprintf("%s can move at most %s from one cell of the level to another: ", q.Spec.EachUnit(), rows)
	case !q.Spec.PerRow():
		what = fmt.Sprintf("%s adds at most %s to the level, which may be in one cell: ", q.Spec.EachUnit(), rows)
	}
	return what + spelling.Exact(l2)
}

// Strategy describes the error of each level.
func (q *Nested) Strategy(adj query.Adjacency, ms []calibrate.Mechanism) (query.Strategy, error) {
	if len(ms) != len(q.names) {
		return query.Strategy{}, errComponents
	}
	loss := q.Spec.Crosstabs.Loss
	errs := q.Tree.Errors(variancesOf(ms))
	out := query.Strategy{Name: query.StrategyNested, Loss: loss, Error: math.Sqrt(q.Tree.Loss(loss, errs)),
		Others: []strategy.Candidate{}}
	for l, name := range q.tableNames() {
		out.Tables = append(out.Tables, query.StrategyTable{Name: name, By: append([]string{q.names[l]}, q.others()...),
			Cells: q.lengths[l], Deviation: math.Sqrt(errs[l].Largest)})
		if q.Tree.Known(l) {
			out.Known = append(out.Known, q.names[l])
		}
	}
	if q.Tree.AnyKnown() {
		// with public totals the other designs would have smaller errors, too, so a comparison would mislead
		return out, nil
	}
	mu := float64(calibrate.ComposedMu(ms))
	norm, _ := q.norm(adj).Float64()
	unit := math.Sqrt(norm) / mu
	leaves, equal, alone := q.Tree.Compare(loss)
	out.Others = []strategy.Candidate{{Name: "the last level alone, added up", Error: unit * leaves},
		{Name: "each level alone, equal noise", Error: unit * equal}, {Name: "each level alone, best " +
			"noise", Error: unit * alone}}
	return out, nil
}

// tableNames returns the tables' names for file names: the names of the levels, if possible.
func (q *Nested) tableNames() []string {
	var names [][]string
	for _, name := range q.names {
		names = append(names, []string{name})
	}
	return fileNames(names, "level")
}

// keys returns the key columns of a level's table. For places they include the names of all larger groups, because two
// groups can contain places with the same name.
func (q *Nested) keys(level int) (keys []domain.KeyColumn) {
	d := q.Axes[0].Dimension
	levels := d.Levels
	if levels[level].Edges != nil {
		d.Edges, d.Levels = levels[level].Edges, nil
		axes := domain.NewAxes([]domain.Dimension{d}, q.Spec.Location, "", nil, &problem.Problems{})
		keys = domain.KeyColumns(axes)
	} else {
		for a := range level + 1 {
			k := domain.KeyColumn{Name: levels[a].Name, Labels: domain.Labels{Strings: make([]string, q.Tree.Size(level))}}
			if a == len(levels)-1 {
				k.Name = q.Axes[0].Name()
			}
			for i, g := range levels[level].Groups {
				k.Labels.Strings[g] = levels[a].Labels[levels[a].Groups[i]]
			}
			keys = append(keys, k)
		}
	}
	for i := range keys {
		keys[i].Stride = q.Tree.Cells()
	}
	return append(keys, domain.KeyColumns(q.Axes[1:])...)
}

// Aggregation describes counting the cells of the last level.
func (q *Nested) Aggregation(s table.Schema) (*aggregation.Aggregation, error) {
	a, err := q.Base.Aggregation(s)
	a.Dense = true
	return a, err
}

// Hide computes the counts of all levels and returns one exact answer for each level.
func (q *Nested) Hide(t accumulate.Totals) (out []mechanism.Exact, err error) {
	q.capTotal(t.Tables[0])
	for _, counts := range q.Tree.Measure(t.Tables[0]) {
		level, err := accumulate.HideCounts(counts)
		if err != nil {
			return nil, err
		}
		out = append(out, level...)
	}
	return out, nil
}

// Bytes returns the memory of the cells: see [query.Query].
func (q *Nested) Bytes(workers int, _ int64) int64 {
	last := int64(q.Tree.Size(q.Tree.Levels()-1)) * int64(q.Tree.Cells())
	return 8*last*q.copies(workers) + 16*int64(q.Size)
}

// Directions returns nil, since the noisy numbers belong to several tables.
func (q *Nested) Directions() []domain.Direction { return nil }

// LooksEmpty reports whether the sum of the first level's noisy numbers could be noise alone.
func (q *Nested) LooksEmpty(noisy []mechanism.Noisy) bool {
	return sumIsNoise(noisy[0])
}

// Finish returns the answer, which holds the noisy numbers of all levels, and computes the tables of estimates from it.
func (q *Nested) Finish(ctx context.Context, noisy, estimate []mechanism.Noisy) (query.Answer, error) {
	if err := checkComponents(q.Name(), noisy, estimate, q.lengths...); err != nil {
		return query.Answer{}, err
	}
	a, y := q.partsAnswer(levelKey, numberKey, noisy)
	for l := range y {
		y[l] = slices.Clone(y[l]) // Estimate changes it
	}
	variances := variancesOf(mechanismsOf(noisy))
	q.Tree.Estimate(y, variances, q.known())
	spread := q.Tree.Variances(variances)
	made := y
	if q.Spec.Crosstabs.Adjusted() {
		if made = q.agree(ctx, y, spread); made == nil {
			return query.Answer{}, context.Cause(ctx)
		}
	}
	for l, name := range q.tableNames() {
		t := q.table(y[l], made[l], spread[l])
		t.Keys = q.keys(l)
		a.Readings = append(a.Readings, query.Reading{Name: name, Answer: t})
	}
	return a, nil
}

// table returns the columns of a level's table. y holds the estimates, and adjusted the estimates after they were made
// non-negative or integer. variances[i] is the variance of a cell of node i.
func (q *Nested) table(y, adjusted, variances []float64) query.Answer {
	cells := q.Tree.Cells()
	t := answerOf(y, func(start int, dst []float64) {
		for i := range dst {
			dst[i] = math.Sqrt(variances[(start+i)/cells])
		}
	})
	if q.Spec.Crosstabs.Adjusted() {
		t.Estimate = query.HeldSeries(adjusted)
		t.Low, t.High = outerOf(t.Low, t.Estimate, math.Min), outerOf(t.High, t.Estimate, math.Max)
	}
	if q.Spec.Crosstabs.Nonnegative {
		t.Low, t.High = notBelowZero(t.Low), notBelowZero(t.High)
	}
	return t
}

// Lattice describes the tables: the first dimension has the query's levels, and each other dimension has one.
func (q *Nested) Lattice() (out query.Lattice) {
	last := q.Tree.Levels() - 1
	first := [][]int32{{0, int32(q.Tree.Size(0))}}
	for l := range last {
		first = append(first, q.Tree.First(l))
	}
	out.First = append(out.First, first)
	for i := range q.Axes[1:] {
		out.First = append(out.First, [][]int32{{0, int32(q.Axes[1+i].Size)}})
	}
	for l := range last + 1 {
		levels := slices.Repeat([]int{1}, len(q.Axes))
		levels[0] = l + 1
		out.Tables = append(out.Tables, levels)
		if q.Tree.Known(l) {
			totals := make([]int, len(q.Axes))
			totals[0] = l + 1
			out.Public = append(out.Public, totals)
		}
	}
	out.Step = latticeStep(q.Spec.Crosstabs)
	return out
}
