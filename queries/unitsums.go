package queries

import (
	"encoding/binary"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/queries/bounding"
)

// unitSums adds up the values of units' rows in each group. It keeps all rows: bounds are enforced when it is sealed, on the
// whole of a unit's rows.
type unitSums struct {
	sums
	rows *bounding.Rows // nil: spent
	boundCount
}

// Add keeps the rows of a batch that have a group, a value and a unit.
func (a *unitSums) Add(b *table.Batch) error {
	if a.rows == nil {
		return bounding.ErrSpent
	}
	groups, err := a.read(b)
	if err != nil {
		return err
	}
	if err := a.rows.Start(b, groups); err != nil {
		return err
	}
	for row, group := range groups {
		if group >= 0 && a.quantize(row) {
			a.write(a.rows.Record(row), group)
		}
	}
	return a.rows.Failure()
}

// write writes a group and the value in fixed as a content.
func (a *unitSums) write(content []byte, group int32) {
	binary.BigEndian.PutUint32(content, uint32(group))
	for i, x := range a.quantized {
		binary.BigEndian.PutUint64(content[bounding.CellBytes+8*i:], uint64(x))
	}
}

// keep adds rows with the same content.
func (a *unitSums) keep(content []byte, rows uint64) {
	for i := range a.quantized {
		a.quantized[i] = int64(binary.BigEndian.Uint64(content[bounding.CellBytes+8*i:]))
	}
	a.add(bounding.CellOf(content), rows)
}

// Merge takes in another's rows.
func (a *unitSums) Merge(other Accumulator) error {
	o, ok := other.(*unitSums)
	if !ok || o == a || o.query != a.query {
		return bounding.ErrMerge
	}
	if err := a.rows.Merge(o.rows); err != nil {
		return err
	}
	o.rows = nil
	return nil
}

// Seal bounds what each unit contributes and returns the sums of the kept rows.
func (a *unitSums) Seal() ([]mechanism.Exact, error) {
	if a.rows == nil {
		return nil, bounding.ErrSpent
	}
	a.open()
	var err error
	a.tally, err = a.rows.Bound(a.query.limits, a.keep)
	if a.rows = nil; err != nil {
		return nil, err
	}
	return a.seal()
}
