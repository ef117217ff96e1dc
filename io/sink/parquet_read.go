package sink

import (
	"context"
	"errors"
	"io"
	"math"

	"github.com/parquet-go/parquet-go"

	meta "github.com/parquet-go/parquet-go/format"
)

func (parquetFormat) loses() losses { return losses{} }

// Read passes the rows to to, one row group at a time.
func (parquetFormat) Read(ctx context.Context, r io.ReaderAt, size int64, to tableReceiver) error {
	f, err := parquet.OpenFile(r, size)
	if err != nil {
		return err
	}
	if !compressed(f.Metadata()) {
		return mismatch("the schema")
	}
	var names []string
	var optional []bool
	fields := f.Schema().Fields()
	for _, field := range fields {
		names, optional = append(names, field.Name()), append(optional, field.Optional())
	}
	keys, needed, err := to.columns(names, optional)
	if err != nil {
		return err
	}
	rows := newFileRows(keys, len(names)-keys)
	for i, field := range fields {
		kind, ok := parquetKind(field)
		if !ok || i >= keys && kind != realKey || i < keys && optional[i] {
			return mismatch("the schema")
		}
		if i < keys {
			rows.keys[i].kind = kind
		}
	}
	for _, g := range f.RowGroups() {
		rows.reset()
		rows.n = int(g.NumRows())
		chunks := g.ColumnChunks()
		if len(chunks) != len(names) {
			return mismatch("the number of columns")
		}
		for i, chunk := range chunks {
			if i < keys && !needed {
				continue
			}
			n, err := addPages(ctx, rows, i, optional[i], chunk)
			if err == nil && n != rows.n {
				err = mismatch("")
			}
			if err != nil {
				return inColumn(names[i], err)
			}
		}
		if err := to.add(rows); err != nil {
			return err
		}
	}
	return nil
}

// compressed reports whether the footer states our compression for all columns. With another one, a damaged file could
// make the library allocate memory without bound.
func compressed(m *meta.FileMetaData) bool {
	for _, g := range m.RowGroups {
		for _, c := range g.Columns {
			if c.MetaData.Codec != meta.Zstd {
				return false
			}
		}
	}
	return true
}

func parquetKind(f parquet.Field) (keyKind, bool) {
	if !f.Leaf() || f.Repeated() {
		return anyKey, false
	}
	text := false
	if l := f.Type().LogicalType(); l != nil {
		_, text = l.Value.(*meta.StringType)
	}
	switch k := f.Type().Kind(); {
	case k == parquet.ByteArray && text:
		return textKey, true
	case k == parquet.Int64:
		return wholeKey, true
	case k == parquet.Double:
		return realKey, true
	}
	return anyKey, false
}

func inColumn(name string, err error) error {
	var differs mismatch
	if errors.As(err, &differs) {
		return mismatch("column " + name)
	}
	return err
}

// addPages appends the values of column i in a row group, and returns their number.
func addPages(ctx context.Context, rows *fileRows, i int, optional bool, chunk parquet.ColumnChunk) (read int,
	err error) {
	pages := chunk.Pages()
	defer func() { err = errors.Join(err, pages.Close()) }()
	for {
		if err := ctx.Err(); err != nil {
			return read, err
		}
		p, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return read, nil
		}
		if err != nil {
			return read, err
		}
		n := int(p.NumValues())
		ok := n <= rows.n-read
		switch at := i - len(rows.keys); {
		case !ok:
		case at < 0:
			ok = rows.keys[i].addPage(p)
		case optional:
			ok = addOptional(&rows.values[at], p)
		default:
			data := p.Data()
			rows.values[at] = append(rows.values[at], data.Double()...)
			ok = len(rows.values[at]) == read+n
		}
		parquet.Release(p)
		if read += n; !ok {
			return read, mismatch("")
		}
	}
}

// addOptional appends the values of an optional column. A page holds only the values that are present. NaN stands for a
// missing value, so it returns false if the page holds a NaN.
func addOptional(values *[]float64, p parquet.Page) bool {
	data := p.Data()
	got, levels := data.Double(), p.DefinitionLevels()
	if int64(len(levels)) != p.NumValues() {
		return false
	}
	for _, level := range levels {
		v := math.NaN()
		if level == 1 {
			if len(got) == 0 || math.IsNaN(got[0]) {
				return false
			}
			v, got = got[0], got[1:]
		}
		*values = append(*values, v)
	}
	return len(got) == 0
}

// addPage appends the labels of a page. It returns false if the number of labels differs from the page's header, or if
// a code is not in the page's dictionary.
func (k *fileKeys) addPage(p parquet.Page) bool {
	data, n := p.Data(), int(p.NumValues())
	switch k.kind {
	case wholeKey:
		k.ints = append(k.ints, data.Int64()...)
		return len(data.Int64()) == n
	case realKey:
		k.floats = append(k.floats, data.Double()...)
		return len(data.Double()) == n
	}
	if d := p.Dictionary(); d != nil {
		return k.addCodes(data.Int32(), d) && len(data.Int32()) == n
	}
	bytes, offsets := data.ByteArray()
	if len(offsets) != n+1 {
		return false
	}
	for i, from := range offsets[:n] {
		k.texts = append(k.texts, string(bytes[from:offsets[i+1]]))
	}
	return true
}

// addCodes appends the labels of dictionary codes. Each label is copied once.
func (k *fileKeys) addCodes(codes []int32, d parquet.Dictionary) bool {
	labels := make([]string, d.Len())
	for i := range labels {
		labels[i] = string(d.Index(int32(i)).ByteArray())
	}
	for _, code := range codes {
		if code < 0 || int(code) >= len(labels) {
			return false
		}
		k.texts = append(k.texts, labels[code])
	}
	return true
}
