package source_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
)

// longPages returns the path of a file of one row group in which each column is one page, and the names of its columns:
// numbers, and texts with a dictionary, in turns.
func longPages(t *testing.T, columns, rows int) (path string, names []string) {
	t.Helper()
	group := parquet.Group{}
	for i := range columns {
		names = append(names, fmt.Sprintf("c%03d", i))
		group[names[i]] = parquet.Leaf(parquet.DoubleType)
		if i%2 == 1 {
			group[names[i]] = parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
		}
	}
	var out bytes.Buffer
	w := parquet.NewWriter(&out, parquet.NewSchema("t", group), parquet.Compression(&parquet.Snappy),
		parquet.PageBufferSize(1<<30))
	r := rand.New(rand.NewPCG(1, 2))
	all := make([]parquet.Row, rows)
	for i := range all {
		row := make(parquet.Row, columns)
		for c := range row {
			row[c] = parquet.DoubleValue(r.Float64()).Level(0, 0, c)
			if c%2 == 1 {
				row[c] = parquet.ByteArrayValue(fmt.Appendf(nil, "%016d", i)).Level(0, 0, c)
			}
		}
		all[i] = row
	}
	if _, err := w.WriteRows(all); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return write(t, "a.parquet", out.Bytes()), names
}

// A reader keeps to its memory, however long the pages and dictionaries of all columns are together.
func TestPagesThatDoNotFitTogether(t *testing.T) {
	owntest.Slow(t)
	const columns, rows, limit = 64, 40_000, 8 << 20 // the pages of all columns have more than 64 x 40,000 x 8 bytes
	path, names := longPages(t, columns, rows)
	s := open(t, textfile.CSV{}, path).NewSplitReader(nil, nil)
	s.Memory = limit
	before, most, have, batch := liveBytes(), int64(0), 0, 0
	if _, err := s.Read(t.Context(), 0, names, func(b *table.Batch) error {
		if batch++; batch%4 == 1 {
			most = max(most, liveBytes()-before)
		}
		for i := range b.Rows {
			for c := 1; c < columns; c += 2 {
				col := &b.Columns[c]
				if got := string(col.Values.Bytes(col.Index(i))); got != fmt.Sprintf("%016d", have+i) {
					t.Fatalf("row %d of %s: %s", have+i, names[c], got)
				}
			}
		}
		have += b.Rows
		return nil
	}); err != nil || have != rows {
		t.Fatalf("%d rows, want %d: %v", have, rows, err)
	}
	// Besides, each column has a block of the file, and one column has a page and a dictionary.
	if most > limit+columns*(128<<10)+4<<20 {
		t.Errorf("%d MiB of %d MiB are held", most>>20, limit>>20)
	}
}

// longLists returns the path of a file of one row group in which each column of lists is one page, and the names of its
// columns: numbers, and numbers with a dictionary, in turns.
func longLists(t *testing.T, columns, rows int) (path string, names []string) {
	t.Helper()
	group := parquet.Group{}
	for i := range columns {
		names = append(names, fmt.Sprintf("c%03d", i))
		group[names[i]] = parquet.Repeated(parquet.Leaf(parquet.Int64Type))
		if i%2 == 1 {
			group[names[i]] = parquet.Repeated(parquet.Encoded(parquet.Leaf(parquet.Int64Type), &parquet.RLEDictionary))
		}
	}
	var out bytes.Buffer
	w := parquet.NewWriter(&out, parquet.NewSchema("t", group), parquet.PageBufferSize(1<<30))
	for i := range rows {
		var row parquet.Row
		for c := range columns {
			n := (i + c) % 4
			if n == 0 {
				row = append(row, parquet.NullValue().Level(0, 0, c))
			}
			for k := range n {
				row = append(row, parquet.Int64Value(int64(i+k)).Level(min(k, 1), 1, c))
			}
		}
		if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return write(t, "a.parquet", out.Bytes()), names
}

// A reader of lists keeps to its memory, and returns the same lists for any memory.
func TestListsOfPagesThatDoNotFitTogether(t *testing.T) {
	const columns, limit = 24, 2 << 20
	rows := 20_000 // the pages of all columns have 24 x 20,000 x 1.5 x 8 bytes
	if !owntest.Checking() {
		rows = 2000 // less than the limits below: only the lists are checked
	}
	path, names := longLists(t, columns, rows)
	d := open(t, textfile.CSV{}, path)
	for _, memory := range []int64{0, 1, limit} {
		s := d.NewSplitReader(nil, nil)
		s.Memory = memory
		before, most, have, batch := liveBytes(), int64(0), 0, 0
		if _, err := s.Read(t.Context(), 0, names, func(b *table.Batch) error {
			if batch++; batch%64 == 1 {
				most = max(most, liveBytes()-before)
			}
			for i := range b.Rows {
				for c := range columns {
					col := &b.Columns[c]
					got := col.Values.Floats[col.Lists[i]:col.Lists[i+1]]
					if len(got) != (have+i+c)%4 || len(got) > 0 && got[len(got)-1] != float64(have+i+len(got)-1) {
						t.Fatalf("%d bytes: row %d of %s: %v", memory, have+i, names[c], got)
					}
				}
			}
			have += b.Rows
			return nil
		}); err != nil || have != rows {
			t.Fatalf("%d bytes: %d rows, want %d: %v", memory, have, rows, err)
		}
		// Besides, each column has a block of the file, and one column has a page and a dictionary.
		if memory > 0 && most > memory+columns*(128<<10)+2<<20 {
			t.Errorf("%d KiB of %d KiB are held", most>>10, memory>>10)
		}
	}
}

func liveBytes() int64 {
	var m runtime.MemStats
	runtime.GC() // empties pools after two collections
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A page that is read again must be the page that was read before.
func TestPagesThatChangeBetweenWindows(t *testing.T) {
	values := make([]int64, 1000)
	for i := range values {
		values[i] = 7777777
	}
	c := onePage(int64(len(values)), dataV1(len(values), format.Plain, int64s(values...)))
	path := write(t, "a.parquet", c.file(t))
	s := open(t, textfile.CSV{}, path).NewSplitReader(nil, nil)
	s.Memory = 1
	rows := 0
	_, err := s.Read(t.Context(), 0, []string{"x"}, func(b *table.Batch) error {
		if rows += b.Rows; rows > b.Rows {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		seven, eight := string(int64s(7777777)), string(int64s(8888888))
		return os.WriteFile(path, []byte(strings.ReplaceAll(string(content), seven, eight)), 0o600)
	})
	var e *fault.Error
	if !errors.As(err, &e) || e.Code != fault.CodeChanged || rows == len(values) {
		t.Errorf("%d rows: %v", rows, err)
	}
}
