package queries

import (
	"encoding/binary"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/mechanism"
)

// unitSums adds up the values of units' rows in each group. It keeps all rows: bounds are enforced when it is sealed, on the
// whole of a unit's rows.
type unitSums struct {
	sums
	rows *unitRows // nil: spent
	boundCount
}

// Add keeps the rows of a batch that have a group, a value and a unit.
func (a *unitSums) Add(b *table.Batch) error {
	if a.rows == nil {
		return errSpent
	}
	groups, err := a.read(b)
	if err != nil {
		return err
	}
	if err := a.rows.start(b, groups); err != nil {
		return err
	}
	for row, group := range groups {
		if group >= 0 && a.fix(row) {
			a.write(a.rows.record(row), group)
		}
	}
	return a.rows.failure()
}

// write writes a group and the value in fixed as a content.
func (a *unitSums) write(content []byte, group int32) {
	binary.BigEndian.PutUint32(content, uint32(group))
	for i, x := range a.fixed {
		binary.BigEndian.PutUint64(content[cellBytes+8*i:], uint64(x))
	}
}

// keep adds rows with the same content.
func (a *unitSums) keep(content []byte, rows uint64) {
	for i := range a.fixed {
		a.fixed[i] = int64(binary.BigEndian.Uint64(content[cellBytes+8*i:]))
	}
	a.add(cellOf(content), rows)
}

// Merge takes in another's rows.
func (a *unitSums) Merge(other Accumulator) error {
	o, ok := other.(*unitSums)
	if !ok || o == a || o.query != a.query {
		return errMerge
	}
	if err := a.rows.merge(o.rows); err != nil {
		return err
	}
	o.rows = nil
	return nil
}

// Seal bounds what each unit contributes and returns the sums of the kept rows.
func (a *unitSums) Seal() ([]mechanism.Exact, error) {
	if a.rows == nil {
		return nil, errSpent
	}
	a.open()
	var err error
	a.tally, err = a.rows.bound(a.query.limits, a.keep)
	if a.rows = nil; err != nil {
		return nil, err
	}
	return a.seal()
}
