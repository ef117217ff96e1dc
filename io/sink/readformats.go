package sink

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/parquet-go/parquet-go"

	"github.com/dprelease/dprelease/queries/domain"
)

// How a table of each format is read back (readback.go says why). Errors hold no value of a table.

// readFunc reads a file of some bytes into a columnReader.
type readFunc func(c *columnReader, r io.ReaderAt, size int64) error

// The readers of the formats, in order of preference.
var readBack = []struct {
	extension string
	read      readFunc
}{{".parquet", readParquet}, {".arrow", readArrow}, {".json", readJSON}, {".csv", readCSV}}

func readCSV(c *columnReader, r io.ReaderAt, size int64) error {
	in := csv.NewReader(cancellable{c.ctx, io.NewSectionReader(r, 0, size)})
	header, err := in.Read()
	if err != nil {
		return mismatch("the header")
	}
	if err := c.setNames(slices.Clone(header)); err != nil {
		return err
	}
	in.ReuseRecord = true
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil { // the reader's own text quotes the file
			return errors.Join(c.ctx.Err(), mismatch("a row"))
		}
		for i := range c.keys {
			c.addKey(i, c.csvText(record[i]))
		}
		for i := c.keys; i < len(record); i++ {
			if err := c.addNumberText(i, record[i]); err != nil {
				return err
			}
		}
	}
}

func readJSON(c *columnReader, r io.ReaderAt, size int64) error {
	in := json.NewDecoder(cancellable{c.ctx, io.NewSectionReader(r, 0, size)})
	in.UseNumber()
	if _, err := in.Token(); err != nil {
		return mismatch("the first line")
	}
	for in.More() {
		names, texts, err := jsonObject(in)
		if err != nil {
			return errors.Join(c.ctx.Err(), mismatch("a row"))
		}
		if c.names == nil {
			if err := c.setNames(names); err != nil {
				return err
			}
		}
		if !slices.Equal(names, c.names) {
			return mismatch("the columns")
		}
		for i, text := range texts {
			if i < c.keys {
				c.addKey(i, text)
			} else if err := c.addNumberText(i, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// jsonObject reads one object and returns its names, and its values as text.
func jsonObject(in *json.Decoder) (names, texts []string, err error) {
	if _, err := in.Token(); err != nil {
		return nil, nil, err
	}
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return nil, nil, err
		}
		value, err := in.Token()
		if err != nil {
			return nil, nil, err
		}
		names = append(names, fmt.Sprint(name))
		switch v := value.(type) {
		case string:
			texts = append(texts, v)
		case json.Number:
			texts = append(texts, v.String())
		case nil:
			texts = append(texts, "null")
		default:
			return nil, nil, mismatch("a value")
		}
	}
	_, err = in.Token()
	return names, texts, err
}

func readParquet(c *columnReader, r io.ReaderAt, size int64) error {
	f, err := parquet.OpenFile(r, size)
	if err != nil {
		return err
	}
	if !compressed(f.Metadata()) {
		return mismatch("the schema")
	}
	var names []string
	for _, field := range f.Schema().Fields() {
		names = append(names, field.Name())
	}
	if err := c.setNames(names); err != nil {
		return err
	}
	for _, g := range f.RowGroups() {
		chunks := g.ColumnChunks()
		if len(chunks) != len(names) {
			return mismatch("the number of columns")
		}
		for i, chunk := range chunks {
			if i < c.keys && c.keyless {
				continue
			}
			if err := c.parquetColumn(i, chunk); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *columnReader) parquetColumn(i int, chunk parquet.ColumnChunk) (err error) {
	pages := chunk.Pages()
	defer func() { err = errors.Join(err, pages.Close()) }()
	var batch [valueBatch]parquet.Value
	for {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		p, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		values := p.Values()
		for {
			n, err := values.ReadValues(batch[:])
			for _, v := range batch[:n] {
				c.parquetValue(i, v)
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
		}
		parquet.Release(p)
	}
}

func (c *columnReader) parquetValue(i int, v parquet.Value) {
	switch {
	case i >= c.keys && v.IsNull():
		c.addNumber(i, math.NaN())
	case i >= c.keys:
		c.addNumber(i, v.Double())
	case v.Kind() == parquet.Int64:
		c.addNumericKey(i, wholeKey, strconv.FormatInt(v.Int64(), 10))
	case v.Kind() == parquet.Double:
		c.addNumericKey(i, realKey, domain.FloatText(v.Double()))
	default:
		c.addKey(i, string(v.ByteArray()))
	}
}

func readArrow(c *columnReader, r io.ReaderAt, size int64) error {
	f, err := ipc.NewFileReader(io.NewSectionReader(r, 0, size), ipc.WithAllocator(newWithin(size)))
	if err != nil {
		return err
	}
	var names []string
	for _, field := range f.Schema().Fields() {
		names = append(names, field.Name)
	}
	if err := c.setNames(names); err != nil {
		return err
	}
	for n := range f.NumRecords() {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		record, err := f.RecordAt(n)
		if err != nil {
			return err
		}
		for i := range names {
			if err := c.arrowColumn(i, record.Column(i)); err != nil {
				return err
			}
		}
		record.Release()
	}
	return nil
}

func (c *columnReader) arrowColumn(i int, column arrow.Array) error {
	if i >= c.keys {
		values, ok := column.(*array.Float64)
		if !ok {
			return mismatch("column " + c.names[i])
		}
		for row := range values.Len() {
			if values.IsNull(row) {
				c.addNumber(i, math.NaN())
				continue
			}
			c.addNumber(i, values.Value(row))
		}
		return nil
	}
	if c.keyless {
		return nil
	}
	for row := range column.Len() {
		switch k := column.(type) {
		case *array.Dictionary:
			labels, ok := k.Dictionary().(*array.String)
			code := k.GetValueIndex(row)
			if !ok || code < 0 || code >= labels.Len() {
				return mismatch("column " + c.names[i])
			}
			c.addKey(i, labels.Value(code))
		case *array.Int64:
			c.addNumericKey(i, wholeKey, strconv.FormatInt(k.Value(row), 10))
		case *array.Float64:
			c.addNumericKey(i, realKey, domain.FloatText(k.Value(row)))
		default:
			return mismatch("column " + c.names[i])
		}
	}
	return nil
}
