package queries

import (
	"strings"

	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/bounding"
)

// NewAccumulators makes the accumulators of some aggregations for one worker. Those whose privacy unit is made of the
// same columns, and whose filters keep the same rows, share the rows of units, which are then kept and grouped by unit
// once. Such accumulators are used together: each batch goes to all of them, in the order of the aggregations, and all
// are merged before the first one gives its totals.
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

// NewSeparately makes the same accumulators without sharing rows: each aggregation is executed as if it were alone, as
// in engines that execute one after the other.
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

// joinsLater delays joining a spill until the number of stores that share it is known.
type joinsLater struct{ bounding.Spill }

// Join is a no-op; JoinNow joins the spill later.
func (joinsLater) Join() {}

// JoinNow joins the spill, for a store that no other query shares.
func (j joinsLater) JoinNow() { j.Spill.Join() }

// share makes accumulators share the rows of units.
func share(members []*Accumulator) {
	rows := make([]*bounding.Rows, len(members))
	for i, g := range members {
		rows[i] = g.rows
	}
	s := &sharing{members: members}
	for i, part := range bounding.Together(rows) {
		members[i].rows, members[i].part, members[i].shared = nil, part, s
	}
}
