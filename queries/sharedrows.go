package queries

import (
	"strings"
	"sync"

	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/bounding"
)

// NewAccumulators makes the accumulators of some aggregations for one worker. Aggregations with the same privacy unit
// and the same filters keep their rows together: each row is stored, and grouped by unit, once. So accumulators that
// one call returned must be used together: add each batch to all of them in order, and merge all of them before taking
// the totals of the first.
func NewAccumulators(of []*aggregation.Aggregation, spill bounding.Spill) ([]*Accumulator, error) {
	var joining bounding.Spill
	if spill != nil {
		joining = joinsLater{spill}
	}
	all, err := NewSeparately(of, joining)
	if err != nil {
		return nil, err
	}
	byUnit, units := map[string][]*Accumulator{}, []string{}
	for _, g := range all {
		if g.rows != nil {
			unit := strings.Join(g.of.Unit, "\x00") + "\x00" + (&aggregation.Aggregation{Filters: g.of.Filters}).String()
			if byUnit[unit] == nil {
				units = append(units, unit)
			}
			byUnit[unit] = append(byUnit[unit], g)
		}
	}
	for _, unit := range units {
		if same := byUnit[unit]; len(same) > 1 {
			share(same)
		}
		if spill != nil {
			spill.Join()
		}
	}
	return all, nil
}

// NewSeparately makes accumulators that each keep their own rows. Use it for engines that execute one aggregation after
// the other.
func NewSeparately(of []*aggregation.Aggregation, spill bounding.Spill) ([]*Accumulator, error) {
	all := make([]*Accumulator, len(of))
	for i := range of {
		var err error
		if all[i], err = newAccumulator(of[i], spill); err != nil {
			return nil, err
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
	s := &sharing{members: members}
	s.bound = sync.OnceValue(s.boundMembers)
	for i, part := range bounding.Together(rows) {
		members[i].rows, members[i].part, members[i].shared = nil, part, s
	}
}
