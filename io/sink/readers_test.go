package sink

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/parquet"
	parquetschema "github.com/apache/arrow/go/v17/parquet/schema"
	goparquet "github.com/parquet-go/parquet-go"
	"github.com/xitongsys/parquet-go/reader"
	"github.com/xitongsys/parquet-go/source"

	"github.com/dprelease/dprelease/io/source/sourcetest"
)

// arrowGrid reads Parquet with Apache Arrow.
func arrowGrid(t *testing.T, data []byte) grid {
	t.Helper()
	schema, columns, err := sourcetest.ArrowCells(data)
	if err != nil {
		t.Fatal(err)
	}
	g := grid{}
	for i, values := range columns {
		column := schema.Column(i)
		g.names = append(g.names, column.Name())
		g.optional = append(g.optional, column.MaxDefinitionLevel() == 1)
		text := column.LogicalType().Equals(parquetschema.StringLogicalType{})
		switch of := column.PhysicalType(); {
		case of == parquet.Types.ByteArray && text:
			g.columns = append(g.columns, unbox[string](t, values))
		case of == parquet.Types.Int64:
			g.columns = append(g.columns, unbox[int64](t, values))
		case of == parquet.Types.Double:
			g.columns = append(g.columns, unbox[float64](t, values))
		default:
			t.Fatalf("unexpected type %s", of)
		}
	}
	return g
}

func arrowColumn(t *testing.T, typ arrow.DataType, chunks []arrow.Array) any {
	t.Helper()
	texts, ints, floats := []string{}, []int64{}, []float64{}
	for _, chunk := range chunks {
		switch c := chunk.(type) {
		case *array.Dictionary:
			labels := c.Dictionary().(*array.String)
			for i := range c.Len() {
				texts = append(texts, labels.Value(c.GetValueIndex(i)))
			}
		case *array.String:
			for i := range c.Len() {
				texts = append(texts, c.Value(i))
			}
		case *array.Int64:
			ints = append(ints, c.Int64Values()...)
		case *array.Float64:
			for i, v := range c.Float64Values() {
				if c.IsNull(i) {
					v = null
				}
				floats = append(floats, v)
			}
		default:
			t.Fatalf("unexpected type %s", typ)
		}
	}
	switch typ.ID() {
	case arrow.STRING, arrow.DICTIONARY:
		return texts
	case arrow.INT64:
		return ints
	default:
		return floats
	}
}

// memoryFile is a file in memory for xitongsys/parquet-go.
type memoryFile struct {
	*bytes.Reader
	data []byte
}

func openMemory(data []byte) *memoryFile { return &memoryFile{bytes.NewReader(data), data} }

func (f *memoryFile) Open(string) (source.ParquetFile, error)   { return openMemory(f.data), nil }
func (f *memoryFile) Create(string) (source.ParquetFile, error) { return nil, io.ErrClosedPipe }
func (f *memoryFile) Write([]byte) (int, error)                 { return 0, io.ErrClosedPipe }
func (f *memoryFile) Close() error                              { return nil }

// xitongsysGrid reads Parquet with xitongsys/parquet-go; names and types come from want, values from the file.
func xitongsysGrid(t *testing.T, data []byte, want grid) grid {
	t.Helper()
	r, err := reader.NewParquetColumnReader(openMemory(data), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer r.ReadStop()
	g := grid{}
	for i := range want.columns {
		g.names = append(g.names, r.SchemaHandler.GetExName(i+1))
		values, _, _, err := r.ReadColumnByIndex(int64(i), r.GetNumRows())
		if err != nil {
			t.Fatal(err)
		}
		switch want.columns[i].(type) {
		case []string:
			g.columns = append(g.columns, unbox[string](t, values))
		case []int64:
			g.columns = append(g.columns, unbox[int64](t, values))
		default:
			g.columns = append(g.columns, unbox[float64](t, values))
		}
	}
	return g
}

func unbox[T any](t *testing.T, values []any) []T {
	t.Helper()
	out := make([]T, 0, len(values))
	for _, v := range values {
		if v == nil {
			v = any(null)
		}
		x, ok := v.(T)
		if !ok {
			t.Fatalf("a value is a %T, want a %T", v, x)
		}
		out = append(out, x)
	}
	return out
}

// rowsGrid reads Parquet row by row with the library that wrote it.
func rowsGrid(t *testing.T, data []byte, want grid) grid {
	t.Helper()
	r := goparquet.NewGenericReader[any](bytes.NewReader(data))
	defer r.Close()
	rows := make([]goparquet.Row, r.NumRows())
	if n, err := r.ReadRows(rows); n != len(rows) || err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(n, err)
	}
	g := grid{}
	for i, f := range r.Schema().Fields() {
		g.names = append(g.names, f.Name())
		switch want.columns[i].(type) {
		case []string:
			g.columns = append(g.columns, cellsOf(rows, i, func(v goparquet.Value) string { return string(v.ByteArray()) }))
		case []int64:
			g.columns = append(g.columns, cellsOf(rows, i, goparquet.Value.Int64))
		default:
			g.columns = append(g.columns, cellsOf(rows, i, func(v goparquet.Value) float64 {
				if v.IsNull() {
					return null
				}
				return v.Double()
			}))
		}
	}
	return g
}

func cellsOf[T any](rows []goparquet.Row, column int, get func(goparquet.Value) T) []T {
	out := make([]T, 0, len(rows))
	for _, r := range rows {
		out = append(out, get(r[column]))
	}
	return out
}

// csvGrid reads CSV; the types come from want. An empty number is null.
func csvGrid(t *testing.T, data []byte, want grid) grid {
	t.Helper()
	records, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	g := grid{}
	for _, name := range records[0] {
		g.names = append(g.names, strings.TrimPrefix(name, "'"))
	}
	for i, column := range want.columns {
		texts := []string{}
		for _, r := range records[1:] {
			texts = append(texts, r[i])
		}
		switch column.(type) {
		case []string:
			for k, s := range texts { // one apostrophe keeps a text from being a formula
				texts[k] = strings.TrimPrefix(s, "'")
			}
			g.columns = append(g.columns, texts)
		case []int64:
			g.columns = append(g.columns, parsed(t, texts, func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }))
		default:
			g.columns = append(g.columns, parsed(t, texts, func(s string) (float64, error) {
				if s == "" {
					return null, nil
				}
				return strconv.ParseFloat(s, 64)
			}))
		}
	}
	return g
}

func parsed[T any](t *testing.T, texts []string, parse func(string) (T, error)) []T {
	t.Helper()
	out := make([]T, 0, len(texts))
	for _, s := range texts {
		v, err := parse(s)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}
