package source_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"
	"github.com/ulikunitz/xz"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/textfile"
)

// textWriters returns writers of a column x of texts in all encodings and compressions.
func textWriters(t testing.TB) map[string]func(rows []string) []byte {
	t.Helper()
	out := map[string]func([]string) []byte{}
	encodings := []encoding.Encoding{
		&parquet.Plain, &parquet.RLEDictionary, &parquet.DeltaLengthByteArray, &parquet.DeltaByteArray,
	}
	codecs := []compress.Codec{
		&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Brotli, &parquet.Zstd, &parquet.Lz4Raw,
	}
	for i, e := range encodings {
		for j, codec := range codecs {
			if !long() && j != i && j != i+2 {
				continue
			}
			out[fmt.Sprintf("%s %s.parquet", e, codec)] = func(rows []string) []byte {
				schema := parquet.NewSchema("x", parquet.Group{"x": parquet.Encoded(parquet.String(), e)})
				var b bytes.Buffer
				w := parquet.NewGenericWriter[any](&b, schema, parquet.Compression(codec),
					parquet.DataPageVersion(1+(i+j)%2), parquet.DataPageStatistics(i%2 == 0))
				for _, s := range rows {
					row := parquet.Row{parquet.ByteArrayValue([]byte(s)).Level(0, 0, 0)}
					if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
						t.Fatal(err)
					}
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				return b.Bytes()
			}
		}
	}
	kinds := map[string]arrow.DataType{
		"string": arrow.BinaryTypes.String, "large": arrow.BinaryTypes.LargeString, "coded": nil,
	}
	for name, options := range map[string][]ipc.Option{"plain": nil, "lz4": {ipc.WithLZ4()}, "zstd": {ipc.WithZstd()}} {
		for kind, typ := range kinds {
			record := func(rows []string) []arrow.Record {
				if kind != "coded" {
					return []arrow.Record{oneColumn(rebuilt(texts(rows...), typ))}
				}
				codes := make([]int8, len(rows))
				for i := range rows {
					codes[i] = int8(len(rows) - 1 - i)
				}
				backwards := slices.Clone(rows)
				slices.Reverse(backwards)
				return []arrow.Record{oneColumn(codedTexts(texts(backwards...), codes...))}
			}
			out[kind+" "+name+".arrow"] = func(rows []string) []byte { return ipcFile(t, record(rows), options...) }
			out[kind+" "+name+" stream.arrow"] = func(rows []string) []byte {
				return ipcStream(t, record(rows), options...)
			}
		}
	}
	return out
}

// A file with one more row, whose text is arbitrarily long, has that row and the rows of the file without it.
func TestLongTextsTouchNoOtherRow(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	size := 17 << 20 // more than a batch of texts
	if long() {
		size = 64 << 20
	}
	text := strings.Repeat("0123456789abcdef", size/16)
	table := []string{"a", "b", text[:1<<20], "c"}
	for name, writer := range textWriters(t) {
		t.Run(name, func(t *testing.T) {
			for _, rows := range [][]string{table, slices.Insert(slices.Clone(table), 2, text)} {
				at := 0
				d := open(t, textfile.CSV{}, write(t, "a"+name[strings.LastIndex(name, "."):], writer(rows)))
				batches(t, d, []string{"x"}, func(b batch) {
					c := &b.Columns[0]
					for i := range b.Rows {
						entry := i
						if c.Codes != nil {
							entry = int(c.Codes[i])
						}
						null := c.Valid != nil && !c.Valid[i]
						if null || at == len(rows) || string(c.Values.Bytes(entry)) != rows[at] {
							t.Fatalf("row %d of %d differs", at, len(rows))
						}
						at++
					}
				})
				if at != len(rows) {
					t.Errorf("%d rows, want %d", at, len(rows))
				}
			}
		})
	}
}

// A record of very many fields takes little more memory than its text: only the fields of requested columns are kept.
func TestRowsOfManyFields(t *testing.T) {
	owntest.Slow(t)
	const fields = 1 << 20
	for name, c := range map[string]struct{ head, row, field, end string }{
		"a.csv":      {"n,x\n", "1,b", ",", "\n"},
		"quoted.csv": {"n,x\n", "1,\"b\"", ",\"\"", "\n"},
		"a.jsonl":    {"", `{"n":1,"x":"b"`, `,"c":1`, "}\n"},
	} {
		row := c.row + strings.Repeat(c.field, fields) + c.end
		d := openWith(t, source.Options{Files: []string{write(t, name, []byte(c.head+row+row))},
			CSV:   textfile.CSV{Header: true, Types: map[string]string{"n": "int"}},
			JSONL: textfile.JSONL{Columns: map[string]string{"n": "int", "x": "text"}}})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		rows := read(t, d, "n", "x")
		runtime.ReadMemStats(&after)
		if want := [][]any{{int64(1), "b"}, {int64(1), "b"}}; !reflect.DeepEqual(rows, want) {
			t.Errorf("%s: %v", name, rows)
		}
		// The offsets of all fields would take 12 bytes each, and 48 for a member, not counting growth.
		if n := (after.TotalAlloc - before.TotalAlloc) / fields; n > uint64(16*len(c.field)+16) {
			t.Errorf("%s: %d bytes a field", name, n)
		}
	}
}

// single compresses bytes to a frame in a single segment, whose window is its length.
func single(t testing.TB, b []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil, zstd.WithSingleSegment(true), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll(b, nil)
}

// If a frame is one segment, one more row makes its window longer. It is read with 128 MiB as with less.
func TestWindowsOfAnyLength(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	line := strings.Repeat("1", 1<<20-1) + "\n"
	for _, n := range []int{127, 128, 129} {
		var file []byte
		file = append(file, single(t, []byte("x\n5\n"))...)
		file = append(file, "\x53\x2a\x4d\x18\x03\x00\x00\x00abc"...) // a skippable frame
		file = append(file, single(t, []byte(strings.Repeat(line, n)+"7\n"))...)
		file = append(file, zstandard(t, []byte("8\n"))...)
		rows := 0
		d := open(t, textfile.CSV{Header: true}, write(t, "a.csv.zst", file))
		batches(t, d, []string{"x"}, func(b batch) { rows += b.Rows })
		if rows != n+3 {
			t.Errorf("%d MiB: %d rows", n, rows)
		}
	}
}

// repeatedFrame returns a frame in a single segment with blocks blocks of 128 KiB, each of the byte b, between two
// texts.
func repeatedFrame(before string, blocks int, b byte, after string) []byte {
	out := []byte("\x28\xb5\x2f\xfd\xe0") // eight bytes of length
	out = binary.LittleEndian.AppendUint64(out, uint64(len(before)+blocks<<17+len(after)))
	block := func(kind, size, last int) []byte {
		head := uint32(size)<<3 | uint32(kind)<<1 | uint32(last)
		return []byte{byte(head), byte(head >> 8), byte(head >> 16)}
	}
	out = append(append(out, block(0, len(before), 0)...), before...)
	for range blocks {
		out = append(append(out, block(1, 1<<17, 0)...), b)
	}
	return append(append(out, block(0, len(after), 1)...), after...)
}

// A frame in a single segment of more than 2 GiB is read with a window of 2 GiB.
func TestLongSingleSegments(t *testing.T) {
	blocks := 16
	if long() {
		blocks = 1<<14 + 1<<10
	}
	file := repeatedFrame("x\n5\n", blocks, '\n', "6\n")
	same(t, ofX("5", "6"), read(t, open(t, textfile.CSV{Header: true}, write(t, "a.csv.zst", file)), "x"))
}

// The dictionary of an xz file may be as long as the format allows: 4 GiB.
func TestDictionariesOfXZ(t *testing.T) {
	var out bytes.Buffer
	w, err := xz.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, "x\n5\n6\n"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	codes := []byte{24, 31} // 16 and 192 MiB
	if long() {
		codes = append(codes, 40) // 4 GiB
	}
	for _, code := range codes {
		file := bytes.Clone(out.Bytes())
		header := file[12:][:4*(int(file[12])+1)]
		at := 2 + bytes.Index(header, []byte{0x21, 1})
		header[at] = code
		binary.LittleEndian.PutUint32(header[len(header)-4:], crc32.ChecksumIEEE(header[:len(header)-4]))
		same(t, ofX("5", "6"), read(t, open(t, textfile.CSV{Header: true}, write(t, "a.csv.xz", file)), "x"))
	}
}

// A buffer of an Arrow file is read with any window, since one more row can make the window longer.
func TestWindowsOfArrow(t *testing.T) {
	for _, n := range []int{30 << 17, 34 << 17} { // 30 and 34 MiB
		values := make([]int64, n)
		for i := range values {
			values[i] = int64(i % 100)
		}
		stream := ipcStream(t, []arrow.Record{oneColumn(ints(values...))})
		all, kinds := messages(stream)
		record := all[slices.Index(kinds, 3)]
		meta, body := bytes.Clone(stream[record.at:record.at+record.meta]), stream[record.at+record.meta:][:8*n]
		packed := append(i64s(int64(len(body))), single(t, body)...)
		length := len(packed)
		packed = append(packed, make([]byte, (8-length%8)%8)...)
		meta = swapped(t, meta, i64s(int64(8*n)), i64s(int64(length)))
		file := append(bytes.Clone(stream[:record.at]), compressedMeta(t, meta, len(packed))...)
		file = append(append(file, packed...), stream[record.at+record.meta+record.body:]...)
		if got := tally(t, write(t, "a.arrow", file)); got.rows != n || got.nulls != 0 || got.sum != sumOf(values) {
			t.Errorf("%d: got %+v", n, got)
		}
	}
}

func sumOf(values []int64) (sum int64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

// compressedMeta changes the metadata of a record batch: its body has the given length and is compressed with zstd. The
// header gets a new table, with one more field, at the end.
func compressedMeta(t testing.TB, meta []byte, body int) []byte {
	t.Helper()
	b := meta[8:]
	u32 := func(at int) int { return int(binary.LittleEndian.Uint32(b[at:])) }
	vtable := func(table int) int { return table - int(int32(u32(table))) }
	field := func(table, slot int) int {
		return table + int(binary.LittleEndian.Uint16(b[vtable(table)+4+2*slot:]))
	}
	root := u32(0)
	binary.LittleEndian.PutUint64(b[field(root, 3):], uint64(body))
	at := field(root, 2)
	header := at + u32(at)
	// A vtable of four fields, the table (rows, nodes, buffers, compression), and after it the compression, of codec 1.
	rows := b[field(header, 0):][:8]
	nodes, buffers := field(header, 1), field(header, 2)
	nodes, buffers = nodes+u32(nodes), buffers+u32(buffers)
	start := len(b) // the offset of the vtable, padded to 8 bytes
	moved := append(bytes.Clone(b), 12, 0, 28, 0, 8, 0, 16, 0, 20, 0, 24, 0, 0, 0, 0, 0)
	table := start + 16
	moved = append(moved, i32s(16, 0)...)
	moved = append(moved, rows...)
	// Vectors come after the tables that refer to them, so they are copied too.
	end := table + 28
	vector := func(from int) []byte { return b[from : from+4+16*u32(from)] }
	first, second := vector(nodes), vector(buffers)
	firstAt := end + 4 // so that its elements lie at a multiple of 8
	secondAt := firstAt + len(first) + 4
	compression := secondAt + len(second)
	moved = append(moved, i32s(int32(firstAt-table-16), int32(secondAt-table-20), int32(compression+8-table-24))...)
	moved = append(moved, make([]byte, firstAt-len(moved))...)
	moved = append(moved, first...)
	moved = append(moved, make([]byte, secondAt-len(moved))...)
	moved = append(moved, second...)
	moved = append(moved, 6, 0, 8, 0, 4, 0, 0, 0) // a vtable of one field, and the table
	moved = append(moved, 8, 0, 0, 0, 1, 0, 0, 0)
	moved = append(moved, make([]byte, (8-len(moved)%8)%8)...)
	binary.LittleEndian.PutUint32(moved[at:], uint32(table-at))
	return append(append(bytes.Clone(meta[:4]), i32s(int32(len(moved)))...), moved...)
}

// Metadata whose length depends on rows does not end the read: numbers of record batches and of buffers, and texts
// about rows.
func TestLongMetadata(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	const more = 70 << 20
	r := oneColumn(ints(5, 6))
	file := ipcFile(t, []arrow.Record{r})
	n := int(binary.LittleEndian.Uint32(file[len(file)-10:]))
	footer := slices.Concat(file[:len(file)-10], make([]byte, more), i32s(int32(n+more)), []byte("ARROW1"))
	stream := ipcStream(t, []arrow.Record{r})
	all, kinds := messages(stream)
	m := all[slices.Index(kinds, 3)]
	size := int32(binary.LittleEndian.Uint32(stream[m.at+4:]))
	body := m.at + m.meta
	message := slices.Concat(stream[:m.at+4], i32s(size+more), stream[m.at+8:body], make([]byte, more), stream[body:])
	about := arrow.MetadataFrom(map[string]string{"rows": strings.Repeat("x", more)})
	schema := array.NewRecord(arrow.NewSchema(r.Schema().Fields(), &about), r.Columns(), r.NumRows())
	for name, content := range map[string][]byte{
		"a footer": footer, "a message": message, "a schema": ipcFile(t, []arrow.Record{schema}),
	} {
		t.Run(name, func(t *testing.T) {
			same(t, ofX(int64(5), int64(6)), read(t, open(t, textfile.CSV{}, write(t, "a.arrow", content)), "x"))
		})
	}
	t.Run("a page header", func(t *testing.T) {
		page := dataV1(1, format.Plain, int64s(7))
		page.header.DataPageHeader.V.Statistics.Min = make([]byte, more)
		path := write(t, "a.parquet", onePage(2, page, onePlain).file(t))
		before := allocated()
		same(t, ofX(int64(7), int64(7)), read(t, open(t, textfile.CSV{}, path), "x"))
		if used := allocated() - before; used > 8<<20 {
			t.Errorf("%d MiB were allocated", used>>20)
		}
	})
}

// A file may have as many row groups as fit its footer.
func TestFootersOfManyParts(t *testing.T) {
	n := 1 << 10
	if long() {
		n = 1<<23 + 1 // each has a column
	}
	file := onePage(1, onePlain).with(func(m *format.FileMetaData) {
		g := m.RowGroups[0]
		m.RowGroups = slices.Repeat([]format.RowGroup{g}, n)
		m.NumRows = int64(n)
	}).file(t)
	d := open(t, textfile.CSV{}, write(t, "a.parquet", file))
	if d.Splits() != n {
		t.Errorf("%d row groups, want %d", d.Splits(), n)
	}
}
