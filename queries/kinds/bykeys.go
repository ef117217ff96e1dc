package kinds

import (
	"context"
	"errors"
	"fmt"

	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/internal/keyselection"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/quantize"
	"github.com/dprelease/dprelease/queries/query"
)

// Sums, means and variances by keys that a histogram of the same job selects
//
// The histogram (discoveredkeys.go) counts the privacy units of every key, and publishes the keys whose noisy count is
// large enough. In the same pass over the rows, this query adds values up for every key. After the selection the
// selected keys are public, and only their sums get noise. So the selection is charged only once.
//
// Whatever keys are selected, the sums are computed as for listed cells: each unit adds rows to at most max_groups
// cells, within its bounds. The charged sensitivity is the sensitivity of all cells, which is at least the sensitivity
// of the selected ones. The two steps compose adaptively in mu, and the failure probability of the selection is charged
// with the histogram (docs/adr/0030).

// ByKeys adds values up by keys that another query of the job selects. Before the selection it has no cells.
type ByKeys struct {
	*Sums
	values   *quantize.Quantizer
	dims     keyselection.Dimensions // the dimensions of the keys
	listed   []domain.Axis           // the dimensions of the query that do not belong to the key; their keys are listed
	perKey   int                     // number of cells of listed
	keys     []string
	selected bool
}

// maxPerKey is the largest number of cells for each key, because the totals of all selected keys are held in memory.
const maxPerKey = 1 << 16

// unknownCells is used as the number of cells before the keys are known. It is so large that it implies no bound on a
// unit.
const unknownCells = 1 << 30

// newByKeys checks a spec and returns its query.
func newByKeys(s query.Spec, p *problem.Problems) kind {
	axes := newAxes(s, kindOf(s).columns, p)
	checkDiscovered(s, axes, kindOf(s).columns, p)
	base := Base{Spec: s, Axes: axes, Size: unknownCells, Limits: keySumLimits(s, p)}
	q := &ByKeys{perKey: 1}
	checkByKeys(s, p)
	if len(p.List) > 0 {
		return nil
	}
	inKey := 0
	for _, d := range s.By[:s.Leader.Dims] {
		if !d.Discover {
			inKey++
		}
	}
	q.dims = keyselection.Dimensions{By: s.By[:s.Leader.Dims], Axes: axes[:inKey]}
	q.listed = axes[inKey:]
	for i := range q.listed {
		if q.perKey *= q.listed[i].Size; q.perKey > maxPerKey {
			p.Add(s.ByField(), problem.CodeTooManyCells, fmt.Sprintf("more than %d cells for each key that is selected",
				maxPerKey), "use fewer dimensions or fewer cells a dimension")
			return nil
		}
	}
	if q.values = newQuantizer(s, p); q.values == nil {
		return nil
	}
	if q.perKey*q.values.Dims > maxPerKey {
		p.Add(s.ByField(), problem.CodeTooManyCells, fmt.Sprintf("more than %d numbers for each key that is selected",
			maxPerKey), "use fewer cells a dimension, or a shorter vector")
		return nil
	}
	q.Sums = newSums(base, q.values)
	return q
}

// checkByKeys reports parts of a spec that a query by selected keys cannot have.
func checkByKeys(s query.Spec, p *problem.Problems) {
	switch {
	case !s.Kind.AddsUp() || s.Value == nil:
		p.Add(string(s.Kind), problem.CodeBadSpec,
			"only sums, means and variances are answered for keys that another query selects", "")
	case s.Value.Share != 0:
		p.Add(string(s.Kind)+".clamp", problem.CodeBadSpec, "a clamp is not discovered together with the keys",
			"write clamp: [lo, hi]")
	case s.Declared != 0:
		p.Add(problem.FieldSensitivity, problem.CodeBadSpec,
			"the sensitivity of answers by selected keys follows from the bounds", "leave the declaration out")
	}
	for i, d := range s.By {
		if i >= s.Leader.Dims && d.Discover {
			p.Add(s.DimensionField(i), problem.CodeBadSpec, "query "+s.Leader.Name+" does not select keys of this dimension",
				"list its values, or let the histogram discover them too")
		}
	}
}

// keySumLimits returns the limits on a unit's rows. The job must set max_groups, because the number of cells is
// private.
func keySumLimits(s query.Spec, p *problem.Problems) bounding.Limits {
	if s.BoundsUnits() && s.Bounds.MaxGroups == 0 {
		p.Add(problem.FieldBounds, problem.CodeMissingBound,
			"nothing bounds in how many keys "+s.UnitName()+" has rows: max_groups is not set",
			"set "+problem.FieldBounds+": {max_groups: N}; if keys are discovered it is required")
		return bounding.Limits{Rows: 1, Cells: 1, RowsPerCell: 1}
	}
	return newLimits(s, unknownCells, p)
}

// Leader returns the name of the query that selects the keys.
func (q *ByKeys) Leader() string { return q.Spec.Leader.Name }

// PerKey returns the number of cells for each key.
func (q *ByKeys) PerKey() int { return q.perKey * q.values.Dims }

// WithKeys returns the query with the keys that were selected.
func (q *ByKeys) WithKeys(keys []string) (query.Query, error) {
	if len(keys) > domain.MaxCells/(q.perKey*q.values.Dims) {
		return nil, fmt.Errorf("query %s has more than 2^31 - 1 cells", q.Name())
	}
	out := *q
	out.Sums = newSums(q.resized(len(keys)*q.perKey), q.values)
	out.keys, out.selected = keys, true
	return &out, nil
}

// Cells returns the number of cells, or 0 before the keys are known.
func (q *ByKeys) Cells() int {
	if !q.selected {
		return 0
	}
	return q.Sums.Cells()
}

// Components returns the components of the sums. Sensitivities do not depend on the keys. Before the keys are known,
// there are no cells.
func (q *ByKeys) Components(adj query.Adjacency) ([]query.Component, error) {
	components, err := newSums(q.resized(unknownCells), q.values).Components(adj)
	for i := range components {
		if components[i].Cells /= unknownCells; !q.selected {
			components[i].Cells = 0
		}
		components[i].Cells *= q.Size
		components[i].Sens.Why += fmt.Sprintf("; for the keys that %s selects", q.Leader())
	}
	return components, err
}

// Aggregation describes adding up values by discovered keys.
func (q *ByKeys) Aggregation(s table.Schema) (*aggregation.Aggregation, error) {
	a, err := q.sumsOf(s, &q.dims)
	a.MinUnits = q.Spec.Leader.MinUnits
	return a, err
}

// Hide returns the sums by key, and the query's other totals, as exact answers.
func (q *ByKeys) Hide(t accumulate.Totals) ([]mechanism.Exact, error) { return t.Keyed.Hide() }

// Bytes returns 0: the memory for keys is part of the memory for the rows of units.
func (q *ByKeys) Bytes(int, int64) int64 { return 0 }

// Directions returns nil, since no cell is known before keys are selected.
func (q *ByKeys) Directions() []domain.Direction { return nil }

// LooksEmpty reports whether no key was selected.
func (q *ByKeys) LooksEmpty([]mechanism.Noisy) bool { return len(q.keys) == 0 }

var errKeys = errors.New("its keys were not selected")

// Finish returns the answer for the selected keys.
func (q *ByKeys) Finish(ctx context.Context, noisy, estimate []mechanism.Noisy) (query.Answer, error) {
	if !q.selected {
		return query.Answer{}, fmt.Errorf("query %s: %w", q.Name(), errKeys)
	}
	a, err := q.Sums.Finish(ctx, noisy, estimate)
	if err != nil {
		return a, err
	}
	a.Keys, err = q.keyColumns()
	return a, err
}

// keyColumns returns the key columns of the answer: the keys, the other dimensions, and the components of a vector.
func (q *ByKeys) keyColumns() ([]domain.KeyColumn, error) {
	columns, err := q.dims.Columns(q.keys)
	if err != nil {
		return nil, err
	}
	for i := range columns {
		columns[i].Stride *= q.perKey * q.values.Dims
	}
	for _, k := range domain.KeyColumns(q.listed) {
		k.Stride *= q.values.Dims
		columns = append(columns, k)
	}
	if v := q.Spec.Value; v.IsVector() {
		columns = append(columns, domain.KeyColumn{Name: componentKey, Stride: 1, Labels: v.ComponentLabels()})
	}
	return columns, nil
}

// Recover reads the noisy vectors back from released columns, and compares their keys with the selected ones. If no key
// was selected, the vectors are empty.
func (q *ByKeys) Recover(c query.Columns, grids []float64) (query.Recovered, error) {
	if q.selected && len(q.keys) == 0 && len(c.Noisy) == 0 {
		none := make([][]int64, len(grids))
		for i := range none {
			none[i] = []int64{}
		}
		return query.Recovered{Multiples: none}, nil
	}
	columns, err := q.keyColumns()
	if err != nil {
		return query.Recovered{}, err
	}
	if !q.selected || len(c.Keys) != len(columns) || len(c.Noisy) != q.Cells() {
		return query.Recovered{}, keyselection.ErrLabels
	}
	for i := range columns {
		if len(c.Keys[i]) != q.Cells() {
			return query.Recovered{}, keyselection.ErrLabels
		}
		for row, text := range c.Keys[i] {
			if columns[i].Text(row) != text {
				return query.Recovered{}, keyselection.ErrLabels
			}
		}
	}
	return q.Sums.Recover(c, grids)
}
