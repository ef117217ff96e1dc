package source_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table/tabletest"
)

var repeatedColumn = format.SchemaElement{Name: "x", Type: thrift.New(format.Int64),
	RepetitionType: thrift.New(format.Repeated)}

// listPage returns a data page of lists: repetition and definition levels in runs, pairs of length and level.
func listPage(levels int, repeated, defined []uint64, values ...int64) craftedPage {
	var body []byte
	for _, runs := range [][]uint64{repeated, defined} {
		b := runsOf(runs...)
		body = append(binary.LittleEndian.AppendUint32(body, uint32(len(b))), b...)
	}
	return dataV1(levels, format.Plain, append(body, int64s(values...)...))
}

// listFile returns a file of lists, whose footer announces the given number of levels.
func listFile(rows, levels int64, pages ...craftedPage) crafted {
	return onePage(rows, pages...).of(repeatedColumn).with(column(func(c *format.ColumnMetaData) { c.NumValues = levels }))
}

// A list may continue in the next page, and in the page after that.
func TestListsOverPages(t *testing.T) {
	file := listFile(3, 6, listPage(2, []uint64{1, 0, 1, 1}, []uint64{2, 1}, 1, 2),
		listPage(1, []uint64{1, 1}, []uint64{1, 1}, 3),
		listPage(0, nil, nil), listPage(3, []uint64{1, 1, 2, 0}, []uint64{1, 1, 1, 0, 1, 1}, 4, 5))
	got := read(t, open(t, textfile.CSV{}, write(t, "a.parquet", file.file(t))), "x")
	same(t, ofX(tabletest.List(1, 2, 3, 4), tabletest.List(), tabletest.List(5)), got)
}

// A list longer than the limit is null, and the other rows are unchanged.
func TestListsThatAreTooLong(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("takes 300 MiB")
	}
	const long = 1<<25 + 3
	page := dataV1(long+2, format.RLEDictionary, nil)
	for _, runs := range [][]uint64{{2, 0, long - 1, 1, 1, 0}, {long + 2, 1}} {
		b := runsOf(runs...)
		page.body = append(binary.LittleEndian.AppendUint32(page.body, uint32(len(b))), b...)
	}
	page.body = append(page.body, codes(long+2, 0)...)
	rows := [][]any{}
	d := open(t, textfile.CSV{}, write(t, "a.parquet", listFile(3, long+2, dictionaryPage(1, int64s(5)), page).file(t)))
	batches(t, d, []string{"x"}, func(b batch) { rows = append(rows, tabletest.Rows(b)...) })
	same(t, [][]any{{tabletest.List(5)}, {nil}, {tabletest.List(5)}}, rows)
}

// Files with false statements about lists are refused.
func TestHostileLists(t *testing.T) {
	one := []uint64{1, 0}
	full := []uint64{1, 1}
	for name, c := range map[string]lie{
		"a list before the first": {listFile(1, 2, listPage(2, []uint64{2, 1}, []uint64{2, 1}, 1, 2)), fault.CodeDamaged},
		"an element that is absent": {listFile(1, 2, listPage(2, []uint64{1, 0, 1, 1}, []uint64{1, 1, 1, 0}, 1)),
			fault.CodeDamaged},
		"a repetition of 2": {listFile(1, 1, listPage(1, []uint64{1, 2}, full, 1)), fault.CodeDamaged},
		"a definition of 2": {listFile(1, 1, listPage(1, one, []uint64{1, 2}, 1)), fault.CodeDamaged},
		"levels without values": {listFile(1, 2, listPage(2, []uint64{1, 0, 1, 1}, []uint64{2, 1}, 1)),
			fault.CodeDamaged},
		"too few levels": {listFile(1, 1, listPage(1, one, nil, 1)), fault.CodeDamaged},
		"more rows":      {listFile(1, 2, listPage(2, []uint64{2, 0}, []uint64{2, 1}, 1, 2)), fault.CodeRowCount},
		"fewer rows":     {listFile(2, 2, listPage(1, one, full, 1)), fault.CodeRowCount},
		"more levels": {listFile(1, 1, listPage(2, []uint64{1, 0, 1, 1}, []uint64{2, 1}, 1, 2)),
			fault.CodeRowCount},
		"fewer levels than rows": {listFile(2, 1, listPage(2, []uint64{2, 0}, []uint64{2, 1}, 1, 2)), fault.CodeRowCount},
		"2^40 levels":            {listFile(1, 1<<40, listPage(1, one, full, 1)), fault.CodeRowCount},
		"a page of 2^26 levels": {listFile(1, 1<<26, listPage(1<<26, []uint64{1 << 26, 0}, []uint64{1 << 26, 1}, 1)),
			fault.CodeDamaged},
		"a long run": {listFile(1, 9, listPage(9, []uint64{1 << 40, 0}, []uint64{1 << 40, 1}, 1)),
			fault.CodeDamaged},
		"levels behind the page": {listFile(1, 1, dataV1(1, format.Plain, []byte{99, 0, 0, 0})), fault.CodeDamaged},
		"no body":                {listFile(1, 1, dataV1(1, format.Plain, nil)), fault.CodeDamaged},
		"codes without dictionary": {listFile(1, 1, dataV1(1, format.RLEDictionary, listPage(1, one, full, 1).body)),
			fault.CodeDamaged},
	} {
		path := write(t, "a.parquet", c.file.file(t))
		before := allocated()
		_, err := attemptColumns(path, "x")
		if code := verdict(t, name, err); code != c.code {
			t.Errorf("%s: got %v, want %s", name, err, c.code)
		}
		if used := allocated() - before; used > 24<<20 {
			t.Errorf("%s: %d MiB were allocated", name, used>>20)
		}
	}
}

// vectors is a row of lists in the forms that structs of parquet-go have.
type vectors struct {
	Annotated []float64  `parquet:"annotated,list"`
	Bare      []float32  `parquet:"bare"`
	Coded     []int64    `parquet:"coded,dict"`
	Present   []*float64 `parquet:"present,optional,list"`
}

// randomVectors returns some rows of lists, and the expected result of reading them.
func randomVectors(n int) (rows []vectors, want [][]any) {
	rng := rand.New(rand.NewSource(9))
	for range n {
		var v vectors
		all := [4][]float64{}
		for range rng.Intn(5) * rng.Intn(5) * rng.Intn(5) {
			x, i := rng.NormFloat64(), rng.Intn(9)
			v.Annotated, all[0] = append(v.Annotated, x), append(all[0], x)
			v.Bare, all[1] = append(v.Bare, float32(x)), append(all[1], float64(float32(x)))
			v.Coded, all[2] = append(v.Coded, int64(i)), append(all[2], float64(i))
			if p, y := &x, x; i > 2 {
				v.Present, all[3] = append(v.Present, p), append(all[3], y)
			}
		}
		row := make([]any, 4)
		for i, l := range all {
			row[i] = tabletest.List(l...)
		}
		if len(v.Present) == 0 {
			row[3] = nil
		}
		rows, want = append(rows, v), append(want, row)
	}
	return rows, want
}

// Lists have their elements, however they are divided into pages.
func TestLists(t *testing.T) {
	rows, want := randomVectors(3000)
	for version := 1; version <= 2; version++ {
		for _, page := range []int{200, 4 << 10, 1 << 20} {
			var b bytes.Buffer
			w := parquet.NewGenericWriter[vectors](&b, parquet.DataPageVersion(version), parquet.PageBufferSize(page),
				parquet.MaxRowsPerRowGroup(1100), parquet.Compression(&parquet.Zstd))
			if _, err := w.Write(rows); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			d := open(t, textfile.CSV{}, write(t, fmt.Sprintf("v%d-%d.parquet", version, page), b.Bytes()))
			same(t, want, read(t, d, "annotated", "bare", "coded", "present"))
		}
	}
}

// A long list is in one batch, and many rows are in several batches.
func TestLongLists(t *testing.T) {
	type row struct {
		X []float64 `parquet:"x"`
	}
	rows := []row{{make([]float64, 3<<20)}, {[]float64{1}}, {nil}}
	for range 70_000 {
		rows = append(rows, row{[]float64{math.Pi}})
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, parquet.Compression(&parquet.Zstd))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	at := 0
	batches(t, open(t, textfile.CSV{}, write(t, "a.parquet", b.Bytes())), []string{"x"}, func(b batch) {
		if err := sound(b, 1); err != nil {
			t.Fatal(err)
		}
		for i := range b.Rows {
			if got := len(b.Columns[0].List(i)); got != len(rows[at].X) {
				t.Fatalf("row %d has %d elements, want %d", at, got, len(rows[at].X))
			}
			at++
		}
	})
	if at != len(rows) {
		t.Errorf("%d rows, want %d", at, len(rows))
	}
}
