package queries

import (
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/mechanism"
)

// unitCounts counts the rows of each unit in each cell, all of them: bounds are enforced when it is sealed, on the
// whole of a unit's rows.
type unitCounts struct {
	query  *counting
	groups *grouping
	units  *units
	tally  *tally // nil: spent
}

// Add counts the rows of a batch that have a cell and a unit.
func (a *unitCounts) Add(b *table.Batch) error {
	if a.tally == nil {
		return errSpent
	}
	cells, err := a.groups.ofRows(b)
	if err != nil {
		return err
	}
	ids, err := a.units.ofRows(b, cells)
	if err != nil {
		return err
	}
	for row, id := range ids {
		if id >= 0 {
			a.tally.add(pair(id, cells[row]), 1)
		}
	}
	return nil
}

// Merge adds another's counts, under this one's numbers of the units.
func (a *unitCounts) Merge(other Accumulator) error {
	o, ok := other.(*unitCounts)
	switch {
	case !ok || o == a || o.query != a.query:
		return errMerge
	case a.tally == nil || o.tally == nil:
		return errSpent
	case !a.units.same(o.units):
		return errMerge
	}
	ids, err := a.units.adopt(o.units)
	if err != nil {
		return err
	}
	for _, s := range o.tally.slots {
		if s.rows > 0 {
			id, cell := unpair(s.key)
			a.tally.add(pair(ids[id], cell), s.rows)
		}
	}
	o.tally, o.units = nil, nil
	return nil
}

// Seal bounds what each unit contributes and returns the counts of the kept rows.
func (a *unitCounts) Seal() ([]mechanism.Exact, error) {
	if a.tally == nil {
		return nil, errSpent
	}
	cells := make([]int64, a.query.cells)
	loads := a.loads()
	over := a.within(cells, loads)
	a.tally = nil
	a.beyond(cells, loads, over)
	a.units = nil
	return a.query.seal(cells)
}

// load is in how many cells a unit has rows, and how many, counting at most m a cell; at is for units over a bound.
type load struct{ groups, rows, at int64 }

func (x *load) within(l limits) bool { return x.groups <= l.groups && x.rows <= l.rows }

func (a *unitCounts) loads() []load {
	loads := make([]load, a.units.len())
	for _, s := range a.tally.slots {
		if s.rows > 0 {
			id, _ := unpair(s.key)
			loads[id].groups++
			loads[id].rows += a.query.limits.capped(s.rows)
		}
	}
	return loads
}

// within adds the rows of all units that keep to L and k, up to m in each cell, and returns the slots of the others: those
// of a unit together, ending at its load's at.
func (a *unitCounts) within(cells []int64, loads []load) (over []tallySlot) {
	l := a.query.limits
	total := int64(0)
	for id := range loads {
		if x := &loads[id]; !x.within(l) {
			x.at = total
			total += x.groups
		}
	}
	over = make([]tallySlot, total)
	for _, s := range a.tally.slots {
		if s.rows == 0 {
			continue
		}
		id, cell := unpair(s.key)
		if x := &loads[id]; x.within(l) {
			cells[cell] += l.capped(s.rows)
		} else {
			over[x.at] = s
			x.at++
		}
	}
	return over
}

// beyond adds what the bounds keep of the units over them.
func (a *unitCounts) beyond(cells []int64, loads []load, over []tallySlot) {
	s := sampler{limits: a.query.limits, contents: &cellContents{}}
	for id := range loads {
		x := &loads[id]
		if x.within(s.limits) {
			continue
		}
		s.start(a.units, int32(id))
		for _, g := range s.keep(over[x.at-x.groups : x.at]) {
			_, cell := unpair(g.key)
			cells[cell] += int64(g.rows)
		}
	}
}
