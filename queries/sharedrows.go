package queries

import (
	"slices"
	"sync"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/internal/units"
)

// NewAccumulators makes the accumulators of some aggregations for one worker. Aggregations with the same privacy unit
// and the same filters keep their rows together: each row is stored, and grouped by unit, once. So accumulators that
// one call returned must be used together: add each batch to all of them in order, and merge all of them before taking
// the totals of the first.
func NewAccumulators(of []*aggregation.Aggregation, spill bounding.Spill) ([]*Accumulator, error) {
	return newAccumulators(of, spill, func(*aggregation.Aggregation) bool { return true })
}

// NewSeparately makes accumulators that each keep their own rows, except those that choose their rows once for all of
// them (SampleBy). Use it for engines that execute one aggregation after the other.
func NewSeparately(of []*aggregation.Aggregation, spill bounding.Spill) ([]*Accumulator, error) {
	return newAccumulators(of, spill, func(a *aggregation.Aggregation) bool { return a.SampleBy != nil })
}

// newAccumulators makes accumulators. Those whose aggregations may share rows do, if they have the same unit, filters
// and choice of rows.
func newAccumulators(of []*aggregation.Aggregation, spill bounding.Spill,
	shares func(*aggregation.Aggregation) bool) ([]*Accumulator, error) {
	all := make([]*Accumulator, len(of))
	byRows, keys := map[string][]*Accumulator{}, []string{}
	for i, a := range of {
		var later bounding.Spill
		if later = spill; spill != nil && shares(a) {
			later = joinsLater{spill}
		}
		var err error
		if all[i], err = newAccumulator(a, later); err != nil {
			return nil, err
		}
		if all[i].rows != nil && shares(a) {
			key := a.StoreKey()
			if byRows[key] == nil {
				keys = append(keys, key)
			}
			byRows[key] = append(byRows[key], all[i])
		}
	}
	for _, key := range keys {
		if same := byRows[key]; len(same) > 1 || same[0].of.SampleBy != nil {
			share(same)
		}
		if spill != nil {
			spill.Join()
		}
	}
	return all, nil
}

// joinsLater wraps a spill so that creating a store does not register it: the number of stores is known only after it
// is clear which queries share one.
type joinsLater struct{ bounding.Spill }

// Join is a no-op: JoinNow registers the store.
func (joinsLater) Join() {}

// JoinNow registers a store with the spill.
func (j joinsLater) JoinNow() { j.Spill.Join() }

// share makes accumulators keep their rows together.
func share(members []*Accumulator) {
	rows := make([]*bounding.Rows, len(members))
	for i, g := range members {
		rows[i] = g.rows
	}
	var sample *bounding.Sample
	if of := members[0].of; of.SampleBy != nil {
		sample = &bounding.Sample{Rows: min(of.Limits.Rows, accumulate.MaxRows), Texts: units.NewTexts(
			slices.Concat(of.Unit, of.SampleBy), of.ColumnNames(), table.Schema{Fields: of.Columns})}
	}
	s := &sharing{members: members}
	s.bound = sync.OnceValue(s.boundMembers)
	for i, part := range bounding.Together(rows, sample) {
		members[i].rows, members[i].part, members[i].shared = nil, part, s
	}
}
