package arrow

import (
	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// Exact columns
//
// In columns of the privacy unit, different values must stay different. So three Arrow types are read differently: a
// decimal type that is not read as integers becomes text, a date64 becomes a timestamp in milliseconds without a time
// zone, and a decimal with more digits than its type allows becomes null.

// exactType returns the column type of an Arrow type whose different values must stay different.
func exactType(t arrow.DataType) table.Type {
	t = storage(t)
	if d, ok := t.(*arrow.DictionaryType); ok {
		if typ := tableType(t); typ.Kind == table.Invalid {
			return typ
		}
		return exactType(d.ValueType)
	}
	if d, ok := decimalOf(t); ok {
		return d.Exact().Type
	}
	if t.ID() == arrow.DATE64 {
		return table.Type{Kind: table.Timestamp, Unit: 1e6, Zone: table.Local}
	}
	return tableType(t)
}

// decimalOf returns the conversion of a decimal type; ok is false if t is another type.
func decimalOf(t arrow.DataType) (d scan.Decimal, ok bool) {
	if of, ok := t.(arrow.DecimalType); ok {
		return scan.DecimalOf(int(of.GetPrecision()), int(of.GetScale())), true
	}
	return d, false
}
