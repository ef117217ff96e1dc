package gather

import (
	"strings"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/query"
)

// NewAccumulators makes the accumulators of some queries for one worker. Queries whose privacy unit is made of the same
// columns share the rows of units, which are then kept and grouped by unit once. Such accumulators are used together:
// each batch goes to all of them, in the order of the queries, and all are merged before one of them is sealed. Errors
// are those of [Query.New].
func NewAccumulators(qs []query.Query, s table.Schema, spill bounding.Spill) ([]query.Accumulator, error) {
	var joining bounding.Spill
	if spill != nil {
		joining = joinsLater{spill}
	}
	all := make([]query.Accumulator, len(qs))
	byUnit, units := map[string][]*Gathering{}, []string{}
	for i, q := range qs {
		a, err := q.New(s, joining)
		if err != nil {
			return nil, err
		}
		all[i] = a
		if g, ok := a.(*Gathering); ok && g.Rows != nil {
			unit := strings.Join(g.unit, "\x00")
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

// NewSeparately makes the same accumulators, none of which share rows: each query follows the rule that it follows
// alone, as other engines do that answer one query after the other.
func NewSeparately(qs []query.Query, s table.Schema, spill bounding.Spill) ([]query.Accumulator, error) {
	all := make([]query.Accumulator, len(qs))
	for i, q := range qs {
		a, err := q.New(s, spill)
		if err != nil {
			return nil, err
		}
		all[i] = a
	}
	return all, nil
}

// joinsLater is a spill of which it is not known yet how many stores share it.
type joinsLater struct{ bounding.Spill }

// Join does nothing.
func (joinsLater) Join() {}

// JoinNow joins what no other query shares.
func (j joinsLater) JoinNow() { j.Spill.Join() }

// share makes accumulators share the rows of units.
func share(members []*Gathering) {
	rows := make([]*bounding.Rows, len(members))
	for i, g := range members {
		rows[i] = g.Rows
	}
	s := &sharing{members: members}
	for i, part := range bounding.Together(rows) {
		members[i].Rows, members[i].part, members[i].shared = nil, part, s
	}
}

// AddTotal adds what another engine has added up to an accumulator.
func AddTotal(a query.Accumulator, t accumulate.Total) error {
	g, ok := a.(*Gathering)
	if !ok || g.answer == nil {
		return bounding.ErrSpent
	}
	taker, ok := g.answer.(accumulate.Taker)
	if !ok {
		return bounding.ErrMerge
	}
	return taker.AddTotal(t)
}
