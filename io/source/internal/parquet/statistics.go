package parquet

import (
	"bytes"
	"encoding/binary"

	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/table"
)

// A Parquet file states many facts about its rows. Only two are trusted: the min and max of an integer, date or
// timestamp column in a row group, and the number of rows of a row group that is skipped because of them. All others
// are compared with the rows or not used. Bounds of floats are not used: writers disagree about NaN, and some state a
// min that is too large after one. Bounds of texts are not used either, since a writer may have shortened them. Nor are
// bounds of unsigned integers and decimals, which different writers have ordered differently. docs/adr/0013 has the
// argument for each.

// statedBounds returns the min and max of signed integers that statistics state. ordered tells whether the column's
// order is known. ok is false if there are none, or if their form is doubtful.
//
// Statistics have an older and a newer form. Signed integers have the same order in both, so either is used, unless the
// two differ.
func statedBounds(physical format.Type, s *format.Statistics, ordered bool) (b table.Bounds, ok bool) {
	low, high := s.MinValue, s.MaxValue
	switch older := len(s.Min) > 0 || len(s.Max) > 0; {
	case len(low) == 0 && len(high) == 0:
		low, high = s.Min, s.Max
	case !ordered || older && !(bytes.Equal(low, s.Min) && bytes.Equal(high, s.Max)):
		return b, false
	}
	switch {
	case physical == format.Int32 && len(low) == 4 && len(high) == 4:
		b = table.Bounds{Min: int64(int32(binary.LittleEndian.Uint32(low))),
			Max: int64(int32(binary.LittleEndian.Uint32(high)))}
	case physical == format.Int64 && len(low) == 8 && len(high) == 8:
		b = table.Bounds{Min: int64(binary.LittleEndian.Uint64(low)), Max: int64(binary.LittleEndian.Uint64(high))}
	default:
		return b, false
	}
	return b, b.Min <= b.Max
}

// isTypeOrdered reports whether the min and max of a column are in the order of the column's type. This is so if the
// file states this order, or is older and states none.
func isTypeOrdered(orders []format.ColumnOrder, column int) bool {
	if len(orders) == 0 {
		return true
	}
	if column >= len(orders) {
		return false
	}
	_, ok := orders[column].Value.(*format.TypeDefinedOrder)
	return ok
}

// isSigned reports whether a leaf holds signed integers, at most one a row. No statistics of nested columns are
// trusted.
func (l *leaf) isSigned() bool {
	switch l.field.Type.Kind {
	case table.Int, table.Date, table.Timestamp:
		return l.convert == nil && l.list == nil && !l.void && !l.nested
	}
	return false
}
