package parquet

import (
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/table"
)

// listShape is how the levels of a column of lists say what its rows are. A definition level below null is a null list,
// null is an empty list, highest is an element, and what is between is an element that is null.
// Source: parquet-format, LogicalTypes.md, "Lists", with the older forms there.
type listShape struct {
	elements      *leaf // as if there were one a row, and no null
	null, highest byte
}

// listed makes the leaf a list of numbers, if the tree of elements, whose first one is the column, is one.
func (l *leaf) listed(elements []format.SchemaElement) {
	shape, e := listIn(elements)
	if e == nil {
		return
	}
	value := *e
	value.RepetitionType = thrift.New(format.Required)
	inner := leaf{field: table.Field{Type: typeOf(&value)}, physical: value.Type.V, width: int(value.TypeLength.V)}
	inner.refine(&value)
	switch inner.field.Type.Kind {
	case table.Int, table.Uint, table.Float:
		shape.elements = &inner
		l.list, l.physical, l.optional = shape, inner.physical, false
		l.field.Type = table.Type{Kind: table.List}
	}
}

// listIn returns the element of a column that is a list, or nil.
func listIn(elements []format.SchemaElement) (*listShape, *format.SchemaElement) {
	s, e := &listShape{highest: 1}, &elements[0]
	if e.Type.Valid && e.RepetitionType.V == format.Repeated {
		return s, e
	}
	if e.Type.Valid || !annotated(e) || e.NumChildren.V != 1 || len(elements) < 2 {
		return nil, nil
	}
	switch e.RepetitionType.V {
	case format.Optional:
		s.null, s.highest = 1, 2
	case format.Repeated:
		return nil, nil
	}
	middle := &elements[1]
	switch {
	case middle.RepetitionType.V != format.Repeated:
		return nil, nil
	case middle.Type.Valid:
		return s, middle
	case middle.NumChildren.V != 1 || len(elements) < 3 || middle.Name == "array" || middle.Name == e.Name+"_tuple":
		return nil, nil
	}
	element := &elements[2]
	if !element.Type.Valid || element.RepetitionType.V == format.Repeated {
		return nil, nil
	}
	if element.RepetitionType.V == format.Optional {
		s.highest++
	}
	return s, element
}

func annotated(e *format.SchemaElement) bool {
	if _, ok := e.LogicalType.Value.(*format.ListType); ok {
		return true
	}
	return e.ConvertedType.Valid && e.ConvertedType.V == deprecated.List
}

// values is the leaf of what pages hold: of a column of lists, their elements; else itself.
func (l *leaf) values() *leaf {
	if l.list != nil {
		return l.list.elements
	}
	return l
}
