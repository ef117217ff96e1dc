package source_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/endian"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
)

// oneColumn returns a record batch of one column, x.
func oneColumn(a arrow.Array) arrow.Record {
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: a.DataType(), Nullable: true}}, nil)
	return array.NewRecord(schema, []arrow.Array{a}, int64(a.Len()))
}

func texts(values ...string) arrow.Array {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	b.AppendValues(values, nil)
	return b.NewArray()
}

func ints(values ...int64) arrow.Array {
	b := array.NewInt64Builder(memory.DefaultAllocator)
	b.AppendValues(values, nil)
	return b.NewArray()
}

// codedTexts returns an array of codes into a dictionary.
func codedTexts(dictionary arrow.Array, codes ...int8) arrow.Array {
	b := array.NewInt8Builder(memory.DefaultAllocator)
	b.AppendValues(codes, nil)
	return array.NewDictionaryArray(coded(arrow.PrimitiveTypes.Int8, dictionary.DataType()), b.NewArray(), dictionary)
}

// ofX returns rows with one column, x.
func ofX(values ...any) (rows [][]any) {
	for _, v := range values {
		rows = append(rows, []any{v})
	}
	return rows
}

// unmarked converts a stream to the form of writers before Arrow 0.15: without the mark before a message's length.
func unmarked(t testing.TB, stream []byte) (out []byte) {
	t.Helper()
	mark := []byte{255, 255, 255, 255}
	for at := 0; at < len(stream); {
		if !bytes.HasPrefix(stream[at:], mark) {
			t.Fatal("no mark")
		}
		next := len(stream)
		if i := bytes.Index(stream[at+8:], mark); i >= 0 {
			next = at + 8 + i
		}
		out = append(out, stream[at+4:next]...)
		at = next
	}
	return out
}

// A stream is read with the mark before the length of each message, and without it. A stream that is cut, has no schema
// or two, or continues after its end is refused.
func TestArrowStreams(t *testing.T) {
	stream := ipcStream(t, []arrow.Record{oneColumn(ints(1, 2)), oneColumn(ints()), oneColumn(ints(3))})
	same(t, ofX(int64(1), int64(2), int64(3)), read(t, open(t, textfile.CSV{}, write(t, "a.arrow", stream)), "x"))
	same(t, ofX(int64(1), int64(2), int64(3)), read(t, open(t, textfile.CSV{}, write(t, "a.arrow", unmarked(t, stream))),
		"x"))
	for name, c := range map[string]lieOf{
		"without its end": {stream[:len(stream)-8], fault.CodeTruncated},
		"with more":       {append(bytes.Clone(stream), stream...), fault.CodeDamaged},
		"two schemas":     {append(bytes.Clone(stream[:len(stream)-8]), stream...), fault.CodeDamaged},
		"cut":             {stream[:len(stream)/2], fault.CodeTruncated},
		"only an end":     {stream[len(stream)-8:], fault.CodeDamaged},
	} {
		c.check(t, name)
	}
}

// lieOf is an Arrow file that must be refused, and the code of the error.
type lieOf struct {
	content []byte
	code    string
}

func (l lieOf) check(t *testing.T, name string) {
	t.Helper()
	path := write(t, "a.arrow", l.content)
	before := allocated()
	_, err := attemptColumns(path, "x")
	var e *fault.Error
	if !errors.As(err, &e) || e.Code != l.code {
		t.Errorf("%s: got %v, want %s", name, err, l.code)
		return
	}
	if used := allocated() - before; used > 24<<20 {
		t.Errorf("%s: %d MiB were allocated", name, used>>20)
	}
	verdict(t, name, err)
}

// Files with a wrong ending or with false statements in their metadata are refused.
func TestHostileArrow(t *testing.T) {
	file := ipcFile(t, []arrow.Record{oneColumn(texts("canary", "b"))})
	zstd := ipcFile(t, []arrow.Record{oneColumn(ints(slices.Repeat([]int64{5}, 99)...))}, ipc.WithZstd())
	big := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Int64}},
		nil).WithEndianness(endian.BigEndian)
	deep := arrow.PrimitiveTypes.Int64
	for range 60 {
		deep = arrow.ListOf(deep)
	}
	for name, c := range map[string]lieOf{
		"Feather 1":         {append([]byte("FEA1"), make([]byte, 99)...), fault.CodeUnsupported},
		"Parquet":           {append([]byte("PAR1"), make([]byte, 99)...), fault.CodeDamaged},
		"text":              {[]byte("canary,b\n1,2\n"), fault.CodeDamaged},
		"nothing":           {nil, fault.CodeTruncated},
		"the magic alone":   {[]byte("ARROW1\x00\x00"), fault.CodeTruncated},
		"twice the magic":   {[]byte("ARROW1\x00\x00\x00\x00\x00\x00ARROW1"), fault.CodeDamaged},
		"a footer of 2 GiB": {[]byte("ARROW1\x00\x00\xff\xff\xff\x7fARROW1"), fault.CodeDamaged},
		"big-endian": {ipcStream(t, []arrow.Record{array.NewRecord(big, []arrow.Array{ints(1)}, 1)}),
			fault.CodeUnsupported},
		"types in types": {ipcFile(t, []arrow.Record{oneColumn(array.MakeArrayOfNull(memory.DefaultAllocator, deep,
			1))}), fault.CodeDamaged},
		"a buffer of 2^60 bytes":  {swapped(t, zstd, i64s(99*8), i64s(1<<60)), fault.CodeDamaged},
		"a buffer of 2^40 bytes":  {swapped(t, zstd, i64s(99*8), i64s(1<<40)), fault.CodeDamaged},
		"a buffer of 2^35 bytes":  {swapped(t, zstd, i64s(99*8), i64s(1<<35)), fault.CodeDamaged},
		"a buffer that is less":   {swapped(t, zstd, i64s(99*8), i64s(98*8)), fault.CodeDamaged},
		"a buffer that is more":   {swapped(t, zstd, i64s(99*8), i64s(100*8)), fault.CodeDamaged},
		"2^60 rows":               {swapped(t, zstd, i64s(99), i64s(1<<60)), fault.CodeTooLarge},
		"2^31 rows":               {swapped(t, zstd, i64s(99), i64s(1<<31)), fault.CodeDamaged},
		"offsets that fall":       {swapped(t, file, i32s(0, 6, 7), i32s(0, 6, 5)), fault.CodeDamaged},
		"offsets behind the data": {swapped(t, file, i32s(0, 6, 7), i32s(0, 6, 99)), fault.CodeDamaged},
		"negative offsets":        {swapped(t, file, i32s(0, 6, 7), i32s(-1, 6, 7)), fault.CodeDamaged},
		"an offset of 2 GiB":      {swapped(t, file, i32s(0, 6, 7), i32s(0, 6, math.MaxInt32)), fault.CodeDamaged},
	} {
		c.check(t, name)
	}
}

// swapped replaces bytes everywhere in content. They must occur.
func swapped(t testing.TB, content, from, to []byte) []byte {
	t.Helper()
	if !bytes.Contains(content, from) {
		t.Fatalf("%v is not in the file", from)
	}
	return bytes.ReplaceAll(content, from, to)
}

func i64s(v int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(v)) }

func i32s(values ...int32) (b []byte) {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return b
}

// An array may start after the first value of its buffers.
func TestArrowOffsets(t *testing.T) {
	file := swapped(t, ipcFile(t, []arrow.Record{oneColumn(texts("abcdef", "g"))}), i32s(0, 6, 7), i32s(2, 6, 7))
	same(t, ofX("cdef", "g"), read(t, open(t, textfile.CSV{}, write(t, "a.arrow", file)), "x"))
	b := array.NewListBuilder(memory.DefaultAllocator, arrow.PrimitiveTypes.Int64)
	for _, n := range []int{6, 1} {
		b.Append(true)
		for i := range n {
			b.ValueBuilder().(*array.Int64Builder).Append(int64(i))
		}
	}
	file = swapped(t, ipcFile(t, []arrow.Record{oneColumn(b.NewArray())}), i32s(0, 6, 7), i32s(4, 6, 7))
	same(t, ofX(tabletest.List(4, 5), tabletest.List(0)), read(t, open(t, textfile.CSV{}, write(t, "a.arrow", file)), "x"))
}

// All splits of a file share one dictionary. The dictionary of a stream may grow and change.
func TestArrowDictionaries(t *testing.T) {
	first, grown := texts("a", "b"), texts("a", "b", "c")
	nulls := array.NewStringBuilder(memory.DefaultAllocator)
	nulls.AppendNull()
	nulls.Append("z")
	records := []arrow.Record{oneColumn(codedTexts(first, 1, 0)), oneColumn(codedTexts(first, 1)),
		oneColumn(codedTexts(grown, 2, 0))}
	changed := append(slices.Clone(records), oneColumn(codedTexts(nulls.NewArray(), 0, 1, 0)))
	want := ofX("b", "a", "b", "c", "a")
	for name, c := range map[string]struct {
		content []byte
		want    [][]any
		ids     int
	}{
		"a file":             {ipcFile(t, records[:2]), want[:3], 1},
		"a file that grows":  {fileOf(t, ipcStream(t, records, ipc.WithDictionaryDeltas(true))), want, 1},
		"a stream":           {ipcStream(t, records[:2]), want[:3], 1},
		"one that grows":     {ipcStream(t, records, ipc.WithDictionaryDeltas(true)), want, 2},
		"one that changes":   {ipcStream(t, changed), append(slices.Clone(want), ofX(nil, "z", nil)...), 3},
		"a dictionary alone": {ipcStream(t, []arrow.Record{oneColumn(codedTexts(first))}), nil, 0},
	} {
		d := open(t, textfile.CSV{}, write(t, "a.arrow", c.content))
		same(t, c.want, read(t, d, "x"))
		ids := map[uint64]bool{}
		batches(t, d, []string{"x"}, func(b batch) { ids[b.Columns[0].Dict] = true })
		if strings.HasPrefix(name, "a file") {
			batches(t, d, []string{"x"}, func(b batch) { ids[b.Columns[0].Dict] = true })
		}
		if len(ids) != c.ids {
			t.Errorf("%s: %d dictionaries, want %d", name, len(ids), c.ids)
		}
	}
	lieOf{fileOf(t, ipcStream(t, changed)), fault.CodeDamaged}.check(t, "a file that changes its dictionary")
	stream := ipcStream(t, records[:1])
	lieOf{swapped(t, stream, []byte{1, 0, 0, 0, 0, 0, 0, 0, 255}, []byte{9, 0, 0, 0, 0, 0, 0, 0, 255}),
		fault.CodeDamaged}.check(t, "a code that means nothing")
	long := oneColumn(codedTexts(array.NewSlice(rebuilt(texts("-", "a", "b"), arrow.BinaryTypes.LargeString), 1, 3), 1, 0,
		1))
	same(t, ofX("b", "a", "b"), read(t, open(t, textfile.CSV{}, write(t, "a.arrow", ipcFile(t, cut(long, 2)))), "x"))
}

// message is the place of a message in a stream.
type message struct{ at, meta, body int }

// messages returns the messages of a stream and the kinds of their headers.
func messages(b []byte) (out []message, kinds []byte) {
	number := func(at int) int { return int(binary.LittleEndian.Uint32(b[at:])) }
	for at := 0; number(at+4) > 0; {
		root := at + 8 + number(at+8)
		vtable := root - int(int32(number(root)))
		field := func(slot int) int {
			if 4+2*slot >= int(b[vtable]) {
				return root
			}
			return root + int(b[vtable+4+2*slot])
		}
		m := message{at, 8 + number(at+4), 0}
		if field(3) > root {
			m.body = number(field(3))
		}
		out, kinds = append(out, m), append(kinds, b[field(1)])
		at += m.meta + m.body
	}
	return out, kinds
}

// fileOf makes an Arrow file of a stream. It builds the footer itself, since the library's file writer has no delta
// dictionaries.
func fileOf(t testing.TB, stream []byte) []byte {
	t.Helper()
	magic := []byte("ARROW1\x00\x00")
	all, kinds := messages(stream)
	blocks := map[byte][]byte{}
	for i, m := range all {
		b := append(i64s(int64(m.at+len(magic))), i64s(int64(m.meta))...)
		blocks[kinds[i]] = append(blocks[kinds[i]], append(b, i64s(int64(m.body))...)...)
	}
	dictionaries, records := blocks[2], blocks[3]
	schema := stream[8:all[0].meta]
	root := int(binary.LittleEndian.Uint32(schema))
	header := root + int(schema[root-int(int32(binary.LittleEndian.Uint32(schema[root:])))+8])
	header += int(binary.LittleEndian.Uint32(schema[header:]))
	behind := 36 + 4 + len(dictionaries) + 4 + len(records)
	footer := []byte{16, 0, 0, 0, 12, 0, 20, 0, 4, 0, 8, 0, 12, 0, 16, 0, 12, 0, 0, 0, 4, 0, 0, 0}
	footer = append(footer, i32s(int32(behind+header-24), 36-28, int32(40+len(dictionaries)-32),
		int32(len(dictionaries)/24))...)
	footer = append(append(append(footer, dictionaries...), i32s(int32(len(records)/24))...), records...)
	footer = append(footer, schema...)
	out := append(append(bytes.Clone(magic), stream...), footer...)
	return append(append(out, i32s(int32(len(footer)))...), magic[:6]...)
}

// A column's digest depends on its own bytes and not on another column's.
func TestArrowDigests(t *testing.T) {
	sum := func(content []byte, column string) string {
		d := open(t, textfile.CSV{}, write(t, "a.arrow", content))
		b, err := d.Digest(context.Background(), 0, []string{column})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	records := sample(50)
	for _, writer := range []func(testing.TB, []arrow.Record, ...ipc.Option) []byte{ipcFile, ipcStream} {
		before := writer(t, []arrow.Record{arrowRecord(records)})
		other := slices.Clone(records)
		other[7].unit++
		after := writer(t, []arrow.Record{arrowRecord(other)})
		if sum(before, "unit") == sum(after, "unit") || sum(before, "day") != sum(after, "day") ||
			sum(before, "day") == sum(before, "at") {
			t.Error("the digest does not follow the column's bytes")
		}
	}
}

// Record batches of any length are read in pieces, and small ones are joined to splits.
func TestArrowSplits(t *testing.T) {
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	for i := range 1_000_000 {
		b.Append(float64(i))
	}
	long := oneColumn(b.NewArray())
	path := write(t, "a.arrow", ipcFile(t, []arrow.Record{long}))
	before := allocated()
	d, rows := open(t, textfile.CSV{}, path), 0
	batches(t, d, []string{"x"}, func(b batch) {
		if b.Columns[0].Values.Floats[0] != float64(rows) {
			t.Fatalf("row %d is %g", rows, b.Columns[0].Values.Floats[0])
		}
		rows += b.Rows
	})
	if used := allocated() - before; rows != 1_000_000 || used > 3<<20 {
		t.Errorf("%d rows, %d KiB allocated", rows, used>>10)
	}
	for n, want := range map[int64]int{1_000: 2, 100_000: 2, 1_000_000: 1} {
		if d := open(t, textfile.CSV{}, write(t, "a.arrow", ipcFile(t, cut(long, n)))); d.Splits() != want {
			t.Errorf("%d splits of batches of %d rows, want %d", d.Splits(), n, want)
		}
	}
	d = open(t, textfile.CSV{}, write(t, "a.arrow", ipcFile(t, append(cut(long, 100_000), long, long, long))))
	rows = 0
	if batches(t, d, []string{"x"}, func(b batch) { rows += b.Rows }); d.Splits() != 4 || rows != 4_000_000 {
		t.Errorf("%d splits, %d rows", d.Splits(), rows)
	}
}

// The column of a public table may be in an Arrow file.
func TestReadStringsOfArrow(t *testing.T) {
	for name, r := range map[string]arrow.Record{
		"text": oneColumn(texts("b", "a", "b")), "coded": oneColumn(codedTexts(texts("a", "b"), 1, 0, 1)),
		"view": oneColumn(rebuilt(texts("b", "a", "b"), arrow.BinaryTypes.StringView)),
	} {
		got, err := source.ReadStrings(context.Background(), write(t, "a.feather", ipcFile(t, []arrow.Record{r})), "x")
		if err != nil || !slices.Equal(got, []string{"b", "a", "b"}) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	list := oneColumn(array.MakeArrayOfNull(memory.DefaultAllocator, arrow.ListOf(arrow.PrimitiveTypes.Int64), 1))
	_, err := source.ReadStrings(context.Background(), write(t, "a.arrow", ipcFile(t, []arrow.Record{list})), "x")
	if code := verdict(t, "lists", err); code != fault.CodeType {
		t.Errorf("lists: %v", err)
	}
}

func twoNulls(t arrow.DataType) arrow.Array {
	b := array.NewBuilder(memory.DefaultAllocator, t)
	b.AppendNulls(2)
	return b.NewArray()
}

// Unknown types appear in the schema, and columns of known types can still be read.
func TestOddArrowTypes(t *testing.T) {
	odd := map[string]arrow.DataType{
		"struct": arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int8,
			Nullable: true}), "map": arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64),
		"union": arrow.DenseUnionOf([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int8, Nullable: true}},
			[]int8{0}), "time": arrow.FixedWidthTypes.Time32s,
		"duration": arrow.FixedWidthTypes.Duration_s, "interval": arrow.FixedWidthTypes.MonthInterval, "list view": arrow.ListViewOf(arrow.PrimitiveTypes.Int64),
		"list": arrow.ListOf(arrow.BinaryTypes.String)}
	for name, typ := range odd {
		for _, version := range []func(testing.TB, []arrow.Record, ...ipc.Option) []byte{ipcFile, ipcStream} {
			schema := arrow.NewSchema([]arrow.Field{{Name: "odd", Type: typ, Nullable: true},
				{Name: "x", Type: arrow.PrimitiveTypes.Int64}}, nil)
			r := array.NewRecord(schema, []arrow.Array{twoNulls(typ), ints(5, 6)}, 2)
			if typ.ID() == arrow.DURATION {
				ends := array.NewInt32Builder(memory.DefaultAllocator)
				ends.Append(2)
				runs := array.NewRunEndEncodedArray(ends.NewArray(), ints(7), 2, 0)
				more := arrow.NewSchema(append([]arrow.Field{{Name: "runs", Type: runs.DataType()}}, schema.Fields()...), nil)
				r = array.NewRecord(more, append([]arrow.Array{runs}, r.Columns()...), 2)
			}
			d := open(t, textfile.CSV{}, write(t, "a.arrow", version(t, []arrow.Record{r})))
			if f, _ := d.Schema().Lookup("odd"); f.Type != (table.Type{Name: name}) {
				t.Errorf("%s: type %v", name, f.Type)
			}
			refused(t, d, "odd", fault.CodeType)
			same(t, ofX(int64(5), int64(6)), read(t, d, "x"))
		}
	}
}

// For any number at any place of a small file, reading ends in rows or in one of our errors, with little memory.
func TestArrowNumbers(t *testing.T) {
	owntest.Slow(t)
	numbers := [][]byte{{0, 0, 0, 0}, {255, 255, 255, 255}, {255, 255, 255, 127}, {0, 0, 0, 128}, {1, 0, 0, 0},
		{64, 0, 0, 0}}
	if os.Getenv("DPRELEASE_LONG") == "" {
		numbers = numbers[1:3]
	}
	coded := replaced(arrowRecord(sample(5)), "cat", codedTexts(texts("canary", "b"), 0, 1, 1, 0, 1))
	views := replaced(coded, "note", rebuilt(columnOf(coded, "note"), arrow.BinaryTypes.StringView))
	for name, content := range map[string][]byte{
		"a.arrow": ipcFile(t, []arrow.Record{coded}), "b.arrow": ipcStream(t, []arrow.Record{views}, ipc.WithLZ4()),
	} {
		seen := map[string]int{}
		for at := 0; at+4 <= len(content); at += 4 {
			for _, n := range numbers {
				bad := bytes.Clone(content)
				copy(bad[at:], n)
				before := allocated()
				_, err := attempt(write(t, name, bad))
				if used := allocated() - before; used > 24<<20 {
					t.Errorf("%s, %v at %d: %d MiB were allocated", name, n, at, used>>20)
				}
				seen[verdict(t, name, err)]++
			}
		}
		t.Logf("%s: %d bytes, %v", name, len(content), seen)
	}
}
