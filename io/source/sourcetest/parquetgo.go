package sourcetest

import (
	"bytes"
	"math/rand/v2"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding"
)

// codecs are the compressions from which one is drawn at random, mostly fast ones: readers hardly depend on the choice.
var codecs = []compress.Codec{
	&parquet.Uncompressed, &parquet.Uncompressed, &parquet.Uncompressed, &parquet.Uncompressed, &parquet.Snappy,
	&parquet.Snappy, &parquet.Snappy, &parquet.Snappy, &parquet.Zstd, &parquet.Gzip,
}

// parquetGo returns a Parquet file made by parquet-go. It draws at random the encodings of columns, and the division
// into row groups and pages.
func parquetGo(columns []Column, rows []Row, r *rand.Rand) ([]byte, error) {
	group, dictionaries := parquet.Group{}, r.Float64()
	options := []parquet.WriterOption{
		parquet.MaxRowsPerRowGroup(pick[int64](r, 1, 2, 3, 4, 7, 1<<40, 1<<40)),
		parquet.PageBufferSize(pick(r, 1, 8, 16, 33, 64, 4096)), parquet.DataPageVersion(1 + r.IntN(2)),
		parquet.DataPageStatistics(r.IntN(3) > 0), parquet.DeprecatedDataPageStatistics(r.IntN(2) > 0),
		parquet.Compression(pick(r, codecs...)), parquet.WriteBufferSize(0),
		parquet.ColumnPageBuffers(parquet.NewBufferPool()),
	}
	limit := pick(r, 1, 3, 16, 64)
	options = append(options, parquet.ColumnIndexSizeLimit(func([]string) int { return limit }))
	for _, c := range columns {
		n := c.Type.Node
		switch x := r.Float64(); {
		case !n.Leaf():
		case x < dictionaries:
			n = parquet.Encoded(n, &parquet.RLEDictionary)
		case x > 0.7:
			n = otherwiseEncoded(n)
		}
		group[c.Name] = optional(n, c)
		if r.IntN(8) == 0 {
			options = append(options, parquet.SkipPageBounds(c.Name))
		}
	}
	return encode(group, options, columns, rows)
}

// PlainParquetGo returns a Parquet file made by parquet-go with its default settings and dictionaries for all columns,
// as most Go programs make it.
func PlainParquetGo(columns []Column, rows []Row, _ *rand.Rand) ([]byte, error) {
	group := parquet.Group{}
	for _, c := range columns {
		n := c.Type.Node
		if n.Leaf() {
			n = parquet.Encoded(n, &parquet.RLEDictionary)
		}
		group[c.Name] = optional(n, c)
	}
	return encode(group, nil, columns, rows)
}

func optional(n parquet.Node, c Column) parquet.Node {
	if c.Optional {
		return parquet.Optional(n)
	}
	return n
}

// otherwiseEncoded returns a node with an encoding other than plain and dictionary, if its type has one.
func otherwiseEncoded(n parquet.Node) parquet.Node {
	var e encoding.Encoding
	switch n.Type().Kind() {
	case parquet.Float, parquet.Double:
		e = &parquet.ByteStreamSplit
	case parquet.ByteArray:
		e = &parquet.DeltaByteArray
	case parquet.Boolean:
		e = &parquet.RLE
	case parquet.Int32, parquet.Int64:
		e = &parquet.DeltaBinaryPacked
	default:
		return n
	}
	return parquet.Encoded(n, e)
}

// encode returns a Parquet file of the rows. It writes row by row, so that pages end at their size limit.
func encode(group parquet.Group, options []parquet.WriterOption, columns []Column, rows []Row) ([]byte, error) {
	schema := parquet.NewSchema("table", group)
	var b bytes.Buffer
	w := parquet.NewGenericWriter[any](&b, append(options, schema)...)
	at := map[string]int{} // the index of each column in the file, which has them sorted by name
	for i, path := range schema.Columns() {
		at[path[0]] = i
	}
	values := make([][]parquet.Value, len(columns))
	for _, row := range rows {
		for i, c := range columns {
			k := at[c.Name]
			values[k] = appendLeaves(values[k][:0], c, row[i], k)
		}
		var flat parquet.Row
		for _, v := range values {
			flat = append(flat, v...)
		}
		if _, err := w.WriteRows([]parquet.Row{flat}); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// appendLeaves appends the values of one cell, with their levels, to to.
func appendLeaves(to []parquet.Value, c Column, cell any, column int) []parquet.Value {
	level := 0
	if c.Optional {
		level = 1
	}
	list, ok := cell.([]float64)
	switch {
	case cell == nil:
		return append(to, parquet.Value{}.Level(0, 0, column))
	case !ok:
		return append(to, leaf(c.Type.Node.Type(), cell).Level(0, level, column))
	case len(list) == 0:
		return append(to, parquet.Value{}.Level(0, level, column))
	}
	for i, x := range list {
		to = append(to, parquet.DoubleValue(x).Level(min(i, 1), level+1, column))
	}
	return to
}
