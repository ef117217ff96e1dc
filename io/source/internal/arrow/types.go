package arrow

import (
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// storage returns the type in which the values of t are stored. It differs from t for an extension type.
func storage(t arrow.DataType) arrow.DataType {
	for {
		e, ok := t.(arrow.ExtensionType)
		if !ok {
			return t
		}
		t = e.StorageType()
	}
}

func tableType(t arrow.DataType) table.Type {
	switch t := storage(t).(type) {
	case *arrow.DictionaryType:
		if v := tableType(t.ValueType); v.Kind != table.List && t.ValueType.ID() != arrow.DICTIONARY {
			return v
		}
		return scan.UnreadableType("dictionary of lists")
	case *arrow.ListType:
		return listType(t.Elem())
	case *arrow.LargeListType:
		return listType(t.Elem())
	case *arrow.FixedSizeListType:
		if unreadLength(t) {
			return scan.UnreadableType("list of an odd length")
		}
		return listType(t.Elem())
	case arrow.DecimalType:
		return scan.DecimalOf(int(t.GetPrecision()), int(t.GetScale())).Type
	case *arrow.TimestampType:
		return table.Type{Kind: table.Timestamp, Unit: int64(t.Unit.Multiplier() / time.Nanosecond),
			Zone: scan.ZoneOf(t.TimeZone != "")}
	case *arrow.FixedSizeBinaryType:
		if t.ByteWidth < 1 || t.ByteWidth > scan.MaxFixed {
			return scan.UnreadableType("fixed-length value of an odd length")
		}
		return table.Type{Kind: table.String}
	default:
		return simpleType(t.ID())
	}
}

// simpleType returns the table type of a type without parameters.
func simpleType(id arrow.Type) table.Type {
	switch id {
	case arrow.BOOL:
		return table.Type{Kind: table.Bool}
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64:
		return table.Type{Kind: table.Int}
	case arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64:
		return table.Type{Kind: table.Uint}
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64:
		return table.Type{Kind: table.Float}
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW, arrow.BINARY, arrow.LARGE_BINARY,
		arrow.BINARY_VIEW, arrow.NULL:
		return table.Type{Kind: table.String}
	case arrow.DATE32, arrow.DATE64:
		return table.Type{Kind: table.Date}
	}
	return scan.UnreadableType(oddName(id))
}

func oddName(id arrow.Type) string {
	switch id {
	case arrow.STRUCT:
		return "struct"
	case arrow.MAP:
		return "map"
	case arrow.SPARSE_UNION, arrow.DENSE_UNION:
		return "union"
	case arrow.TIME32, arrow.TIME64:
		return "time"
	case arrow.DURATION:
		return "duration"
	case arrow.INTERVAL_MONTHS, arrow.INTERVAL_DAY_TIME, arrow.INTERVAL_MONTH_DAY_NANO:
		return "interval"
	case arrow.LIST_VIEW, arrow.LARGE_LIST_VIEW:
		return "list view"
	case arrow.RUN_END_ENCODED:
		return "run-end encoded"
	}
	return "unknown"
}

// listType returns the column type of a list whose elements have the type elem.
func listType(elem arrow.DataType) table.Type {
	elem = storage(elem)
	switch tableType(elem).Kind {
	case table.Int, table.Uint, table.Float:
		if elem.ID() != arrow.DICTIONARY {
			return table.Type{Kind: table.List}
		}
	}
	return scan.UnreadableType("list")
}

// unreadLength reports whether t is a fixed-size list that is not read because of its length.
func unreadLength(t arrow.DataType) bool {
	fixed, ok := t.(*arrow.FixedSizeListType)
	return ok && (fixed.Len() < 0 || fixed.Len() > scan.BatchElements)
}
