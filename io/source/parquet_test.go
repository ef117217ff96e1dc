package source_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/snappy"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
)

// typed is a column with two values, and the expected result of reading them.
type typed struct {
	node   parquet.Node
	values []parquet.Value
	typ    table.Type
	want   []any
}

func instant(unit int64, zone string) table.Type {
	return table.Type{Kind: table.Timestamp, Unit: unit, Zone: zone}
}

var (
	i32 = parquet.Int32Value
	i64 = parquet.Int64Value
)

var typedColumns = map[string]typed{
	"bool": {parquet.Leaf(parquet.BooleanType), []parquet.Value{parquet.BooleanValue(true),
		parquet.BooleanValue(false)}, table.Type{Kind: table.Bool}, []any{int64(1), int64(0)}},
	"int8": {parquet.Int(8), []parquet.Value{i32(-128), i32(127)}, table.Type{Kind: table.Int},
		[]any{int64(-128), int64(127)}},
	"int32": {parquet.Leaf(parquet.Int32Type), []parquet.Value{i32(math.MinInt32), i32(1)}, table.Type{Kind: table.Int},
		[]any{int64(math.MinInt32), int64(1)}},
	"int64": {parquet.Int(64), []parquet.Value{i64(math.MinInt64), i64(1)}, table.Type{Kind: table.Int},
		[]any{int64(math.MinInt64), int64(1)}},
	"uint32": {parquet.Uint(32), []parquet.Value{i32(-1), i32(1)}, table.Type{Kind: table.Uint},
		[]any{int64(math.MaxUint32), int64(1)}},
	"uint64": {parquet.Uint(64), []parquet.Value{i64(-1), i64(1)}, table.Type{Kind: table.Uint},
		[]any{int64(-1), int64(1)}},
	"float": {parquet.Leaf(parquet.FloatType), []parquet.Value{parquet.FloatValue(0.5),
		parquet.FloatValue(float32(math.Inf(1)))}, table.Type{Kind: table.Float},
		[]any{tabletest.Float(0.5), tabletest.Float(math.Inf(1))}},
	"double": {parquet.Leaf(parquet.DoubleType), []parquet.Value{parquet.DoubleValue(0.1),
		parquet.DoubleValue(math.Copysign(0,
			-1))}, table.Type{Kind: table.Float}, []any{tabletest.Float(0.1), tabletest.Float(math.Copysign(0, -1))}},
	"string": {parquet.String(), []parquet.Value{parquet.ByteArrayValue([]byte("ü")), parquet.ByteArrayValue(nil)},
		table.Type{Kind: table.String}, []any{"ü", ""}},
	"enum": {parquet.Enum(), []parquet.Value{parquet.ByteArrayValue([]byte("a")), parquet.ByteArrayValue([]byte("b"))},
		table.Type{Kind: table.String}, []any{"a", "b"}},
	"json": {parquet.JSON(), []parquet.Value{parquet.ByteArrayValue([]byte("{}")),
		parquet.ByteArrayValue([]byte("[]"))}, table.Type{Kind: table.String}, []any{"{}", "[]"}},
	"fixed": {parquet.Leaf(parquet.FixedLenByteArrayType(3)),
		[]parquet.Value{parquet.FixedLenByteArrayValue([]byte("abc")),
			parquet.FixedLenByteArrayValue([]byte("de\x00"))}, table.Type{Kind: table.String}, []any{"abc", "de\x00"}},
	"uuid": {parquet.UUID(), []parquet.Value{parquet.FixedLenByteArrayValue([]byte("0123456789abcdef")),
		parquet.FixedLenByteArrayValue(make([]byte,
			16))}, table.Type{Kind: table.String}, []any{"0123456789abcdef", string(make([]byte, 16))}},
	"date": {parquet.Date(), []parquet.Value{i32(-1), i32(15706)}, table.Type{Kind: table.Date},
		[]any{int64(-1), int64(15706)}},
	"millis": {parquet.Timestamp(parquet.Millisecond), []parquet.Value{i64(-1), i64(1)}, instant(1e6, table.UTC),
		[]any{int64(-1), int64(1)}},
	"micros": {parquet.TimestampAdjusted(parquet.Microsecond, false), []parquet.Value{i64(-1), i64(1)},
		instant(1e3, table.Local), []any{int64(-1), int64(1)}},
	"nanos": {parquet.Timestamp(parquet.Nanosecond), []parquet.Value{i64(-1), i64(1)}, instant(1, table.UTC),
		[]any{int64(-1), int64(1)}},
	"int96": {parquet.Leaf(parquet.Int96Type), []parquet.Value{int96(-1, 2440588), int96(1500, 2440589)},
		instant(1e3, table.UTC), []any{int64(-1), int64(86_400_000_001)}},
	"extreme": {parquet.Leaf(parquet.Int96Type), []parquet.Value{int96(0, math.MinInt32), int96(0, math.MaxInt32)},
		instant(1e3, table.UTC), []any{int64(math.MinInt64), int64(math.MaxInt64)}},
	"time": {parquet.Time(parquet.Millisecond), []parquet.Value{i32(1), i32(2)}, table.Type{Name: "time"}, nil},
	"money": {parquet.Decimal(2, 9, parquet.Int32Type), []parquet.Value{i32(-1), i32(1999)},
		table.Type{Kind: table.Float}, []any{tabletest.Float(-0.01), tabletest.Float(19.99)}},
	"exact": {parquet.Decimal(17, 18, parquet.Int64Type), []parquet.Value{i64(123456789012345678), i64(-1)},
		table.Type{Kind: table.Float}, []any{tabletest.Float(1.23456789012345678), tabletest.Float(-1e-17)}},
	"whole": {parquet.Decimal(0, 18, parquet.Int64Type), []parquet.Value{i64(999_999_999_999_999_999), i64(-1)},
		table.Type{Kind: table.Int}, []any{int64(999_999_999_999_999_999), int64(-1)}},
	"wide": {parquet.Decimal(3, 38, parquet.FixedLenByteArrayType(16)),
		[]parquet.Value{parquet.FixedLenByteArrayValue(bigEndian(16, 1<<62, 0)),
			parquet.FixedLenByteArrayValue(bigEndian(16, 1<<63,
				0))}, table.Type{Kind: table.Float}, []any{tabletest.Float(math.Ldexp(1, 126) / 1000),
			tabletest.Float(-math.Ldexp(1, 127) / 1000)}},
	"short": {parquet.Decimal(1, 20, parquet.ByteArrayType),
		[]parquet.Value{parquet.ByteArrayValue([]byte{0xff}),
			parquet.ByteArrayValue([]byte{1,
				0})}, table.Type{Kind: table.Float}, []any{tabletest.Float(-0.1), tabletest.Float(25.6)}},
	"too-wide": {parquet.Decimal(1, 20, parquet.FixedLenByteArrayType(33)),
		[]parquet.Value{parquet.FixedLenByteArrayValue(make([]byte, 33)),
			parquet.FixedLenByteArrayValue(make([]byte, 33))}, table.Type{Name: "decimal of an odd length"}, nil},
}

// bigEndian returns a number of size bytes.
func bigEndian(size int, high, low uint64) []byte {
	b := binary.BigEndian.AppendUint64(nil, high)
	return append(make([]byte, size-16), binary.BigEndian.AppendUint64(b, low)...)
}

func int96(nanos int64, day int32) parquet.Value {
	return parquet.Int96Value(deprecated.Int96{uint32(nanos), uint32(nanos >> 32), uint32(day)})
}

// Every type is read, plain and dictionary-encoded, required and optional.
func TestParquetTypes(t *testing.T) {
	for _, version := range []int{1, 2} {
		for _, dict := range []bool{false, true} {
			for _, optional := range []bool{false, true} {
				d := open(t, textfile.CSV{}, write(t, "a.parquet", typedFile(t, version, dict, optional)))
				for name, c := range typedColumns {
					f, _ := d.Schema().Lookup(name)
					if f.Type != c.typ {
						t.Errorf("%s: type %v, want %v", name, f.Type, c.typ)
						continue
					}
					if c.want == nil {
						refused(t, d, name, fault.CodeType)
						continue
					}
					want := [][]any{{c.want[0]}, {c.want[1]}}
					if optional {
						want = [][]any{{c.want[0]}, {nil}, {c.want[1]}}
					}
					if diff := cmp.Diff(want, read(t, d, name)); diff != "" {
						t.Errorf("%s, version %d, dictionary %t: %s", name, version, dict, diff)
					}
				}
			}
		}
	}
}

func typedFile(t testing.TB, version int, dict, optional bool) []byte {
	t.Helper()
	group := parquet.Group{}
	for name, c := range typedColumns {
		group[name] = c.node
		if dict && c.node.Type().Kind() != parquet.Boolean {
			group[name] = parquet.Encoded(c.node, &parquet.RLEDictionary)
		}
		if optional {
			group[name] = parquet.Optional(group[name])
		}
	}
	schema := parquet.NewSchema("typed", group)
	var b bytes.Buffer
	w := parquet.NewGenericWriter[any](&b, schema, parquet.DataPageVersion(version))
	rows := []parquet.Row{{}, {}}
	if optional {
		rows = []parquet.Row{{}, {}, {}}
	}
	for at, path := range schema.Columns() {
		values := typedColumns[path[0]].values
		level := 0
		if optional {
			level = 1
			rows[1] = append(rows[1], parquet.Value{}.Level(0, 0, at))
		}
		rows[0] = append(rows[0], values[0].Level(0, level, at))
		rows[len(rows)-1] = append(rows[len(rows)-1], values[1].Level(0, level, at))
	}
	if _, err := w.WriteRows(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func refused(t testing.TB, d *source.Dataset, column, code string) {
	t.Helper()
	_, err := readAll(d, column)
	var e *fault.Error
	if !errors.As(err, &e) || e.Code != code || e.Column != column {
		t.Errorf("%s: got %v, want %s", column, err, code)
	}
}

type nested struct {
	A int64            `parquet:"a"`
	L []int64          `parquet:"l,list"`
	R []int64          `parquet:"r"`
	M map[string]int64 `parquet:"m"`
	S struct {
		X int64  `parquet:"x"`
		Y string `parquet:"y"`
	} `parquet:"s"`
	Z string `parquet:"z"`
}

// Nested columns are in the schema, and the other columns are read.
func TestNestedColumns(t *testing.T) {
	var b bytes.Buffer
	w := parquet.NewGenericWriter[nested](&b)
	if _, err := w.Write([]nested{{A: 1, L: []int64{1, 2}, M: map[string]int64{"k": 1}, Z: "z1"},
		{A: 2, R: []int64{3}, Z: "z2"}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	d := open(t, textfile.CSV{}, write(t, "a.parquet", b.Bytes()))
	var types []string
	for _, f := range d.Schema().Fields {
		types = append(types, f.Name+" "+f.Type.String())
	}
	want := []string{"a int", "l list of numbers", "r list of numbers", "m map", "m.key list", "m.value list of numbers",
		"s struct", "s.x int", "s.y text", "z text"}
	if !slices.Equal(types, want) {
		t.Errorf("types %v, want %v", types, want)
	}
	same(t, [][]any{{"z1", int64(1)}, {"z2", int64(2)}}, read(t, d, "z", "a"))
	one, three := tabletest.List(1, 2), tabletest.List(3)
	same(t, [][]any{{one, tabletest.List()}, {tabletest.List(), three}}, read(t, d, "l", "r"))
	same(t, [][]any{{int64(0), "", tabletest.List(1)}, {int64(0), "", tabletest.List()}},
		read(t, d, "s.x", "s.y", "m.value"))
	for _, name := range []string{"m", "m.key", "s"} {
		refused(t, d, name, fault.CodeType)
	}
}

// Files are read in variants that the writers in these tests do not write, but others do.
func TestCraftedParquet(t *testing.T) {
	flat := dataV1(2, format.Plain, int64s(1, 2))
	packed := flat
	packed.body, packed.header.UncompressedPageSize = snappy.Encode(nil, flat.body), 16
	dict := dictionaryPage(2, int64s(5, 6))
	optional := int64Column
	optional.RepetitionType = thrift.New(format.Optional)
	nulls := dataV1(2, format.RLEDictionary, binary.LittleEndian.AppendUint32(nil, 0))
	nulls.body = append([]byte{2, 0, 0, 0}, runsOf(2, 0)...)
	one, two := [][]any{{int64(1)}, {int64(2)}}, [][]any{{int64(1)}, {int64(2)}, {int64(1)}, {int64(2)}}
	for name, c := range map[string]struct {
		file crafted
		want [][]any
	}{
		"a page without values":         {onePage(2, dataV1(0, format.Plain, nil), flat, dataV1(0, format.Plain, nil)), one},
		"a dictionary that is not used": {onePage(2, dict, flat), one},
		"compressions side by side": {crafted{groups: []craftedGroup{{rows: 2, pages: []craftedPage{flat}},
			{rows: 2, codec: format.Snappy, pages: []craftedPage{packed}}}}, two},
		"no row groups":            {crafted{}, nil},
		"a row group without rows": {crafted{groups: []craftedGroup{{}, {rows: 2, pages: []craftedPage{flat}}}}, one},
		"an index page": {onePage(2, craftedPage{format.PageHeader{Type: format.IndexPage}, []byte("xyz")},
			flat), one},
		"an empty dictionary for nulls": {onePage(2, dictionaryPage(0, nil), nulls).of(optional), [][]any{{nil}, {nil}}},
		"empty runs": {onePage(2, dict, dataV1(2, format.RLEDictionary,
			append([]byte{8, 0, 1, 0}, runsOf(1, 1, 1, 0)...))), [][]any{{int64(6)}, {int64(5)}}},
		"a dictionary in front of plain": {onePage(4, dict, dataV1(2, format.RLEDictionary, codes(1, 1, 1, 0)), flat),
			[][]any{{int64(6)}, {int64(5)}, {int64(1)}, {int64(2)}}},
	} {
		t.Run(name, func(t *testing.T) {
			same(t, c.want, read(t, open(t, textfile.CSV{}, write(t, "a.parquet", c.file.file(t))), "x"))
		})
	}
}

// Differences of 32-bit integers wrap, also if their writer computed them in 64 bits.
func TestWideDifferences(t *testing.T) {
	for name, c := range map[string]struct {
		element format.SchemaElement
		values  []int64
	}{
		"unsigned": {integer(format.Int32, nil, &format.IntType{BitWidth: 32}),
			[]int64{4e9, 1, 4e9 + 5, 0, 1<<32 - 1, 4e9}},
		"alternating": {integer(format.Int32, nil, nil), []int64{math.MinInt32, math.MaxInt32, math.MinInt32, math.MaxInt32,
			0}},
		"small": {integer(format.Int32, nil, nil), []int64{5, -5, 7}},
	} {
		body, err := (&delta.BinaryPackedEncoding{}).EncodeInt64(nil, c.values)
		if err != nil {
			t.Fatal(err)
		}
		n := len(c.values)
		v2 := dataV2(n, body)
		v2.header.DataPageHeaderV2.V.Encoding = format.DeltaBinaryPacked
		optional := c.element
		optional.RepetitionType = thrift.New(format.Optional)
		levels := runsOf(uint64(n), 1)
		withLevels := slices.Concat(binary.LittleEndian.AppendUint32(nil, uint32(len(levels))), levels, body)
		for form, file := range map[string]crafted{
			"one": onePage(int64(n), dataV1(n, format.DeltaBinaryPacked, body)).of(c.element), "two": onePage(int64(n),
				v2).of(c.element),
			"optional": onePage(int64(n), dataV1(n, format.DeltaBinaryPacked, withLevels)).of(optional),
		} {
			rows := read(t, open(t, textfile.CSV{}, write(t, "a.parquet", file.file(t))), "x")
			for i, want := range c.values {
				if rows[i][0] != want && rows[i][0] != uint64(want) {
					t.Errorf("%s, %s: row %d: %v, want %d", name, form, i, rows[i][0], want)
				}
			}
		}
	}
}

// dataV2 returns a data page of version 2 with required values.
func dataV2(values int, body []byte) craftedPage {
	return craftedPage{format.PageHeader{Type: format.DataPageV2, DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{
		NumValues: int32(values), NumRows: int32(values), Encoding: format.Plain,
	})}, body}
}

// A text that is long in statistics and pages is read like any other.
func TestLongTextsInStatistics(t *testing.T) {
	type row struct {
		X string `parquet:"x"`
	}
	long := strings.Repeat("m", 3<<20)
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, parquet.DataPageStatistics(true))
	if _, err := w.Write([]row{{"a"}, {long}, {"z" + long}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	same(t, [][]any{{"a"}, {long}, {"z" + long}}, read(t, open(t, textfile.CSV{}, write(t, "a.parquet", b.Bytes())), "x"))
}

// If a page of version 2 states a wrong null count, its levels decide.
func TestNullCountsAreNotBelieved(t *testing.T) {
	page := dataV2(2, int64s(1, 2))
	page.header.DataPageHeaderV2.V.NumNulls = 1
	same(t, ofX(int64(1), int64(2)), read(t, open(t, textfile.CSV{}, write(t, "a.parquet", onePage(2, page).file(t))), "x"))
}

// A few bytes that stand for millions of rows come in batches of bounded size.
func TestLongRuns(t *testing.T) {
	const n = 3 << 20
	file := onePage(n, dictionaryPage(1, int64s(5)), dataV1(n, format.RLEDictionary, codes(n, 0))).file(t)
	d := open(t, textfile.CSV{}, write(t, "a.parquet", file))
	rows := 0
	batches(t, d, []string{"x"}, func(b batch) {
		rows += b.Rows
		if err := sound(b, 1); err != nil || b.Columns[0].Values.Ints[b.Columns[0].Codes[b.Rows-1]] != 5 {
			t.Fatal(err)
		}
	})
	if rows != n {
		t.Errorf("%d rows, want %d", rows, n)
	}
}

// The digest depends on the footer and the requested columns, not on their order nor on other columns.
func TestParquetDigest(t *testing.T) {
	content := parquetGo(t, sample(2000), mixed, parquet.Compression(&parquet.Uncompressed),
		parquet.MaxRowsPerRowGroup(1000))
	path := write(t, "a.parquet", content)
	digest := func(split int, columns ...string) string {
		d := open(t, textfile.CSV{}, path)
		sum, err := d.Digest(context.Background(), split, columns)
		if err != nil {
			t.Fatal(err)
		}
		return string(sum)
	}
	before := map[string]string{"unit": digest(0, "unit"), "note": digest(0, "note")}
	different := []string{before["unit"], before["note"], digest(1, "unit"), digest(0), digest(0, "unit", "note")}
	if slices.Sort(different); len(slices.Compact(different)) != 5 {
		t.Error("digests of different bytes are equal")
	}
	if digest(0, "unit", "note", "unit") != digest(0, "note", "unit") {
		t.Error("the digest depends on the order of the columns")
	}
	at := bytes.Index(content, []byte("canary note 3,"))
	content[at] = 'C'
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if digest(0, "unit") != before["unit"] || digest(0, "note") == before["note"] {
		t.Error("the digest does not depend on its columns alone")
	}
}

// A file that is replaced while it is in use is noticed.
func TestChangedFiles(t *testing.T) {
	other := map[string][]byte{"a.parquet": parquetGo(t, sample(4), nil), "a.csv": []byte("y,x\n1,2\n")}
	for name, content := range map[string][]byte{"a.parquet": parquetGo(t, sample(3), nil),
		"a.csv": []byte("x,unit\n1,2\n")} {
		path := write(t, name, content)
		d := open(t, lines, path)
		if err := os.WriteFile(path, other[name], 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := readAll(d, "unit")
		if code := verdict(t, name, err); code != fault.CodeChanged {
			t.Errorf("%s: got %v", name, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		_, err = readAll(d, "unit")
		if code := verdict(t, name, err); code != fault.CodeNotFound {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// An error of the caller and a cancelled context end a read and are returned unchanged.
func TestReadStops(t *testing.T) {
	mine := errors.New("mine")
	for name, content := range map[string][]byte{"a.parquet": parquetGo(t, sample(3), nil), "a.csv": text(t, sample(3))} {
		d := open(t, sampleCSV, write(t, name, content))
		_, err := d.Read(context.Background(), 0, []string{"unit"}, func(*table.Batch) error { return mine })
		if !errors.Is(err, mine) {
			t.Errorf("%s: got %v", name, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		for _, columns := range [][]string{nil, {"unit"}} {
			_, err = d.Read(ctx, 0, columns, func(*table.Batch) error { return nil })
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: got %v", name, err)
			}
		}
		if _, err := d.Digest(ctx, 0, []string{"unit"}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// Many goroutines may read one dataset.
func TestConcurrentReads(t *testing.T) {
	records := sample(3000)
	d := open(t, textfile.CSV{}, write(t, "a.parquet", parquetGo(t, records, mixed, parquet.MaxRowsPerRowGroup(1000))))
	want := rowsOf(records)
	var g sync.WaitGroup
	for i := range 12 {
		g.Go(func() {
			split, at := i%3, i%3*1000
			_, err := d.Read(context.Background(), split, sampleColumns, func(b *table.Batch) error {
				for _, r := range tabletest.Rows(b) {
					if !slices.Equal(r, want[at]) {
						t.Errorf("row %d: %v, want %v", at, r, want[at])
					}
					at++
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	g.Wait()
}

func TestReadStrings(t *testing.T) {
	csv := write(t, "a.csv", []byte("n,city\n1,b\n2,a\n3,b\n4,\n"))
	parquetFile := write(t, "a.parquet", typedFile(t, 1, true, true))
	for _, c := range []struct {
		path, column string
		want         []string
	}{
		{csv, "city", []string{"b", "a", "b", ""}},
		{parquetFile, "string", []string{"ü", ""}},
		{parquetFile, "int8", []string{"-128", "127"}},
		{parquetFile, "uint64", []string{"18446744073709551615", "1"}},
		{parquetFile, "double", []string{"0.1", "0"}},
		{parquetFile, "bool", []string{"true", "false"}},
		{parquetFile, "date", []string{"1969-12-31", "2013-01-01"}},
		{parquetFile, "millis", []string{"1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00.001Z"}},
		{parquetFile, "micros", []string{"1969-12-31T23:59:59.999999", "1970-01-01T00:00:00.000001"}},
	} {
		got, err := source.ReadStrings(context.Background(), c.path, c.column)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, %v, want %q", c.column, got, err, c.want)
		}
	}
	if _, err := source.ReadStrings(context.Background(), csv, "q"); err == nil {
		t.Error("a column that is not there was read")
	}
	if _, err := source.ReadStrings(context.Background(), csv+"x.csv", "q"); err == nil {
		t.Error("a file that is not there was read")
	}
}

// A public text file whose rows do not fit its header is refused, by the number of the line.
func TestFaultsOfPublicFiles(t *testing.T) {
	for text, want := range map[string]string{
		"n,city\n1,b\n2\n":                         "line 3 has 1 fields, the header has 2",
		"sep=,\n\nn,city\n1,\"b\n\nc\"\n\n2,a,x\n": "line 8 has 3 fields, the header has 2",
		"n,city\n1,b\n2,\"a\n3,c\n":                "line 3 has a field that begins with a quote",
		"n,city\n1,b\n2,\"a\"b\n":                  "line 3 has a field that begins with a quote",
		"n,city\r1,b\r":                            "carriage return",
		"\xff\xfen\x00":                            "iconv -f UTF-16 -t UTF-8",
		"":                                         "is it empty?",
		"n;city\n1;b\n":                            `it has "n;city"; commas separate columns`,
		"City\nb\n":                                `it has "City"`,
		"city\na\n\"\"\"b\"\n5\" c\n":              "",
	} {
		_, err := source.ReadStrings(context.Background(), write(t, "a.csv", []byte(text)), "city")
		if got := fmt.Sprint(err); (err != nil) != (want != "") || !strings.Contains(got, want) && err != nil {
			t.Errorf("%q: %s, want %q", text, got, want)
		}
	}
}

// PyArrow states offset 0 for a missing data page: such a file is a table without rows.
func TestParquetOfNoRowsByPyArrow(t *testing.T) {
	for name, content := range map[string]string{
		"dictionary": "PAR1\x15\x04\x15\x00\x15\x00\x4c\x15\x00\x15\x00\x12\x00\x00",
		"plain":      "PAR1",
	} {
		chunk := format.ColumnMetaData{Type: format.Int32, PathInSchema: []string{"x"},
			TotalCompressedSize: int64(len(content) - 4)}
		if name == "dictionary" {
			chunk.DictionaryPageOffset = 4
		}
		meta := format.FileMetaData{
			Version: 2,
			Schema: []format.SchemaElement{
				{Name: "schema", NumChildren: thrift.New(int32(1)), RepetitionType: thrift.New(format.Required)},
				{Name: "x", Type: thrift.New(format.Int32), RepetitionType: thrift.New(format.Optional)},
			},
			RowGroups: []format.RowGroup{{Columns: []format.ColumnChunk{{MetaData: chunk}}}},
		}
		footer, err := thrift.Marshal(new(thrift.CompactProtocol), &meta)
		if err != nil {
			t.Fatal(err)
		}
		file := append([]byte(content), footer...)
		file = append(binary.LittleEndian.AppendUint32(file, uint32(len(footer))), "PAR1"...)
		if rows := read(t, open(t, textfile.CSV{}, write(t, "a.parquet", file)), "x"); len(rows) > 0 {
			t.Errorf("%s: %d rows", name, len(rows))
		}
	}
}
