package pipeline

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/queries/query"
)

// Means and variances use all noisy counts of their rows
//
// A mean divides a noisy sum by a noisy number of rows. If other queries count the same rows, by the same, finer or
// coarser cells, then all noisy counts together are more accurate than one of them. The plan decides from the queries'
// definitions which vectors count the same rows ([kinds.Vectors]). A release combines them by generalised least squares
// ([denoise.Consistent]): their noise is independent and its variances are known, so the result is unbiased, and no
// linear unbiased estimate is more accurate. Sums of the same values are combined in the same way.
//
// A publish rule leaves cells of a query empty. Other queries do not use the vectors of such a query, since its empty
// cells could be computed from the result. Such a query itself combines vectors only cell by cell.

// maxShared is the largest number of cells of a vector that is combined with others, since they are held in memory.
const maxShared = 1 << 20

// sharedVector is a component of a query, together with the vectors of other queries that measure the same rows.
type sharedVector struct {
	component int
	deviation float64 // the standard deviation of the combined estimate
	shape     denoise.Shape
	others    []otherVector
}

// otherVector is a vector of another query that measures the same rows: sums of its cells over some axes equal sums of
// this query's cells.
type otherVector struct {
	query, component int
	axes             []int // the axes of this query's vector that the sums keep, ascending
	deviation        float64
	// place[i] is the index of the sum that contains cell i of the other vector; −1 if no sum contains it.
	place []int32
	sums  int
}

// shareRows finds, for each query, the vectors of other queries that measure the same rows.
func (b *builder) shareRows(p *Plan) {
	vectors := make([][]kinds.Vector, len(p.queries))
	for i := range p.queries {
		if q := &p.queries[i]; q.cells() <= maxShared {
			var err error
			if vectors[i], err = kinds.Vectors(q.Query, len(b.job.Privacy.Unit.Columns) == 0 || q.overUnits); err != nil {
				b.report(q.path, "job", err.Error(), "")
				return
			}
		}
	}
	for i := range p.queries {
		q := &p.queries[i]
		combiner, ok := q.Query.(kinds.Combiner)
		if !ok {
			continue
		}
		var better []kinds.Better
		for _, v := range vectors[i] {
			if s := p.share(i, v, vectors); len(s.others) > 0 {
				q.shared = append(q.shared, s)
				better = append(better, kinds.Better{Component: s.component, Deviation: s.deviation})
			}
		}
		if len(better) > 0 {
			q.Query = combiner.With(better)
		}
	}
}

// cells returns the number of cells of the query's longest component.
func (q *Planned) cells() (most int) {
	for _, c := range q.Components {
		most = max(most, c.Cells)
	}
	return most
}

// share finds the vectors of other queries that measure the same as vector v of query i.
func (p *Plan) share(i int, v kinds.Vector, vectors [][]kinds.Vector) sharedVector {
	q := &p.queries[i]
	out := sharedVector{component: v.Component}
	for _, a := range v.Axes {
		out.shape.Dims, out.shape.Ordered = append(out.shape.Dims, a.Size), append(out.shape.Ordered, false)
	}
	ensured := q.Filters.Specs // the conditions that all rows of both vectors meet
	if !q.overUnits {
		ensured = slices.Concat(p.input.filters.Specs, ensured)
	}
	var margins []denoise.Margin
	for k := range vectors {
		of := &p.queries[k]
		if k == i || of.rule != (publishRule{}) || of.overUnits != q.overUnits || of.table != q.table ||
			!configs.SameRows(&p.job.Queries[i], &p.job.Queries[k]) {
			continue
		}
		for _, w := range vectors[k] {
			o, ok := sumsOf(w, v, ensured)
			if !ok || q.rule != (publishRule{}) && len(o.axes) < len(v.Axes) {
				continue
			}
			o.query = k
			o.deviation = of.Mechanisms[w.Component].Deviation() * math.Sqrt(o.cellsOfSum())
			out.others = append(out.others, o)
			margins = append(margins, denoise.Margin{Axes: o.axes, Deviation: o.deviation})
		}
	}
	own := q.Mechanisms[v.Component].Deviation()
	var err error
	if out.deviation, err = denoise.ConsistentDeviation(own, out.shape, margins); err != nil || !(out.deviation < own) {
		return sharedVector{}
	}
	return out
}

// cellsOfSum returns the average number of cells in a sum.
func (o *otherVector) cellsOfSum() float64 {
	cells := 0
	for _, at := range o.place {
		if at >= 0 {
			cells++
		}
	}
	return float64(cells) / float64(o.sums)
}

// sumsOf describes how sums of w's cells equal sums of v's cells. All rows meet the conditions in filters. ok is false
// unless w and v are known to count the same rows.
func sumsOf(w, v kinds.Vector, filters []domain.FilterSpec) (o otherVector, ok bool) {
	if w.Sums != v.Sums {
		return o, false
	}
	// keeps[j] is the axis of v that equals axis j of w; −1 if the sums are over axis j.
	keeps := make([]int, len(w.Axes))
	conditions, wanted := unmet(w.Conditions, filters), unmet(v.Conditions, filters)
	numbers := make([]bool, len(w.Axes)) // axes of w without a null cell
	for j, a := range w.Axes {
		keeps[j] = slices.IndexFunc(v.Axes, func(own kinds.VectorAxis) bool { return own.Cells == a.Cells })
		if keeps[j] >= 0 && slices.Contains(keeps[:j], keeps[j]) {
			keeps[j] = -1 // this axis of v is taken: w has the same dimension twice
		}
		if keeps[j] < 0 && a.Number != "" && slices.Contains(wanted, a.Number) && !slices.Contains(conditions, a.Number) {
			numbers[j] = true
			conditions = append(conditions, a.Number)
		}
	}
	slices.Sort(conditions)
	if !slices.Equal(conditions, wanted) {
		return o, false
	}
	for _, axis := range keeps {
		if axis >= 0 {
			o.axes = append(o.axes, axis)
		}
	}
	slices.Sort(o.axes)
	stride := make([]int, len(v.Axes)) // the stride of each axis of v in the sums
	o.sums = 1
	for _, axis := range slices.Backward(o.axes) {
		stride[axis] = o.sums
		o.sums *= v.Axes[axis].Size
	}
	cells := 1
	for _, a := range w.Axes {
		cells *= a.Size
	}
	o.component, o.place = w.Component, make([]int32, cells)
	for cell := range o.place {
		rest := cell
		for j, a := range slices.Backward(w.Axes) {
			code := rest % a.Size
			rest /= a.Size
			switch {
			case o.place[cell] < 0:
			case keeps[j] >= 0:
				o.place[cell] += int32(code * stride[keeps[j]])
			case numbers[j] && code == a.Null:
				o.place[cell] = -1
			}
		}
	}
	return o, true
}

// unmet returns the conditions that are not implied by filters.
func unmet(conditions []string, filters []domain.FilterSpec) (rest []string) {
	for _, c := range conditions {
		if !slices.ContainsFunc(filters, func(f domain.FilterSpec) bool {
			return kinds.NumberCondition(f.Column) == c && isNumeric(&f)
		}) {
			rest = append(rest, c)
		}
	}
	return rest
}

// isNumeric reports whether a filter keeps only rows whose value is a number.
func isNumeric(f *domain.FilterSpec) bool {
	for _, end := range []*string{f.From, f.Before, f.Min, f.Max} {
		if end != nil {
			_, ok := domain.Number(*end)
			return ok
		}
	}
	return false
}

// mergeEqualVectors returns query i, in which each vector that other queries measured too is replaced by the
// least-squares estimate from all measurements. The returned note names those queries; it is "" if there are none.
// Vectors of more than maxCells cells are not combined.
func (c *RunPlan) mergeEqualVectors(i int, noisy [][]mechanism.Noisy, maxCells int) (query.Query, string, error) {
	planned := &c.queries[i]
	var better []kinds.Better
	var names []string
	for _, s := range planned.shared {
		y, ok := heldVector(noisy[i][s.component], maxCells)
		var margins []denoise.Margin
		for _, o := range s.others {
			cells, held := heldVector(noisy[o.query][o.component], maxCells)
			ok = ok && held
			margins = append(margins, denoise.Margin{Axes: o.axes, Values: o.sum(cells), Deviation: o.deviation})
			if name := c.queries[o.query].Query.Name(); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if !ok {
			return planned.Query, "", nil
		}
		x, deviation, err := denoise.Consistent(y, noisy[i][s.component].Mechanism().Deviation(), s.shape, margins)
		if err != nil {
			return nil, "", err
		}
		better = append(better, kinds.Better{Component: s.component, Deviation: deviation, Values: x})
	}
	combiner, ok := planned.Query.(kinds.Combiner)
	if !ok || len(better) == 0 {
		return planned.Query, "", nil
	}
	note := fmt.Sprintf("The same rows are also counted in %s. The %ss and their intervals use all these noisy numbers; "+
		"the columns noisy_ hold this query's own.", strings.Join(names, ", "), planned.Kind)
	return combiner.With(better), note, nil
}

// heldVector copies a vector into memory; ok is false if it has more than maxCells cells.
func heldVector(n mechanism.Noisy, maxCells int) (values []float64, ok bool) {
	if n.Len() > maxCells {
		return nil, false
	}
	values = make([]float64, n.Len())
	n.Fill(0, values)
	return values, true
}

// sum returns the sums of the vector's cells. cells may be empty; then all sums are 0.
func (o *otherVector) sum(cells []float64) []float64 {
	sums := make([]float64, o.sums)
	for i, x := range cells {
		if at := o.place[i]; at >= 0 {
			sums[at] += x
		}
	}
	return sums
}
