package kinds

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/internal/keyselection"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/sensitivity"
)

// Keys that cannot be listed
//
// If a dimension discovers its keys, rows are counted by key. A key consists of the codes of the listed dimensions and
// the row's values in the other dimensions. Each unit counts once in at most L = max_groups keys. If it has more keys,
// those with the smallest keyed hashes count, as for cells (queries/bounding/messages.go). So counts are numbers of
// units, and the L2 sensitivity is √L (add-remove) or √(2·L) (replace-one).
//
// The set of keys is private: keys and counts go to package mechanism, which returns only the keys whose noisy count is
// large enough ([calibrate.KeySelection]). The threshold is valid because a unit adds at most 1 to a key and is in at
// most L keys. If the job has a pre-threshold (MinUnits), keys with fewer units are dropped before noise is added.
//
// If the job needs the keys and not the counts (optimize: keys), a unit with fewer than L keys adds a weight of more
// than 1 to each of its keys. The weights are chosen so that both sensitivities and the threshold stay valid
// ([calibrate.KeySelection.Weights]). A weight depends only on the number of the unit's keys, and so only on the unit's
// own rows.

// Discovered is a histogram of units by keys, at least one dimension of which is discovered. Its axes are the listed
// dimensions.
type Discovered struct {
	Base
	// weights[d-1] is the weight of a unit with d keys, in multiples of 2^-calibrate.WeightBits. It is nil if there are no
	// weights.
	weights []int64
}

// newDiscovered checks a spec and returns its query.
func newDiscovered(s query.Spec, p *problem.Problems) kind {
	axes := newAxes(s, nil, p)
	if s.Kind != query.Histogram {
		p.Add(string(s.Kind)+".by", problem.CodeBadSpec, "no histogram of this job discovers these keys",
			"add a histogram whose by has the same dimensions, written alike and in the same order: it counts the units of "+
				"each key and chooses the keys, for this query too; listed dimensions of this query alone come after them")
		return nil
	}
	checkDiscovered(s, axes, nil, p)
	q := &Discovered{Base: Base{Spec: s, Axes: axes, Size: countCells(s, axes, p), Limits: keyCountLimits(s, p)}}
	if s.ByWeights && q.Limits.Cells > calibrate.MaxWeightedKeys {
		p.Add(problem.FieldBounds+".max_groups", problem.CodeBadSpec, fmt.Sprintf("with optimize: keys a unit counts in at "+
			"most %d keys", calibrate.MaxWeightedKeys), "set a smaller one, or leave optimize out")
	}
	if len(s.Read.Quantiles) > 0 || s.Read.CDF {
		p.Add("histogram", problem.CodeBadSpec,
			"nothing else can be read off the keys that are selected: the others are missing", "leave quantiles and cdf out, "+
				"or list the keys")
	}
	return q
}

// Dimensions returns the dimensions of the keys.
func (q *Discovered) Dimensions() keyselection.Dimensions {
	return keyselection.Dimensions{By: q.Spec.By, Axes: q.Axes}
}

// keyCountLimits returns the limits on a unit's rows: one row in each of at most L keys.
func keyCountLimits(s query.Spec, p *problem.Problems) bounding.Limits {
	switch {
	case s.PerRow():
		return bounding.Limits{Rows: 1, Cells: 1, RowsPerCell: 1}
	case s.OnceACell():
		return upstreamLimits(s, s.Upstream.Rows)
	case s.Upstream != nil:
		p.Add(s.ByField(), problem.CodeMissingBound, "one "+s.UnitName()+" could have several rows of one key, and a key "+
			"that one unit alone has could pass", "name columns in privacy.unit.distinct that are dimensions here, if the "+
			"producer of the table promises that no two rows of one unit are alike in them; or list the keys")
		return bounding.Limits{Rows: 1, Cells: 1, RowsPerCell: 1}
	}
	b := s.Bounds
	l := b.MaxGroups
	if b.MaxRows > 0 {
		l = min(l, b.MaxRows)
	}
	switch {
	case min(b.MaxRows, b.MaxGroups, b.MaxRowsPerGroup) < 0: // the reason is reported already
		return bounding.Limits{Rows: 1, Cells: 1, RowsPerCell: 1}
	case b.MaxGroups == 0:
		p.Add(problem.FieldBounds, problem.CodeMissingBound,
			"nothing bounds in how many keys "+s.UnitName()+" counts: max_groups is not set",
			"set "+problem.FieldBounds+": {max_groups: N}; if keys are discovered it is required")
		return bounding.Limits{Rows: 1, Cells: 1, RowsPerCell: 1}
	case b.MaxRowsPerGroup > 1:
		p.Add(problem.FieldBounds+".max_rows_per_group", problem.CodeBadSpec,
			fmt.Sprintf("max_rows_per_group is %d: a unit counts once in a key that is discovered",
				b.MaxRowsPerGroup), "set it to 1 for this query")
	}
	return bounding.Limits{Rows: l, Cells: l, RowsPerCell: 1}
}

// WithWeights returns the query with the weights of units.
func (q *Discovered) WithWeights(weights []int64) query.Query {
	out := *q
	out.weights = weights
	return &out
}

// Cells returns 0, since the number of keys is not known before the selection.
func (q *Discovered) Cells() int { return 0 }

// Components returns the only component: the counts by key.
func (q *Discovered) Components(adj query.Adjacency) ([]query.Component, error) {
	if err := q.checkAdjacency(adj); err != nil {
		return nil, err
	}
	squared := big.NewInt(q.Limits.Cells)
	verb := q.Spec.EachUnit() + " counts once in at most " + spelling.Count(q.Limits.Cells, "key")
	if adj == query.ReplaceOne {
		squared.Lsh(squared, 1)
		verb = q.Spec.EachUnit() + " can change from one to another set of at most " +
			spelling.Count(q.Limits.Cells, "key") + ", in each of which it counts once"
	}
	sens, err := q.declaredKeys(calibrate.Sensitivity{L2: sensitivity.RootUp(squared), Why: verb + ": " +
		sensitivity.RootText(squared)})
	if err != nil {
		return nil, err
	}
	c := query.Component{Sens: sens, Quantum: 1, RowBound: 1, Scale: 1, Weight: 1, Keys: q.Limits.Cells,
		MinUnits: q.Spec.MinUnits, Weighted: q.Spec.ByWeights}
	if c.Weighted {
		c.Quantum, c.RowBound = math.Ldexp(1, -calibrate.WeightBits), math.Sqrt(float64(q.Limits.Cells))
		c.Sens.Why += "; with fewer keys, its weights in all of them have at most the same L2 norm"
	}
	return []query.Component{c}, nil
}

// declaredKeys returns the sensitivity to use for counts by key: the one that the job declares, or implied if it
// declares none. Declaring less than implied is an error, which names the bound to lower, max_groups.
func (q *Discovered) declaredKeys(implied calibrate.Sensitivity) (calibrate.Sensitivity, error) {
	d := q.Spec.Declared
	switch {
	case d == 0:
		return implied, nil
	case d >= implied.L2:
		return calibrate.Sensitivity{L2: d, Why: fmt.Sprintf("declared: %s; implied: %s", spelling.Exact(d),
			implied.Why)}, nil
	}
	return calibrate.Sensitivity{}, problem.One(q.Spec.Name, problem.FieldSensitivity, problem.CodeLowSensitivity,
		fmt.Sprintf("the declared sensitivity %s is below what max_groups implies, %s", spelling.Exact(d),
			spelling.Exact(implied.L2)),
		"lower max_groups, or leave the declaration out")
}

// Aggregation describes counting the units of each key.
func (q *Discovered) Aggregation(s table.Schema) (*aggregation.Aggregation, error) {
	p := &problem.Problems{Query: q.Spec.Name}
	keys := q.Dimensions()
	a := q.aggregation(s, nil, &keys, p)
	a.MinUnits, a.Weights = q.Spec.MinUnits, q.weights
	return a, p.Err()
}

// Hide returns the counts by key as an exact answer.
func (q *Discovered) Hide(t accumulate.Totals) ([]mechanism.Exact, error) { return t.Keyed.Hide() }

// Directions returns nil, since no cell is known before keys are selected.
func (q *Discovered) Directions() []domain.Direction { return nil }

// Bytes returns 0: the memory of keys is included in the memory of the rows of units.
func (q *Discovered) Bytes(int, int64) int64 { return 0 }

// LooksEmpty reports whether no key was selected.
func (q *Discovered) LooksEmpty(noisy []mechanism.Noisy) bool { return noisy[0].Len() == 0 }

// Finish returns the answer, with a row for each selected key. Intervals and estimates take into account that keys with
// small noisy counts were not selected (truncated.go). If the job has denoising steps, their estimates are used
// instead.
func (q *Discovered) Finish(_ context.Context, noisy, estimate []mechanism.Noisy) (query.Answer, error) {
	if len(noisy) != 1 || noisy[0].Keys() == nil {
		return query.Answer{}, fmt.Errorf("query %s: its keys were not selected", q.Spec.Name)
	}
	keys := noisy[0].Keys()
	if err := checkComponents(q.Name(), noisy, estimate, len(keys)); err != nil {
		return query.Answer{}, err
	}
	columns, err := q.Dimensions().Columns(keys)
	if err != nil {
		return query.Answer{}, err
	}
	t, err := newTruncated(noisy[0])
	if err != nil {
		return query.Answer{}, err
	}
	a := query.Answer{Cells: len(keys), Keys: columns, Noisy: noisy[0].Fill,
		Sigma: constantSeries(noisy[0].Mechanism().Deviation())}
	a.Low, a.High = mapped(noisy[0].Fill, t.low), mapped(noisy[0].Fill, t.high)
	if a.Estimate = estimate[0].Fill; len(estimate[0].Steps()) == 0 {
		a.Estimate = mapped(noisy[0].Fill, t.estimate)
	} else {
		a.Low, a.High = outerOf(a.Low, a.Estimate, math.Min), outerOf(a.High, a.Estimate, math.Max)
	}
	return a, nil
}

// Recover reads the noisy counts and the keys back from released columns.
func (q *Discovered) Recover(c query.Columns, grids []float64) (query.Recovered, error) {
	out, err := recoverColumns(len(c.Noisy), grids, c.Noisy)
	if out.Keys = []string{}; err != nil || len(c.Noisy) == 0 {
		return out, err
	}
	out.Keys, err = q.Dimensions().Recover(c.Keys, len(c.Noisy))
	return out, err
}

// checkDiscovered reports problems with the dimensions of a query that discovers keys. columns are the names of the
// answer's columns that only this kind has; key columns must have other names.
func checkDiscovered(s query.Spec, axes []domain.Axis, columns []string, p *problem.Problems) {
	names := ownColumns(s, columns)
	for _, a := range axes {
		if a.Nearest != nil && a.Nearest.BandwidthM != 0 {
			p.Add(a.Field+".nearest.kernel", problem.CodeBadSpec,
				"a kernel spreads rows over cells, and keys that are discovered are counted whole", "leave kernel out, or list "+
					"the keys")
		}
		if a.Domain != nil {
			for _, k := range a.Domain.Keys(a.Name(), a.Extra.Names) {
				names = append(names, k.Name)
			}
		}
	}
	for i, d := range s.By {
		field := s.DimensionField(i)
		if !d.Discover {
			continue
		}
		domain.CheckForm(d, field, p)
		if d.Null == domain.OwnCell || d.Other == domain.OwnCell {
			p.Add(field, problem.CodeBadSpec, "there is no cell for the rows without a key if keys are discovered", "use drop")
		}
		if slices.Contains(names, d.Name()) {
			p.Add(field, problem.CodeDuplicate, fmt.Sprintf("the answer would have two columns %q", d.Name()),
				"name this one with as: NAME")
		}
		names = append(names, d.Name())
	}
}
