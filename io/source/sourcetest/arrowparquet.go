package sourcetest

import (
	"bytes"
	"encoding/binary"
	"reflect"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// Arrow's library encodes and decodes the columns of Parquet files here. Its package pqarrow, which converts arrays to
// such columns, is not used: it needs Arrow's compute engine and gRPC, which take longer to compile than the rest of
// the library.

// MarshalArrowParquet returns a record batch as a Parquet file that Arrow's library writes. The file has no row group
// if the batch has no rows. For data pages of version 2, the library loops forever if a row has more list elements than
// the writer's batch size.
func MarshalArrowParquet(of arrow.Record, properties ...parquet.WriterProperty) ([]byte, error) {
	p := parquet.NewWriterProperties(properties...)
	s := shredder{}
	all := array.RecordToStructArray(of)
	root, rows, err := s.field(arrow.Field{Name: p.RootName(), Type: all.DataType()}, all, 0)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, root.(*schema.GroupNode), file.WithWriterProps(p))
	n, most := int(of.NumRows()), int(p.MaxRowGroupLength())
	for start := 0; start < n; start += most {
		for i := start; i < min(start+most, n); i++ {
			rows(i, 0, 0)
		}
		group := w.AppendRowGroup()
		for _, l := range s.leaves {
			chunk, err := group.NextColumn()
			if err == nil {
				err = l.flush(chunk)
			}
			if err != nil {
				return nil, err
			}
		}
		if err := group.Close(); err != nil {
			return nil, err
		}
	}
	err = w.Close()
	return out.Bytes(), err
}

// shredder divides arrays, which may be nested, into the leaves of a Parquet schema.
type shredder struct{ leaves []*parquetLeaf }

// rowsOf appends row i of an array to the array's leaves. definition and repetition are the levels of what contains the
// row. If that is null or an empty list, i is -1 and only the levels are appended.
type rowsOf func(i int, definition, repetition int16)

// field returns the Parquet node of an array, and its rows. lists is the number of lists around the array.
func (s *shredder) field(f arrow.Field, of arrow.Array, lists int16) (node schema.Node, rows rowsOf, err error) {
	repeat := parquet.Repetitions.Required
	if f.Nullable {
		repeat = parquet.Repetitions.Optional
	}
	switch a := of.(type) {
	case *array.Struct:
		nodes, children := make(schema.FieldList, a.NumField()), make([]rowsOf, a.NumField())
		for i := range children {
			field := f.Type.(*arrow.StructType).Field(i)
			if nodes[i], children[i], err = s.field(field, a.Field(i), lists); err != nil {
				return nil, nil, err
			}
		}
		node, err = schema.NewGroupNode(f.Name, repeat, nodes, -1)
		rows = func(i int, definition, repetition int16) {
			for _, child := range children {
				child(i, definition, repetition)
			}
		}
	case array.ListLike:
		node, rows, err = s.list(f, repeat, a, lists)
	default:
		l := newLeaf(a)
		s.leaves, rows = append(s.leaves, l), l.add
		node, err = schema.NewPrimitiveNodeLogical(f.Name, repeat, l.logical, l.physical, l.width, -1)
	}
	if !f.Nullable {
		return node, rows, err
	}
	inner := rows
	return node, func(i int, definition, repetition int16) {
		if i >= 0 && of.IsValid(i) && f.Type.ID() != arrow.NULL {
			inner(i, definition+1, repetition)
		} else {
			inner(-1, definition, repetition)
		}
	}, err
}

// list returns the Parquet node of a list or map, and its rows. As in files of pqarrow, all elements of lists are
// optional.
func (s *shredder) list(f arrow.Field, repeat parquet.Repetition, a array.ListLike, lists int16) (schema.Node, rowsOf,
	error) {
	_, isMap := a.(*array.Map)
	node, elements, err := s.field(arrow.Field{Name: f.Name, Type: a.ListValues().DataType(), Nullable: !isMap},
		a.ListValues(), lists+1)
	if err != nil {
		return nil, nil, err
	}
	if isMap {
		entry := node.(*schema.GroupNode)
		node, err = schema.MapOf(f.Name, entry.Field(0), entry.Field(1), repeat, -1)
	} else {
		node, err = schema.ListOf(node, repeat, -1)
	}
	return node, func(i int, definition, repetition int16) {
		var start, end int64
		if i >= 0 {
			start, end = a.ValueOffsets(i)
		}
		if start == end {
			elements(-1, definition, repetition)
		}
		for ; start < end; start++ {
			elements(int(start), definition+1, repetition)
			repetition = lists + 1
		}
	}, err
}

// parquetLeaf gathers the values and levels of a column of Parquet.
type parquetLeaf struct {
	physical                 parquet.Type
	logical                  schema.LogicalType
	width                    int // of a type of fixed length
	cell                     func(i int) any
	cells                    []any
	definitions, repetitions []int16
}

func (l *parquetLeaf) add(i int, definition, repetition int16) {
	l.definitions, l.repetitions = append(l.definitions, definition), append(l.repetitions, repetition)
	if i >= 0 {
		l.cells = append(l.cells, l.cell(i))
	}
}

// flush writes what was gathered to a row group's column, by the method WriteBatch that each type of column has.
func (l *parquetLeaf) flush(to file.ColumnChunkWriter) error {
	write := reflect.ValueOf(to).MethodByName("WriteBatch")
	of := write.Type().In(0)
	values := reflect.MakeSlice(of, 0, len(l.cells))
	for _, c := range l.cells {
		values = reflect.Append(values, reflect.ValueOf(c).Convert(of.Elem()))
	}
	out := write.Call([]reflect.Value{values, reflect.ValueOf(l.definitions), reflect.ValueOf(l.repetitions)})
	l.cells, l.definitions, l.repetitions = nil, nil, nil
	err, _ := out[1].Interface().(error)
	return err
}

// leafTypes has the Parquet types of most of Arrow's types.
var leafTypes = map[arrow.Type]parquetLeaf{
	arrow.NULL:              {physical: parquet.Types.Int32, logical: schema.NullLogicalType{}},
	arrow.BOOL:              {physical: parquet.Types.Boolean},
	arrow.INT8:              {physical: parquet.Types.Int32, logical: schema.NewIntLogicalType(8, true)},
	arrow.INT16:             {physical: parquet.Types.Int32, logical: schema.NewIntLogicalType(16, true)},
	arrow.INT32:             {physical: parquet.Types.Int32, logical: schema.NewIntLogicalType(32, true)},
	arrow.INT64:             {physical: parquet.Types.Int64, logical: schema.NewIntLogicalType(64, true)},
	arrow.UINT8:             {physical: parquet.Types.Int32, logical: schema.NewIntLogicalType(8, false)},
	arrow.UINT16:            {physical: parquet.Types.Int32, logical: schema.NewIntLogicalType(16, false)},
	arrow.UINT32:            {physical: parquet.Types.Int32, logical: schema.NewIntLogicalType(32, false)},
	arrow.UINT64:            {physical: parquet.Types.Int64, logical: schema.NewIntLogicalType(64, false)},
	arrow.FLOAT16:           {physical: parquet.Types.FixedLenByteArray, logical: schema.Float16LogicalType{}, width: 2},
	arrow.FLOAT32:           {physical: parquet.Types.Float},
	arrow.FLOAT64:           {physical: parquet.Types.Double},
	arrow.DATE32:            {physical: parquet.Types.Int32, logical: schema.DateLogicalType{}},
	arrow.DATE64:            {physical: parquet.Types.Int32, logical: schema.DateLogicalType{}},
	arrow.STRING:            {physical: parquet.Types.ByteArray, logical: schema.StringLogicalType{}},
	arrow.LARGE_STRING:      {physical: parquet.Types.ByteArray, logical: schema.StringLogicalType{}},
	arrow.BINARY:            {physical: parquet.Types.ByteArray},
	arrow.LARGE_BINARY:      {physical: parquet.Types.ByteArray},
	arrow.FIXED_SIZE_BINARY: {physical: parquet.Types.FixedLenByteArray},
	arrow.DECIMAL128:        {physical: parquet.Types.FixedLenByteArray},
	arrow.TIMESTAMP:         {physical: parquet.Types.Int64},
}

var timeUnits = map[arrow.TimeUnit]schema.TimeUnitType{
	arrow.Millisecond: schema.TimeUnitMillis, arrow.Microsecond: schema.TimeUnitMicros,
	arrow.Nanosecond: schema.TimeUnitNanos,
}

// newLeaf returns the leaf of an array. For most types, the array's method Value returns the cells.
func newLeaf(of arrow.Array) *parquetLeaf {
	l := leafTypes[of.DataType().ID()]
	switch t := of.DataType().(type) {
	case *arrow.FixedSizeBinaryType:
		l.width = t.ByteWidth
	case *arrow.Decimal128Type:
		l.logical = schema.NewDecimalLogicalType(t.Precision, t.Scale)
		l.width = len(shortest(decimal128.GetMaxValue(t.Precision).BigInt()))
	case *arrow.TimestampType:
		l.logical = schema.NewTimestampLogicalTypeForce(t.TimeZone != "", timeUnits[t.Unit])
	}
	if l.logical == nil {
		l.logical = schema.NoLogicalType{}
	}
	switch a := of.(type) {
	case *array.Date64:
		l.cell = func(i int) any { return a.Value(i) / 86_400_000 }
	case *array.Float16:
		l.cell = func(i int) any { return binary.LittleEndian.AppendUint16(nil, a.Value(i).Uint16()) }
	case *array.Decimal128:
		l.cell = func(i int) any { return twos(a.Value(i).BigInt(), l.width) }
	default:
		value := reflect.ValueOf(a).MethodByName("Value")
		l.cell = func(i int) any { return value.Call([]reflect.Value{reflect.ValueOf(i)})[0].Interface() }
	}
	return &l
}

// ArrowCells returns the schema of a Parquet file without lists and the cells of its columns, as Arrow's library reads
// them: values of the physical types, bytes as strings, and nil for null.
func ArrowCells(content []byte) (of *schema.Schema, columns [][]any, err error) {
	r, err := file.NewParquetReader(bytes.NewReader(content))
	if err != nil {
		return nil, nil, err
	}
	of = r.MetaData().Schema
	columns = make([][]any, of.NumColumns())
	for g := range r.NumRowGroups() {
		for i := range columns {
			chunk, err := r.RowGroup(g).Column(i)
			if err != nil {
				return nil, nil, err
			}
			read := reflect.ValueOf(chunk).MethodByName("ReadBatch")
			value := reflect.MakeSlice(read.Type().In(1), 1, 1)
			levels := reflect.ValueOf(make([]int16, 1))
			for chunk.HasNext() {
				out := read.Call([]reflect.Value{reflect.ValueOf(int64(1)), value, levels, levels})
				if err, ok := out[2].Interface().(error); ok {
					return nil, nil, err
				}
				var cell any
				if v := value.Index(0); out[1].Int() > 0 {
					if cell = v.Interface(); v.Kind() == reflect.Slice {
						cell = string(v.Bytes())
					}
				}
				columns[i] = append(columns[i], cell)
			}
			if err := chunk.Err(); err != nil {
				return nil, nil, err
			}
		}
	}
	return of, columns, nil
}
