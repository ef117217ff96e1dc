package source_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand"
	"os"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
)

// long reports whether tests run at the sizes that limits have in the formats.
func long() bool { return os.Getenv("DPRELEASE_LONG") != "" }

// tallied is a test's summary of a column of many rows.
type tallied struct {
	rows, nulls, bytes, longest int
	sum                         int64
}

// tally reads a column of integers, booleans or texts.
func tally(t testing.TB, path string) (out tallied) {
	t.Helper()
	batches(t, open(t, textfile.CSV{}, path), []string{"x"}, func(b batch) {
		c, size := &b.Columns[0], 0
		for i := range b.Rows {
			if c.Valid != nil && !c.Valid[i] {
				out.nulls++
				continue
			}
			at := i
			if c.Codes != nil {
				at = int(c.Codes[i])
			}
			if c.Type.Kind == table.String {
				size += len(c.Values.Bytes(at))
			} else {
				out.sum += c.Values.Ints[at]
			}
		}
		out.rows, out.bytes, out.longest = out.rows+b.Rows, out.bytes+size, max(out.longest, size)
	})
	return out
}

// levelled prepends the levels of a page of version 1 to its values.
func levelled(levels []byte, values []byte) []byte {
	return append(append(binary.LittleEndian.AppendUint32(nil, uint32(len(levels))), levels...), values...)
}

func deltaLengths(t testing.TB, values []int32) []byte {
	t.Helper()
	b, err := (&delta.BinaryPackedEncoding{}).EncodeInt32(nil, values)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// prefixedPage returns a page in DELTA_BYTE_ARRAY with a text of size bytes, repeated times times, and a short one.
func prefixedPage(t testing.TB, size int32, times int) craftedPage {
	t.Helper()
	prefixes, suffixes := make([]int32, times+1), make([]int32, times+1)
	if times > 0 {
		for i := range prefixes[1:times] {
			prefixes[i+1] = size
		}
		suffixes[0] = size
	}
	suffixes[times] = 5
	body := append(deltaLengths(t, prefixes), deltaLengths(t, suffixes)...)
	if times > 0 {
		body = append(body, make([]byte, size)...)
	}
	return dataV1(times+1, format.DeltaByteArray, append(body, "short"...))
}

// A page of 1 MiB may hold a text of that length 2,100 times; its batches stay short. No row makes another unreadable.
func TestTextsThatSharePrefixes(t *testing.T) {
	const size, times = 1 << 20, 2100
	for _, n := range []int{0, times} {
		path := write(t, "a.parquet", onePage(int64(n+1), prefixedPage(t, size, n)).of(text8("x", false)).file(t))
		before := allocated()
		got := tally(t, path)
		want := tallied{rows: n + 1, bytes: n*size + 5, longest: got.longest}
		if got != want || got.longest > 16<<20 {
			t.Errorf("%d: got %+v, want %+v", n, got, want)
		}
		if used := allocated() - before; used > 128<<20 {
			t.Errorf("%d: %d MiB were allocated", n, used>>20)
		}
	}
}

// A list of any length changes no other row: a list longer than the limit is null, also in pages of few bytes.
func TestListsOfAnyLength(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	lengths := []uint64{0, 1<<25 + 1} // more than the longest list that is read
	if long() {
		lengths = append(lengths, 1<<26+1, 1<<31-3)
	}
	for _, n := range lengths {
		repeated, defined, rows, want := []uint64{2, 0}, n+2, int64(2), ofX(tabletest.List(5), tabletest.List(5))
		if n > 0 {
			repeated, rows, want = []uint64{2, 0, n - 1, 1, 1, 0}, 3, ofX(tabletest.List(5), nil, tabletest.List(5))
		}
		body := levelled(runsOf(repeated...), levelled(runsOf(defined, 1), codes(n+2, 0)))
		page := dataV1(int(n+2), format.RLEDictionary, body)
		file := listFile(rows, int64(n+2), dictionaryPage(1, int64s(5)), page).file(t)
		before := allocated()
		same(t, want, read(t, open(t, textfile.CSV{}, write(t, "a.parquet", file)), "x")) // the file is read twice
		if used := allocated() - before; used > 4<<30 {
			t.Errorf("%d elements: %d MiB were allocated", n, used>>20)
		}
	}
}

// A page may have as many values as its header can state.
func TestPagesOfManyValues(t *testing.T) {
	n := 1<<24 + 1
	if long() {
		n = huge
	}
	page := dataV1(n, format.RLEDictionary, codes(1, 1, uint64(n-1), 0))
	path := write(t, "a.parquet", onePage(int64(n), dictionaryPage(2, int64s(5, 6)), page).file(t))
	before := allocated()
	if got, want := tally(t, path), (tallied{rows: n, sum: int64(5*n + 1)}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if used := allocated() - before; used > 64<<20 {
		t.Errorf("%d MiB were allocated", used>>20)
	}
}

// Pages that are decoded in pieces have the same rows, with nulls and without, in all encodings.
func TestPagesInPieces(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	const n = 1<<20 + 200_000
	rng := rand.New(rand.NewSource(3))
	for _, nulls := range []bool{false, true} {
		valid := make([]bool, n)
		levels := make([]byte, n)
		for i := range valid {
			if valid[i] = !nulls || i/1000%3 == 0 || rng.Intn(9) > 0; valid[i] {
				levels[i] = 1
			}
		}
		present := bytes.Count(levels, []byte{1})
		packed, err := (&rle.Encoding{BitWidth: 1}).EncodeLevels(nil, levels)
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range expandingPages(t, rng, present) {
			t.Run(fmt.Sprint(name, nulls), func(t *testing.T) {
				page := &c.pages[len(c.pages)-1]
				if nulls {
					page.body = levelled(packed, page.body)
					c.element.RepetitionType = thrift.New(format.Optional)
				}
				page.header.DataPageHeader.V.NumValues = n
				at, row := 0, 0
				d := open(t, textfile.CSV{}, write(t, "a.parquet", onePage(n, c.pages...).of(c.element).file(t)))
				batches(t, d, []string{"x"}, func(b batch) {
					for _, got := range tabletest.Rows(b) {
						var want any
						if valid[row] {
							want = c.value(at)
							at++
						}
						if got[0] != want {
							t.Fatalf("row %d: got %v, want %v", row, got[0], want)
						}
						row++
					}
				})
				if row != n || at != present {
					t.Errorf("%d rows, %d values", row, at)
				}
			})
		}
	}
}

// expanding is a column whose values take almost no bytes.
type expanding struct {
	element format.SchemaElement
	pages   []craftedPage
	value   func(i int) any
}

// runsOfNumbers returns n numbers below 200, in runs of all lengths.
func runsOfNumbers(rng *rand.Rand, n int) []int32 {
	numbers := make([]int32, n)
	for i := 0; i < n; {
		v, length := int32(rng.Intn(200)), 1
		if rng.Intn(3) > 0 {
			length = rng.Intn(1 << rng.Intn(20))
		}
		for end := min(n, i+length); i < end; i++ {
			numbers[i] = v
		}
	}
	return numbers
}

// expandingPages returns n values in each encoding that expands: runs of all lengths, with numbers between them.
func expandingPages(t testing.TB, rng *rand.Rand, n int) map[string]expanding {
	t.Helper()
	numbers := runsOfNumbers(rng, n)
	element := func(typ format.Type) format.SchemaElement {
		return format.SchemaElement{Name: "x", Type: thrift.New(typ), RepetitionType: thrift.New(format.Required)}
	}
	must := func(b []byte, err error) []byte {
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	wide, bits, entries := make([]int64, n), make([]byte, n), make([]int64, 200)
	for i, v := range numbers {
		wide[i], bits[i] = int64(v)<<40-99, byte(v&1)
	}
	for i := range entries {
		entries[i] = int64(i) * 7
	}
	texts := slices.Repeat([]byte("0123456789"), 20)
	var cut []byte
	shared := make([]int32, n)
	rest := make([]int32, n)
	for i, v := range numbers {
		cut = append(cut, texts[:v]...)
		if rest[i] = v; i > 0 {
			shared[i] = min(v, numbers[i-1])
			rest[i] = v - shared[i]
		}
	}
	var suffixes []byte
	for i := range numbers {
		suffixes = append(suffixes, texts[shared[i]:numbers[i]]...)
	}
	text := func(i int) any { return string(texts[:numbers[i]]) }
	coded := must(parquet.RLEDictionary.EncodeInt32(nil, numbers))
	differences := must(parquet.DeltaBinaryPacked.EncodeInt64(nil, wide))
	prefixed := slices.Concat(deltaLengths(t, shared), deltaLengths(t, rest), suffixes)
	booleans := must((&rle.Encoding{BitWidth: 1}).EncodeLevels(nil, bits))
	page := func(e format.Encoding, body []byte) []craftedPage { return []craftedPage{dataV1(n, e, body)} }
	long := func(i int) any { return wide[i] }
	return map[string]expanding{
		"codes": {
			element(format.Int64), append([]craftedPage{dictionaryPage(200, int64s(entries...))},
				page(format.RLEDictionary, coded)...),
			func(i int) any { return entries[numbers[i]] },
		},
		"booleans": {
			element(format.Boolean), page(format.RLE, levelled(booleans, nil)),
			func(i int) any { return int64(bits[i]) },
		},
		"int32": {
			element(format.Int32), page(format.DeltaBinaryPacked, deltaLengths(t, numbers)),
			func(i int) any { return int64(numbers[i]) },
		},
		"int64": {element(format.Int64), page(format.DeltaBinaryPacked, differences), long},
		"lengths": {element(format.ByteArray), page(format.DeltaLengthByteArray, append(deltaLengths(t, numbers), cut...)),
			text},
		"prefixes": {element(format.ByteArray), page(format.DeltaByteArray, prefixed), text},
		"plain":    {element(format.Int64), page(format.Plain, int64s(wide...)), long},
	}
}

// Booleans in runs of any length are read as the format specifies; Arrow's library writes them.
func TestBooleansInRuns(t *testing.T) {
	body := levelled(append(runsOf(3, 1, 2, 0, 1000, 1), 3, 0b10110010), nil)
	x := format.SchemaElement{Name: "x", Type: thrift.New(format.Boolean), RepetitionType: thrift.New(format.Required)}
	file := onePage(1013, dataV1(1013, format.RLE, body)).of(x).file(t)
	if got := tally(t, write(t, "a.parquet", file)); got != (tallied{rows: 1013, sum: 3 + 1000 + 4}) {
		t.Errorf("got %+v", got)
	}
}
