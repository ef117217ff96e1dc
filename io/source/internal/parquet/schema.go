package parquet

import (
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// typeOf returns the table type of a schema element, which must be a leaf.
func typeOf(e *format.SchemaElement) table.Type {
	switch {
	case !e.Type.Valid:
		return groupType(e)
	case repeats(e):
		return scan.UnreadableType("repeated")
	case e.Type.V == format.FixedLenByteArray && (e.TypeLength.V < 1 || e.TypeLength.V > scan.MaxFixed):
		return scan.UnreadableType("fixed-length value of an odd length")
	case e.LogicalType.Value != nil:
		return logicalType(e.LogicalType.Value, e.Type.V)
	case e.ConvertedType.Valid:
		return convertedType(e.ConvertedType.V, e.Type.V)
	}
	return physicalType(e.Type.V)
}

func groupType(e *format.SchemaElement) table.Type {
	switch {
	case isList(e) || repeats(e):
		return scan.UnreadableType("list")
	case isMap(e):
		return scan.UnreadableType("map")
	}
	return scan.UnreadableType("struct")
}

func isList(e *format.SchemaElement) bool {
	_, ok := e.LogicalType.Value.(*format.ListType)
	return ok || e.ConvertedType.Valid && e.ConvertedType.V == deprecated.List
}

func isMap(e *format.SchemaElement) bool {
	_, ok := e.LogicalType.Value.(*format.MapType)
	return ok || e.ConvertedType.Valid && (e.ConvertedType.V == deprecated.Map ||
		e.ConvertedType.V == deprecated.MapKeyValue)
}

// repeats reports whether an element is repeated. A repetition type that is neither required nor optional counts as
// repeated.
func repeats(e *format.SchemaElement) bool {
	return e.RepetitionType.V != format.Required && e.RepetitionType.V != format.Optional
}

func physicalType(physical format.Type) table.Type {
	switch physical {
	case format.Boolean:
		return table.Type{Kind: table.Bool}
	case format.Int32, format.Int64:
		return table.Type{Kind: table.Int}
	case format.Int96: // writers use INT96 only for timestamps
		return table.Type{Kind: table.Timestamp, Unit: 1e3, Zone: table.UTC}
	case format.Float, format.Double:
		return table.Type{Kind: table.Float}
	case format.ByteArray, format.FixedLenByteArray:
		return table.Type{Kind: table.String}
	}
	return scan.UnreadableType("unknown")
}

// logicalType returns the table type of a logical type. It returns an Invalid type if the physical type may not have
// the logical type.
func logicalType(l format.LogicalTypeValue, physical format.Type) table.Type {
	integer := []format.Type{format.Int32, format.Int64}
	text := []format.Type{format.ByteArray, format.FixedLenByteArray}
	switch l := l.(type) {
	case *format.StringType, *format.EnumType, *format.JsonType, *format.BsonType, *format.UUIDType:
		return typeIfAllowed(physical, table.Type{Kind: table.String}, text...)
	case *format.DateType:
		return typeIfAllowed(physical, table.Type{Kind: table.Date}, format.Int32)
	case *format.TimestampType:
		t := table.Type{Kind: table.Timestamp, Unit: unitOf(l.Unit.Value), Zone: scan.ZoneOf(l.IsAdjustedToUTC)}
		return typeIfAllowed(physical, t, format.Int64)
	case *format.IntType:
		if l.IsSigned {
			return typeIfAllowed(physical, table.Type{Kind: table.Int}, integer...)
		}
		return typeIfAllowed(physical, table.Type{Kind: table.Uint}, integer...)
	}
	name, _, _ := strings.Cut(strings.ToLower(l.String()), "(")
	return scan.UnreadableType(name)
}

// typeIfAllowed returns t if the physical type is in allowed, and otherwise an Invalid type.
func typeIfAllowed(physical format.Type, t table.Type, allowed ...format.Type) table.Type {
	if !slices.Contains(allowed, physical) || t.Kind == table.Timestamp && t.Unit == 0 {
		return scan.UnreadableType(t.Kind.String() + " of an odd physical type")
	}
	return t
}

func unitOf(u format.TimeUnitValue) int64 {
	switch u.(type) {
	case *format.MilliSeconds:
		return 1e6
	case *format.MicroSeconds:
		return 1e3
	case *format.NanoSeconds:
		return 1
	}
	return 0
}

// convertedType returns the table type of a converted type, which older writers state instead of a logical type.
func convertedType(c deprecated.ConvertedType, physical format.Type) table.Type {
	switch c {
	case deprecated.UTF8, deprecated.Enum, deprecated.Json, deprecated.Bson:
		return logicalType(&format.StringType{}, physical)
	case deprecated.Date:
		return logicalType(&format.DateType{}, physical)
	case deprecated.TimestampMillis:
		return logicalType(instants(&format.MilliSeconds{}), physical)
	case deprecated.TimestampMicros:
		return logicalType(instants(&format.MicroSeconds{}), physical)
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		return logicalType(&format.IntType{}, physical)
	case deprecated.Int8, deprecated.Int16, deprecated.Int32, deprecated.Int64:
		return logicalType(&format.IntType{IsSigned: true}, physical)
	case deprecated.Decimal:
		return scan.UnreadableType("decimal")
	case deprecated.TimeMillis, deprecated.TimeMicros:
		return scan.UnreadableType("time")
	case deprecated.Interval:
		return scan.UnreadableType("interval")
	}
	return scan.UnreadableType("unknown")
}

func instants(unit format.TimeUnitValue) *format.TimestampType {
	return &format.TimestampType{IsAdjustedToUTC: true, Unit: format.TimeUnit{Value: unit}}
}
