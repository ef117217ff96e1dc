package sink

import (
	"reflect"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
)

const (
	// maxDictionary and maxDictionaryBytes limit the dictionary of a string column in a row group. A column whose
	// dictionary would be larger is written as plain values.
	maxDictionary      = 1 << 16
	maxDictionaryBytes = 32 << 20
)

// record is a table's schema for the library. Its fields keep their order; the library's Group would sort them by name.
type record struct {
	parquet.Group
	fields []parquet.Field
}

func (r record) Fields() []parquet.Field { return r.fields }

type field struct {
	parquet.Node
	name string
}

func (f field) Name() string { return f.name }

// Value is never called: the library uses it only for rows held in Go structs.
func (f field) Value(reflect.Value) reflect.Value { return reflect.Value{} }

// schemaOf returns the table's schema. The columns after the keys are optional if the table is nullable.
func schemaOf(t *table) *parquet.Schema {
	r := record{Group: parquet.Group{}}
	for i, name := range t.columns() {
		node := parquet.Encoded(parquet.Leaf(parquet.DoubleType), &parquet.Plain)
		switch {
		case i < len(t.keys):
			node = keyNode(t, i)
		case t.nullable:
			node = parquet.Optional(node)
		}
		r.Group[name] = node
		r.fields = append(r.fields, field{Node: node, name: name})
	}
	return parquet.NewSchema("release", r)
}

func keyNode(t *table, i int) parquet.Node {
	switch l := t.keys[i].Labels; {
	case len(l.Strings) > 0:
		return parquet.Encoded(parquet.String(), stringEncoding(t, i))
	case len(l.Ints) > 0:
		return parquet.Encoded(parquet.Leaf(parquet.Int64Type), &parquet.Plain)
	default:
		return parquet.Encoded(parquet.Leaf(parquet.DoubleType), &parquet.Plain)
	}
}

// stringEncoding returns the encoding of a string column. It depends only on public facts: how many labels a row group
// can have, and how long they are.
func stringEncoding(t *table, i int) encoding.Encoding {
	labels, bytes := t.keys[i].Labels.Strings, 0
	for _, s := range labels {
		bytes += len(s)
	}
	met := (blockRows+chunkCells)/t.keys[i].Stride + 2
	if t.sparse {
		met = blockRows + chunkCells
	}
	if min(met, len(labels)) > maxDictionary || bytes > maxDictionaryBytes {
		return &parquet.Plain
	}
	return &parquet.RLEDictionary
}
