// Package unitstest reads privacy units for tests, as the queries do.
package unitstest

import (
	"encoding/binary"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/units"
	"github.com/dprelease/dprelease/queries/problem"
)

// Reader reads the units of the rows of a table.
type Reader struct{ *units.Reader }

// New returns a Reader. unit are the columns of the privacy unit, which may hold floats; columns are the columns of
// batches; s has their types. The error explains why the columns cannot identify units.
func New(unit, columns []string, s table.Schema) (Reader, error) {
	var p problem.Problems
	r := Reader{units.New(unit, true, columns, s, &p)}
	return r, p.Err()
}

// Append appends a text for the unit of each row of a batch. Two texts are equal if and only if the rows belong to the
// same unit. The text is empty if a row has no unit.
func (r Reader) Append(to []string, b *table.Batch) ([]string, error) {
	cells := make([]int32, b.Rows)
	if err := r.Open(b, cells); err != nil {
		return nil, err
	}
	for row, cell := range cells {
		switch {
		case cell < 0:
			to = append(to, "")
		case r.HasText():
			to = append(to, "t"+string(r.Bytes(row)))
		default:
			unit := []byte("w")
			for _, w := range r.Uint64s(row) {
				unit = binary.LittleEndian.AppendUint64(unit, w)
			}
			to = append(to, string(unit))
		}
	}
	return to, nil
}
