package source_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/fault"
)

// sizedPage returns a page whose header has other sizes than its body.
func sizedPage(p craftedPage, uncompressed, compressed int32) craftedPage {
	p.header.UncompressedPageSize, p.header.CompressedPageSize = uncompressed, compressed
	return p
}

func text8(name string, optional bool) format.SchemaElement {
	e := format.SchemaElement{Name: name, Type: thrift.New(format.ByteArray), RepetitionType: thrift.New(format.Required)}
	if optional {
		e.RepetitionType = thrift.New(format.Optional)
	}
	return e
}

func (c crafted) of(e format.SchemaElement) crafted {
	c.element = e
	return c
}

func (c crafted) with(f func(*format.FileMetaData)) crafted {
	c.change = f
	return c
}

func (c crafted) packed(codec format.CompressionCodec) crafted {
	c.groups[0].codec = codec
	return c
}

// column changes the footer's statement about the column chunk.
func column(f func(*format.ColumnMetaData)) func(*format.FileMetaData) {
	return func(m *format.FileMetaData) { f(&m.RowGroups[0].Columns[0].MetaData) }
}

const (
	million = 1_000_000
	huge    = math.MaxInt32
)

// lie is a file with a false statement, and the code of the error that it must cause.
type lie struct {
	file crafted
	code string
}

// hostile returns files with false statements.
func hostile(t testing.TB) map[string]lie {
	all := map[string]lie{}
	for _, some := range []map[string]lie{lyingRuns(), lyingSizes(t), lyingEncodings(), lyingFooters()} {
		maps.Copy(all, some)
	}
	return all
}

var onePlain = dataV1(1, format.Plain, int64s(7))

func lyingRuns() map[string]lie {
	one, dict := onePlain, dictionaryPage(2, int64s(5, 6))
	return map[string]lie{
		"a run longer than its page": {onePage(9, dict, dataV1(9, format.RLEDictionary, codes(huge, 0))),
			fault.CodeDamaged},
		"many long runs": {onePage(9, dict,
			dataV1(9, format.RLEDictionary, append([]byte{8}, bytes.Repeat(runsOf(1<<30, 0), million)...))), fault.CodeDamaged},
		"runs of no bits": {onePage(9, dict,
			dataV1(9, format.RLEDictionary, append([]byte{0}, uvarints(1<<40|1)...))), fault.CodeDamaged},
		"a long run behind an empty one": {onePage(9, dict,
			dataV1(9, format.RLEDictionary, append([]byte{8, 0}, runsOf(huge, 0)...))), fault.CodeDamaged},
		"a run shorter than its page": {onePage(9, dict, dataV1(9, format.RLEDictionary, codes(8, 0))),
			fault.CodeDamaged},
		"codes of 200 bits": {onePage(9, dict,
			dataV1(9, format.RLEDictionary, append([]byte{200}, runsOf(9, 0)...))), fault.CodeDamaged},
		"a code behind the dictionary": {onePage(9, dict, dataV1(9, format.RLEDictionary, codes(8, 0, 1, 2))),
			fault.CodeDamaged},
		"no dictionary": {onePage(9, dataV1(9, format.RLEDictionary, codes(9, 0))), fault.CodeDamaged},
		"two dictionaries": {onePage(9, dict, dict, dataV1(9, format.RLEDictionary, codes(9, 0))),
			fault.CodeDamaged},
		"a dictionary behind data": {onePage(2, one, dict, one), fault.CodeDamaged},
		"a dictionary that says too much": {onePage(9, dictionaryPage(huge, int64s(5)),
			dataV1(9, format.RLEDictionary, codes(9, 0))), fault.CodeDamaged},
		"a page with too few bytes": {onePage(9, dataV1(9, format.Plain, int64s(1, 2))), fault.CodeDamaged},
		"more values than rows":     {onePage(1, dataV1(2, format.Plain, int64s(1, 2))), fault.CodeRowCount},
		"a page more":               {onePage(1, one, one), fault.CodeRowCount},
		"a page less":               {onePage(2, one), fault.CodeRowCount},
		"no pages":                  {onePage(2), fault.CodeRowCount},
	}
}

func lyingSizes(t testing.TB) map[string]lie {
	one := onePlain
	bomb := gzipped(t, make([]byte, 64<<20))
	return map[string]lie{
		"negative values":        {onePage(1, dataV1(-1, format.Plain, int64s(1))), fault.CodeDamaged},
		"a size of 2 GiB":        {onePage(1, sizedPage(one, huge, 8)), fault.CodeDamaged},
		"a stored size of 2 GiB": {onePage(1, sizedPage(one, 8, huge)), fault.CodeDamaged},
		"a negative size":        {onePage(1, sizedPage(one, -1, 8)), fault.CodeDamaged},
		"a size without ratio":   {onePage(1, sizedPage(one, 200<<20, 8)).packed(format.Snappy), fault.CodeDamaged},
		"snappy of another size": {onePage(1, sizedPage(dataV1(1, format.Plain, snappy.Encode(nil, make([]byte, million))),
			8, 0)).packed(format.Snappy), fault.CodeDamaged},
		"a gzip bomb": {onePage(1, sizedPage(dataV1(1, format.Plain, bomb), 8, 0)).packed(format.Gzip),
			fault.CodeDamaged},
		"a zstd bomb": {onePage(1, sizedPage(dataV1(1, format.Plain, zstandard(t, make([]byte, 64<<20))), 8,
			0)).packed(format.Zstd), fault.CodeDamaged},
		"bytes that are not LZ4": {onePage(1, sizedPage(dataV1(1, format.Plain, bytes.Repeat([]byte{0xf0}, 99)), 8,
			0)).packed(format.Lz4Raw), fault.CodeDamaged},
		"bytes that are not brotli": {onePage(1, sizedPage(one, 8, 0)).packed(format.Brotli), fault.CodeDamaged},
	}
}

func lyingEncodings() map[string]lie {
	one := onePlain
	deltas := uvarints(128, 4, huge, 0)
	prefixes := append(uvarints(128, 4, 100, 0), uvarints(1<<23<<1, 0)...)
	packedLevels := dataV1(1, format.Plain, []byte{128, 0, 0, 0, 0})
	packedLevels.header.DataPageHeader.V.DefinitionLevelEncoding = format.BitPacked
	return map[string]lie{
		"LZO":                         {onePage(1, one).packed(3), fault.CodeUnsupported},
		"an unknown encoding":         {onePage(1, dataV1(1, 77, int64s(1))), fault.CodeUnsupported},
		"an encoding of another type": {onePage(1, dataV1(1, format.DeltaByteArray, int64s(1))), fault.CodeUnsupported},
		"differences without end":     {onePage(9, dataV1(9, format.DeltaBinaryPacked, deltas)), fault.CodeDamaged},
		"blocks of 2^40 differences": {onePage(9, dataV1(9, format.DeltaBinaryPacked, uvarints(1<<40, 1, 9, 0))),
			fault.CodeDamaged},
		"differences of 40 bits": {onePage(40, dataV1(40, format.DeltaLengthByteArray,
			append(uvarints(128, 4, 40, 0, 0), append([]byte{40, 0, 0, 0},
				make([]byte, 999)...)...))).of(text8("x", false)), fault.CodeDamaged},
		"lengths without end": {onePage(9, dataV1(9, format.DeltaLengthByteArray, deltas)).of(text8("x", false)),
			fault.CodeDamaged},
		"shared prefixes without end": {onePage(100, dataV1(100, format.DeltaByteArray,
			append(prefixes, prefixes...))).of(text8("x", false)), fault.CodeDamaged},
		"a string behind its page": {onePage(1, dataV1(1, format.Plain, []byte{255, 255, 255, 255, 'a'})).of(text8("x",
			false)), fault.CodeDamaged},
		"a string more": {onePage(1, dataV1(1, format.Plain, make([]byte, 8))).of(text8("x", false)),
			fault.CodeDamaged},
		"a string that is not there": {onePage(9, dictionaryPage(2, []byte("\x08\x00\x00\x00category")),
			dataV1(9, format.RLEDictionary, codes(9, 0))).of(text8("x", false)), fault.CodeDamaged},
		"blocks of 64 of none": {onePage(2, dataV1(2, format.DeltaLengthByteArray,
			append(append([]byte{2, 0, 0, 0}, runsOf(2, 0)...),
				uvarints(64, 2, 0, 0)...))).of(text8("x", true)), fault.CodeDamaged},
		"an unknown encoding of none": {onePage(2, dataV1(2, 77, append([]byte{2, 0, 0, 0}, runsOf(2, 0)...))).of(text8("x",
			true)), fault.CodeUnsupported},
		"levels without end": {onePage(9, dataV1(9, format.Plain,
			append([]byte{6, 0, 0, 0}, runsOf(huge, 1)...))).of(text8("x", true)), fault.CodeDamaged},
		"levels that are too high": {onePage(9, dataV1(9, format.Plain,
			append([]byte{2, 0, 0, 0}, runsOf(9, 2)...))).of(text8("x", true)), fault.CodeDamaged},
		"levels behind the page": {onePage(9, dataV1(9, format.Plain, []byte{99, 0, 0, 0})).of(text8("x", true)),
			fault.CodeDamaged},
		"levels in another encoding": {onePage(1, packedLevels).of(text8("x", true)), fault.CodeUnsupported},
	}
}

func lyingFooters() map[string]lie {
	one := onePlain
	return map[string]lie{
		"a chunk outside the file": {onePage(1,
			one).with(column(func(c *format.ColumnMetaData) { c.DataPageOffset = 1 << 40 })), fault.CodeDamaged},
		"a chunk before the file": {onePage(1, one).with(column(func(c *format.ColumnMetaData) { c.DataPageOffset = -8 })),
			fault.CodeDamaged},
		"a chunk of 2^62 bytes": {onePage(1,
			one).with(column(func(c *format.ColumnMetaData) { c.TotalCompressedSize = 1 << 62 })), fault.CodeDamaged},
		"another type": {onePage(1, one).with(column(func(c *format.ColumnMetaData) { c.Type = format.Double })),
			fault.CodeDamaged},
		"another number of values": {onePage(1, one).with(column(func(c *format.ColumnMetaData) { c.NumValues = 2 })),
			fault.CodeRowCount},
		"2^50 rows": {onePage(1<<50, one), fault.CodeTooLarge},
		"rows that do not add up": {onePage(1, one).with(func(m *format.FileMetaData) { m.NumRows = 2 }),
			fault.CodeRowCount},
		"columns without schema": {onePage(1, one).with(func(m *format.FileMetaData) { m.Schema = m.Schema[:1] }),
			fault.CodeDamaged},
		"children without end": {onePage(1,
			one).with(func(m *format.FileMetaData) { m.Schema[0].NumChildren = thrift.New(int32(huge)) }), fault.CodeDamaged},
		"a group without children": {onePage(1,
			one).with(func(m *format.FileMetaData) { m.Schema[1] = format.SchemaElement{NumChildren: thrift.New(int32(huge))} }),
			fault.CodeDamaged},
		"no schema": {onePage(1, one).with(func(m *format.FileMetaData) { m.Schema = nil }),
			fault.CodeDamaged},
		"another file's column": {onePage(1,
			one).with(func(m *format.FileMetaData) { m.RowGroups[0].Columns[0].FilePath = "canary" }), fault.CodeUnsupported},
		"an encrypted column": {onePage(1, one).with(func(m *format.FileMetaData) {
			m.RowGroups[0].Columns[0].CryptoMetadata.Value = &format.EncryptionWithFooterKey{}
		}), fault.CodeUnsupported},
	}
}

// The null count in the header of a version 2 page is not trusted: the page's levels decide.
func TestStatedNullsAreIgnored(t *testing.T) {
	v2 := format.PageHeader{Type: format.DataPageV2, DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{
		NumValues: 1, NumRows: 1, NumNulls: 1, Encoding: format.Plain,
	})}
	if _, err := attemptColumns(write(t, "a.parquet", onePage(1, craftedPage{v2, int64s(1)}).file(t)), "x"); err != nil {
		t.Error(err)
	}
}

// A page without values may omit their bytes, in any encoding, so that a file with only nulls is readable like any
// other.
func TestNullsWithoutBytes(t *testing.T) {
	for _, e := range []format.Encoding{format.Plain, format.DeltaLengthByteArray, format.DeltaByteArray} {
		page := dataV1(2, e, append([]byte{2, 0, 0, 0}, runsOf(2, 0)...))
		rows, err := attemptColumns(write(t, "a.parquet", onePage(2, page).of(text8("x", true)).file(t)), "x")
		if err != nil || len(rows) != 2 || rows[0][0] != nil {
			t.Errorf("%v: %v, %v", e, rows, err)
		}
	}
}

// Files with false statements are refused, in little memory.
func TestHostileParquet(t *testing.T) {
	for name, c := range hostile(t) {
		t.Run(name, func(t *testing.T) {
			path := write(t, "a.parquet", c.file.file(t))
			before := allocated()
			_, err := attemptColumns(path, "x")
			var e *fault.Error
			if !errors.As(err, &e) || e.Code != c.code {
				t.Errorf("got %v, want %s", err, c.code)
			}
			if used := allocated() - before; used > 24<<20 {
				t.Errorf("%d MiB were allocated", used>>20)
			}
			verdict(t, name, err)
		})
	}
}

func attemptColumns(path string, columns ...string) ([][]any, error) {
	d, err := source.Open(context.Background(), source.Options{Files: []string{path}})
	if err != nil {
		return nil, err
	}
	return readAll(d, columns...)
}

// Malformed footers and page headers, such as ones that announce longer contents than they have, are refused in little
// memory.
func TestHostileThrift(t *testing.T) {
	good := onePage(1, dataV1(1, format.Plain, int64s(7))).file(t)
	list := []byte{0x15, 2, 0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07} // a schema of 2^31 - 1 structs
	nested := append(bytes.Repeat([]byte{0x1c}, 1000), make([]byte, 1001)...)
	for name, footer := range map[string][]byte{"a list without end": list, "structs in structs": nested, "empty": {}} {
		b := append([]byte("PAR1"), footer...)
		b = append(b, byte(len(footer)), byte(len(footer)>>8), 0, 0, 'P', 'A', 'R', '1')
		before := allocated()
		_, err := attemptColumns(write(t, "a.parquet", b), "x")
		if code := verdict(t, name, err); code != fault.CodeDamaged || allocated()-before > 1<<20 {
			t.Errorf("%s: %v", name, err)
		}
	}
	header := bytes.Clone(good)
	copy(header[4:], []byte{0x18, 0xff, 0xff, 0xff, 0xff, 0x07}) // a string of 2 GiB
	before := allocated()
	_, err := attemptColumns(write(t, "a.parquet", header), "x")
	if code := verdict(t, "a long header", err); code != fault.CodeDamaged || allocated()-before > 4<<20 {
		t.Errorf("a long header: %v", err)
	}
}
