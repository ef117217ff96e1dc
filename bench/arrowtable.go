package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

const recordRows = 100_000

// writeArrow writes an Arrow file, compressed with LZ4. The categories are dictionary-encoded, with one dictionary for
// the file.
func writeArrow(w io.Writer, g *generator) error {
	coded := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "unit", Type: arrow.PrimitiveTypes.Int64}, {Name: "category", Type: coded, Nullable: true}, {Name: "value",
			Type: arrow.PrimitiveTypes.Float64},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	units, unitsOK := b.Field(0).(*array.Int64Builder)
	names, namesOK := b.Field(1).(*array.BinaryDictionaryBuilder)
	values, valuesOK := b.Field(2).(*array.Float64Builder)
	if !unitsOK || !namesOK || !valuesOK {
		return fmt.Errorf("the builders are of other types")
	}
	names.Reserve(recordRows)
	dictionary := array.NewStringBuilder(memory.DefaultAllocator)
	defer dictionary.Release()
	for i := range categories {
		dictionary.Append(categoryName(i))
	}
	if err := names.InsertStringDictValues(dictionary.NewStringArray()); err != nil {
		return err
	}
	out, err := ipc.NewFileWriter(w, ipc.WithSchema(schema), ipc.WithLZ4())
	if err != nil {
		return err
	}
	flush := func() error {
		record := b.NewRecordBatch()
		defer record.Release()
		if record.NumRows() == 0 {
			return nil
		}
		return out.Write(record)
	}
	for batch := g.next(); len(batch) > 0; batch = g.next() {
		for i := range batch {
			units.Append(batch[i].Unit)
			if err := names.AppendString(batch[i].Category); err != nil {
				return err
			}
			values.Append(batch[i].Value)
		}
		if units.Len() >= recordRows {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return errors.Join(flush(), out.Close())
}
