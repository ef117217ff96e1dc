package source_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source"
)

// counting is a file of 1000 rows in pages of 98, in one row group: id counts, and list holds id once.
func counting(t testing.TB, options ...parquet.WriterOption) []byte {
	t.Helper()
	type row struct {
		ID   int64     `parquet:"id,plain"`
		List []float64 `parquet:"list,list"`
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, append(options, parquet.PageBufferSize(800), parquet.DataPageStatistics(false), parquet.Compression(&parquet.Uncompressed))...)
	for i := range 1000 {
		if _, err := w.Write([]row{{int64(i), []float64{float64(i)}}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// indexes are the parts of a page index.
type indexes struct {
	column format.ColumnIndex
	offset format.OffsetIndex
	// bytes that stand for them, and where they are said to be; by default what they should be
	raw    [2][]byte
	change func(*format.ColumnChunk)
}

// reindexed changes the page index of the first column.
func reindexed(t testing.TB, content []byte, change func(*indexes)) []byte {
	t.Helper()
	var x indexes
	var at int
	part := func(offset int64, size int32, v any) {
		if err := thrift.Unmarshal(&thrift.CompactProtocol{}, content[offset:offset+int64(size)], v); err != nil {
			t.Fatal(err)
		}
	}
	refooted(t, content, func(m *format.FileMetaData) {
		c := m.RowGroups[0].Columns[0]
		part(c.ColumnIndexOffset, c.ColumnIndexLength, &x.column)
		part(c.OffsetIndexOffset, c.OffsetIndexLength, &x.offset)
		at = len(content) - 8 - int(binary.LittleEndian.Uint32(content[len(content)-8:]))
	})
	change(&x)
	if x.raw[0] == nil {
		x.raw[0] = encoded(t, &x.column)
	}
	if x.raw[1] == nil {
		x.raw[1] = encoded(t, &x.offset)
	}
	longer := slices.Concat(content[:at], x.raw[0], x.raw[1], content[at:])
	return refooted(t, longer, func(m *format.FileMetaData) {
		c := &m.RowGroups[0].Columns[0]
		c.ColumnIndexOffset, c.ColumnIndexLength = int64(at), int32(len(x.raw[0]))
		c.OffsetIndexOffset, c.OffsetIndexLength = int64(at+len(x.raw[0])), int32(len(x.raw[1]))
		if x.change != nil {
			x.change(c)
		}
	})
}

// bounded gives a page of integers other ends.
func bounded(page int, least, most int64) func(*indexes) {
	return func(x *indexes) { x.column.MinValues[page], x.column.MaxValues[page] = int64s(least), int64s(most) }
}

// first gives a page another first row.
func first(page int, row int64) func(*indexes) {
	return func(x *indexes) { x.offset.PageLocations[page].FirstRowIndex = row }
}

// A page index that cannot be, or contradicts the pages, is an error; what it says of skipped pages is believed.
func TestPageIndexesThatLie(t *testing.T) {
	content := counting(t)
	deep := append(bytes.Repeat([]byte{0x1c}, 1000), make([]byte, 1000)...)
	huge := append([]byte{0x19, 0xf1}, 0xff, 0xff, 0xff, 0xff, 0x07) // 2^31 null pages
	for name, c := range map[string]struct {
		change func(*indexes)
		rows   int // with ids from 250 to 260; -1: an error
	}{
		"sound":                        {func(*indexes) {}, 98},
		"looser":                       {bounded(7, 255, 799), 196},
		"of numbers of another length": {func(x *indexes) { x.column.MinValues[5] = []byte{1} }, 196},
		"least above greatest":         {bounded(5, 9, 3), 196},
		"rows are ruled out":           {bounded(2, 0, 9), 0},
		"rows are null":                {func(x *indexes) { x.column.NullPages[2] = true }, 0},
		"values beyond it":             {bounded(2, 200, 290), -1},
		"null pages too few":           {func(x *indexes) { x.column.NullPages = x.column.NullPages[1:] }, -1},
		"ends too few":                 {func(x *indexes) { x.column.MinValues = x.column.MinValues[1:] }, -1},
		"pages too few": {func(x *indexes) {
			x.column.NullPages, x.column.MinValues, x.column.MaxValues = x.column.NullPages[1:], x.column.MinValues[1:], x.column.MaxValues[1:]
			x.offset.PageLocations = x.offset.PageLocations[:9]
		}, -1},
		"places too few": {func(x *indexes) { x.offset.PageLocations = x.offset.PageLocations[:9] }, -1},
		"places too many": {func(x *indexes) {
			x.offset.PageLocations = append(x.offset.PageLocations, format.PageLocation{FirstRowIndex: 1000})
		}, -1},
		"another first row":    {first(9, 901), -1},
		"a first row skipped":  {first(1, 99), -1},
		"not from row 0":       {first(0, 1), -1},
		"backwards":            {first(5, 3), -1},
		"negative":             {first(1, -1), -1},
		"beyond the row group": {first(9, 1<<40), -1},
		"no place in the file": {func(x *indexes) { x.change = func(c *format.ColumnChunk) { c.ColumnIndexOffset = 1 << 40 } }, -1},
		"in the footer":        {func(x *indexes) { x.change = func(c *format.ColumnChunk) { c.OffsetIndexLength = 1 << 10 } }, -1},
		"a negative place":     {func(x *indexes) { x.change = func(c *format.ColumnChunk) { c.OffsetIndexOffset = -9 } }, -1},
		"a negative length":    {func(x *indexes) { x.change = func(c *format.ColumnChunk) { c.ColumnIndexLength = -9 } }, -1},
		"bytes too many":       {func(x *indexes) { x.raw[0] = append(encoded(t, &x.column), 0) }, -1},
		"no index":             {func(x *indexes) { x.raw[1] = []byte("no index") }, -1},
		"deep":                 {func(x *indexes) { x.raw[0] = deep }, -1},
		"lists of any length":  {func(x *indexes) { x.raw[0] = huge }, -1},
		"too long to be used": {func(x *indexes) {
			x.raw[0] = append(encoded(t, &x.column), make([]byte, 1<<20)...)
			x.raw[1] = append(encoded(t, &x.offset), make([]byte, 1<<20)...)
		}, 1000},
	} {
		selectsIndexed(t, name, unstated(t, reindexed(t, content, c.change)), c.rows)
	}
}

// selectsIndexed looks for ids from 250 to 260 and expects to read so many rows; -1: an error.
func selectsIndexed(t *testing.T, name string, content []byte, want int) {
	t.Helper()
	d := open(t, source.CSV{}, write(t, "a.parquet", content))
	before := allocated()
	rows, out, err := selected(d, []string{"list", "id"}, fromTo("id", 250, 260))
	if used := allocated() - before; used > 16<<20 {
		t.Errorf("%s: %d MiB were allocated", name, used>>20)
	}
	var e *source.Error
	switch {
	case want < 0 && (!errors.As(err, &e) || e.File != "a.parquet" || e.RowGroup != 0 || e.Column != "id" || e.Code != source.CodeDamaged):
		t.Errorf("%s: %d rows, %v", name, len(rows), err)
	case want >= 0 && (err != nil || len(rows) != want || int(out.pages) != 1000-want):
		t.Errorf("%s: %d rows, %+v left out, %v", name, len(rows), out, err)
	}
	if rows, err := readAll(d, "id"); err != nil || len(rows) != 1000 {
		t.Errorf("%s: without a condition: %d rows, %v", name, len(rows), err)
	}
}

// Indexes of as many pages as fit take memory within a bound.
func TestIndexesOfVeryManyPages(t *testing.T) {
	const pages = 1<<18 - 16 // of four bytes each
	greatest := slices.Repeat([][]byte{{'x'}}, pages)
	part := encoded(t, &format.ColumnIndex{NullPages: make([]bool, pages), MinValues: make([][]byte, pages), MaxValues: greatest})
	if len(part) > 1<<20 || len(part) < 1<<20-128 {
		t.Fatalf("%d bytes", len(part))
	}
	file := onePage(1, dataV1(1, format.Plain, byteArrays("mango"))).of(text8("x", false)).with(stated(format.Statistics{})).file(t)
	at := len(file) - 8 - int(binary.LittleEndian.Uint32(file[len(file)-8:]))
	file = refooted(t, slices.Concat(file[:at], part, file[at:]), func(m *format.FileMetaData) {
		c := &m.RowGroups[0].Columns[0]
		c.ColumnIndexOffset, c.ColumnIndexLength = int64(at), int32(len(part))
	})
	d := open(t, source.CSV{}, write(t, "a.parquet", file))
	before := allocated()
	_, _, err := selected(d, []string{"x"}, word("x", "xylophone"))
	if used := allocated() - before; used > 64<<20 {
		t.Errorf("%d MiB were allocated for an index of %d bytes", used>>20, len(part))
	}
	var e *source.Error
	if !errors.As(err, &e) || e.Code != source.CodeDamaged {
		t.Errorf("%v", err)
	}
}

// unstated is a file without statistics in the footer.
func unstated(t testing.TB, content []byte) []byte {
	return refooted(t, content, func(m *format.FileMetaData) {
		for _, g := range m.RowGroups {
			for i := range g.Columns {
				g.Columns[i].MetaData.Statistics = format.Statistics{}
			}
		}
	})
}
