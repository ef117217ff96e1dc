package sink

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/dprelease/dprelease/queries/domain"

	meta "github.com/parquet-go/parquet-go/format"
)

// Verify implements Format.
func (parquetFormat) Verify(ctx context.Context, r io.ReaderAt, size int64, t *table) error {
	f, err := parquet.OpenFile(r, size)
	if err != nil {
		return err
	}
	if !sameSchema(f.Schema(), schemaOf(t)) || !compressed(f.Metadata()) {
		return mismatch("the schema")
	}
	groups := f.RowGroups()
	for b, err := range t.blocks(ctx) {
		if err != nil {
			return err
		}
		if len(groups) == 0 || groups[0].NumRows() != int64(len(b.cells)) {
			return mismatch("the number of rows")
		}
		if err := verifyGroup(groups[0], t, b); err != nil {
			return err
		}
		groups = groups[1:]
	}
	if len(groups) != 0 {
		return mismatch("the number of rows")
	}
	return nil
}

func sameSchema(a, b *parquet.Schema) bool {
	return slices.EqualFunc(a.Fields(), b.Fields(), func(x, y parquet.Field) bool {
		return x.Name() == y.Name() && x.Leaf() && x.Required() == y.Required() && x.Optional() == y.Optional() &&
			x.Type().Kind() == y.Type().Kind() && isText(x) == isText(y)
	})
}

// compressed reports whether the footer names our codec for every column. With another codec, the library could
// allocate without bound.
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

func isText(f parquet.Field) bool {
	l := f.Type().LogicalType()
	if l == nil {
		return false
	}
	_, text := l.Value.(*meta.StringType)
	return text
}

func verifyGroup(g parquet.RowGroup, t *table, b *block) error {
	names, chunks := t.columns(), g.ColumnChunks()
	if len(chunks) != len(names) {
		return mismatch("the number of columns")
	}
	for i, chunk := range chunks {
		if err := verifyColumn(chunk, comparison(t, b, i), len(b.cells)); err != nil {
			return inColumn(names[i], err)
		}
	}
	return nil
}

func inColumn(name string, err error) error {
	var differs mismatch
	if errors.As(err, &differs) {
		return mismatch("column " + name)
	}
	return err
}

// comparison returns a function that compares a page's values with the block's rows from start on.
func comparison(t *table, b *block, column int) func(p parquet.Page, start int) bool {
	if column >= len(t.keys) {
		want := b.values[column-len(t.keys)]
		same := sameDoubles
		if t.nullable {
			same = sameOptional
		}
		return func(p parquet.Page, start int) bool { return same(p, want[start:start+int(p.NumValues())]) }
	}
	key := t.keys[column]
	return func(p parquet.Page, start int) bool { return sameKeys(p, key, b.cells[start:]) }
}

func verifyColumn(chunk parquet.ColumnChunk, same func(parquet.Page, int) bool, rows int) (err error) {
	pages := chunk.Pages()
	defer func() { err = errors.Join(err, pages.Close()) }()
	read := 0
	for {
		p, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		n := int(p.NumValues())
		ok := n <= rows-read && same(p, read)
		parquet.Release(p)
		if read += n; !ok {
			return mismatch("")
		}
	}
	if read != rows {
		return mismatch("")
	}
	return nil
}

func sameDoubles(p parquet.Page, want []float64) bool {
	data := p.Data()
	return slices.EqualFunc(data.Double(), want, sameBits)
}

// sameOptional compares the values of an optional column. A page holds only those that are not missing.
func sameOptional(p parquet.Page, want []float64) bool {
	data := p.Data()
	got, levels := data.Double(), p.DefinitionLevels()
	if len(levels) != len(want) {
		return false
	}
	for i, w := range want {
		switch {
		case math.IsNaN(w) && levels[i] == 0:
		case math.IsNaN(w), levels[i] != 1, len(got) == 0, !sameBits(got[0], w):
			return false
		default:
			got = got[1:]
		}
	}
	return len(got) == 0
}

// sameBits says whether two numbers have the same bits.
func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

func sameKeys(p parquet.Page, k domain.KeyColumn, cells []int) bool {
	cells, n, data := cells[:p.NumValues()], labelCount(k.Labels), p.Data()
	switch {
	case len(k.Labels.Strings) > 0:
		return sameStrings(p, k, cells)
	case len(k.Labels.Ints) > 0:
		return slices.EqualFunc(data.Int64(), cells, func(got int64, c int) bool {
			return got == k.Labels.Ints[labelAt(k, n, c)]
		})
	default:
		return slices.EqualFunc(data.Double(), cells, func(got float64, c int) bool {
			return sameBits(got, k.Labels.Floats[labelAt(k, n, c)])
		})
	}
}

// sameStrings compares dictionary codes through the page's dictionary (in a damaged file, codes may be out of range),
// and plain values directly.
func sameStrings(p parquet.Page, k domain.KeyColumn, cells []int) bool {
	labels, data := k.Labels.Strings, p.Data()
	if d := p.Dictionary(); d != nil {
		return slices.EqualFunc(data.Int32(), cells, func(code int32, c int) bool {
			return code >= 0 && int(code) < d.Len() && string(d.Index(code).ByteArray()) == labels[labelAt(k, len(labels), c)]
		})
	}
	bytes, offsets := data.ByteArray()
	if len(offsets) != len(cells)+1 {
		return false
	}
	for i, c := range cells {
		if string(bytes[offsets[i]:offsets[i+1]]) != labels[labelAt(k, len(labels), c)] {
			return false
		}
	}
	return true
}
