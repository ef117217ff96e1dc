package source_test

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dprelease/dprelease/io/source/sourcetest"
)

// ipcFile writes record batches as an Arrow file.
func ipcFile(t testing.TB, records []arrow.Record, options ...ipc.Option) []byte {
	t.Helper()
	options = append(options, ipc.WithSchema(records[0].Schema()))
	return sourcetest.Must(t)(sourcetest.MarshalArrowFile(records, options...))
}

// ipcStream writes record batches as an Arrow stream.
func ipcStream(t testing.TB, records []arrow.Record, options ...ipc.Option) []byte {
	t.Helper()
	options = append(options, ipc.WithSchema(records[0].Schema()))
	return sourcetest.Must(t)(sourcetest.MarshalArrowStream(records, options...))
}

// cut slices a record batch into batches of at most n rows. Their arrays start after the first value of their buffers.
func cut(r arrow.Record, n int64) (out []arrow.Record) {
	for at := int64(0); at < r.NumRows(); at += n {
		out = append(out, r.NewSlice(at, min(at+n, r.NumRows())))
	}
	return out
}

// replaced returns a record batch with another array for one column.
func replaced(r arrow.Record, name string, a arrow.Array) arrow.Record {
	fields, columns := r.Schema().Fields(), append([]arrow.Array{}, r.Columns()...)
	for i := range fields {
		if fields[i].Name == name {
			fields[i].Type, columns[i] = a.DataType(), a
		}
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), columns, r.NumRows())
}

// rebuilt copies an array of strings to another string type; nulls stay.
func rebuilt(a arrow.Array, to arrow.DataType) arrow.Array {
	b := array.NewBuilder(memory.DefaultAllocator, to)
	for i := range a.Len() {
		switch b := b.(type) {
		case *array.BinaryDictionaryBuilder:
			if a.IsNull(i) {
				b.AppendNull()
			} else if err := b.AppendString(a.ValueStr(i)); err != nil {
				panic(err)
			}
		case array.StringLikeBuilder:
			if a.IsNull(i) {
				b.AppendNull()
			} else {
				b.Append(a.ValueStr(i))
			}
		}
	}
	return b.NewArray()
}

// columnOf returns a record batch's column by its name.
func columnOf(r arrow.Record, name string) arrow.Array {
	return r.Column(r.Schema().FieldIndices(name)[0])
}

// arrowIPC adds the sample in Arrow's own formats.
func arrowIPC(t testing.TB, records []record, out map[string][]byte) {
	plain := arrowRecord(records)
	cat, note := columnOf(plain, "cat"), columnOf(plain, "note")
	coded := replaced(plain, "cat", rebuilt(cat, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8,
		ValueType: arrow.BinaryTypes.String}))
	large := replaced(replaced(plain, "cat", rebuilt(cat, arrow.BinaryTypes.LargeString)), "note",
		rebuilt(note, arrow.BinaryTypes.LargeString))
	viewed := replaced(replaced(plain, "cat", rebuilt(cat, arrow.BinaryTypes.StringView)), "note",
		rebuilt(note, arrow.BinaryTypes.StringView))
	whole := []arrow.Record{plain}
	out["ipc.arrow"], out["ipc-stream.arrow"] = ipcFile(t, whole), ipcStream(t, whole)
	for name, option := range map[string]ipc.Option{"lz4": ipc.WithLZ4(), "zstd": ipc.WithZstd()} {
		out["ipc-"+name+".feather"] = ipcFile(t, cut(plain, 1500), option)
		out["ipc-stream-"+name+".arrow"] = ipcStream(t, cut(coded, 1501), option)
		out["ipc-large-"+name+".arrow"] = ipcFile(t, cut(large, 999), option, ipc.WithMinSpaceSavings(0.3))
	}
	out["ipc-coded.arrow"] = ipcFile(t, cut(coded, 1500))
	out["ipc-views.arrow"] = ipcFile(t, []arrow.Record{viewed})
	out["ipc-views-stream.arrow"] = ipcStream(t, []arrow.Record{viewed}, ipc.WithZstd())
}
