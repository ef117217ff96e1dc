package source_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
)

// parse reads text as CSV.
func parse(t testing.TB, dialect textfile.CSV, text string, columns ...string) [][]any {
	t.Helper()
	return read(t, open(t, dialect, write(t, "a.csv", []byte(text))), columns...)
}

func TestDialects(t *testing.T) {
	x := func(values ...any) [][]any {
		var rows [][]any
		for _, v := range values {
			rows = append(rows, []any{v})
		}
		return rows
	}
	for name, c := range map[string]struct {
		dialect textfile.CSV
		text    string
		want    [][]any
	}{
		"plain":           {lines, "w,x\n1,2\n3,4\n", x("2", "4")},
		"no last newline": {lines, "w,x\n1,2\n3,4", x("2", "4")},
		"last is empty":   {lines, "w,x\n1,2\n3,", x("2", "")},
		"crlf":            {lines, "w,x\r\n1,2\r\n\r\n3,4\r", x("2", "4\r")},
		"byte order mark": {lines, "\xef\xbb\xbfx,w\n1,2\n", x("1")},
		"blank lines":     {lines, "\n\nw,x\n\n1,2\n\n\n3,4\n\n", x("2", "4")},
		"blanks are text": {lines, "x\n \n\t\n", x(" ", "\t")},
		"trimmed": {textfile.CSV{Header: true, TrimSpace: true}, " w , x \n 1\t,\t 2 2 \n  \n \"3\" , \" 4 \" \n",
			x("2 2", " 4 ")},
		"tabs": {textfile.CSV{Header: true, TrimSpace: true, Delimiter: '\t'}, "w\tx\n1\t 2\n\t3\n", x("2", "3")},
		"comments": {textfile.CSV{Header: true, Comment: '|', Quote: textfile.NoQuote}, "|a,\"b\nw,x\n1,2\n|3,4\n5,|6\n|",
			x("2", "|6")},
		"head comments": {textfile.CSV{Header: true, Comment: '|'}, "|a,\"b\n\n|\nw,x\n1,2\n|3,\"4\n\"\n5,|6\n|",
			x("2", "4\n", "|6", nil)},
		"unquoted, bare": {textfile.CSV{Columns: []string{"w", "x"}, Comment: '|', Quote: textfile.NoQuote},
			"|a,\"b\n1,2\n|3,4\n\"5,|6\n", x("2", "|6")},
		"crlf by header": {lines, "w,x\r\n1,a\r\r\n2,b\n3,\"c\r\"\r\n", x("a\r", "b", "c\r")},
		"lf by header":   {lines, "w,x\n1,a\r\n2,b\n3,\"c\r\"\n4,\"d\"\r\n5,e\r", x("a\r", "b", "c\r", "d", "e\r")},
		"crlf as said": {textfile.CSV{Columns: []string{"w", "x"}, LineEnd: "crlf"}, "1,a\r\n2,b\n3,\"c\r\"\r\n4,d\r\r\n",
			x("a", "b", "c\r", "d\r")},
		"lf as assumed":   {textfile.CSV{Columns: []string{"w", "x"}}, "1,a\r\n2,a\n3,\"a\r\"\n", x("a\r", "a", "a\r")},
		"one column, lf":  {textfile.CSV{Header: true}, "x\n\r\na\n\n", x("\r", "a")},
		"quotes":          {lines, "w,x\n1,\"a,\"\"b\"\"\nc\"\n2,\"\"\n3,\"\"\"\"\n", x("a,\"b\"\nc", "", "\"")},
		"quotes and crlf": {lines, "w,x\r\n1,\"a\r\nb\"\r\n2,\"c\"\r", x("a\r\nb", "c")},
		"odd quotes":      {lines, "w,x\n1,a\"b\"\n2,\"a\"b\n3,\"a\"\"b\n4,c\n", x("a\"b\"", "\"a\"b", "\"a\"\"b", "c")},
		"missing quote":   {lines, "w,x\n1,\"a,b\n2,c\n", x("\"a", "c")},
		"ragged":          {lines, "w,x,y\n1\n2,b\n3,c,d,e,f\n", x(nil, "b", "c")},
		"null values": {textfile.CSV{Header: true, NullValues: []string{"?", ""}}, "w,x\n1,?\n2,\n3,\"?\"\n4,??\n",
			x(nil, nil, nil, "??")},
		"named":     {textfile.CSV{Columns: []string{"w", "x"}}, "1,2\n3,4\n", x("2", "4")},
		"renamed":   {textfile.CSV{Header: true, Columns: []string{"x", "w"}}, "w,x\n1,2\n", x("1")},
		"no rows":   {lines, "w,x\n", nil},
		"no file":   {textfile.CSV{Columns: []string{"x"}}, "", nil},
		"semicolon": {textfile.CSV{Header: true, Delimiter: ';'}, "w;x\n1,5;2,5\n", x("2,5")},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, parse(t, c.dialect, c.text, "x")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTypedColumns(t *testing.T) {
	f := tabletest.Float
	for kind, c := range map[string]struct {
		text string
		want []any
	}{
		"int": {"1, -2 ,+3,,x,1.5,9223372036854775807,9223372036854775808,0x1,1_0",
			[]any{int64(1), int64(-2), int64(3), nil, nil, nil, int64(math.MaxInt64), nil, nil, nil}},
		"float": {"1,-2.5, 1e3 ,,x,inf,-Inf,1e999,nan",
			[]any{f(1), f(-2.5), f(1000), nil, nil, f(math.Inf(1)), f(math.Inf(-1)), f(math.Inf(1)), f(math.NaN())}},
		"bool": {"true,F,YES,n,1,0,,2", []any{int64(1), int64(0), int64(1), int64(0), int64(1), int64(0), nil,
			nil}},
		"date": {"1970-01-02,1969-12-31, 2013-01-01 ,2013-02-30,1.1.2013,",
			[]any{int64(1), int64(-1), int64(15706), nil, nil, nil}},
		"date 02/01/2006": {"02/01/1970,31/12/1969, 01/01/2013 ,1/1/2013,30/02/2013,2013-01-01,",
			[]any{int64(1), int64(-1), int64(15706), nil, nil, nil, nil}},
		"date 2/1/06 15:04":   {"2/1/70 00:00,31/12/69 23:59,31/12/69 00:00", []any{int64(1), int64(-1), int64(-1)}},
		"date January 2 2006": {"January 2 1970", []any{int64(1)}},
		"timestamp 2006-01-02 15:04:05": {"1970-01-01 00:00:01,1969-12-31 23:59:59.5,2013-01-01T00:00:00,",
			[]any{int64(1e6), int64(-5e5), nil, nil}},
		"timestamp 2006-01-02T15:04:05Z07:00": {"1970-01-01T01:00:00+01:00,1970-01-01T00:00:00Z", []any{int64(0), int64(0)}},
		"text":                                {" a,,b", []any{" a", "", "b"}},
	} {
		t.Run(kind, func(t *testing.T) {
			rows := parse(t, textfile.CSV{Header: true, Types: map[string]string{"x": kind}},
				"w,x\n,"+strings.ReplaceAll(c.text, ",", "\n,")+"\n", "x")
			got := slices.Concat(rows...)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Any text that a CSV writer writes is read unchanged.
func TestCSVKeepsAnyText(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		value := rapid.StringMatching("[a\"\n, é\t#-]{0,6}")
		rows := rapid.SliceOfN(rapid.SliceOfN(value, 2, 2), 0, 20).Draw(rt, "rows")
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		w.UseCRLF = rapid.Bool().Draw(rt, "crlf")
		if err := w.WriteAll(append([][]string{{"x", "y"}}, rows...)); err != nil {
			rt.Fatal(err)
		}
		got := parse(t, lines, b.String(), "x", "y")
		for i, r := range rows {
			for j := range r {
				want := r[j]
				if w.UseCRLF {
					want = strings.ReplaceAll(want, "\n", "\r\n")
				}
				if got[i][j] != want {
					rt.Fatalf("row %d: got %q, want %q", i, got[i], r)
				}
			}
		}
		if len(got) != len(rows) {
			rt.Fatalf("%d rows, want %d", len(got), len(rows))
		}
	})
}

// Long records and many rows cross the ends of the scanner's buffer and of batches.
func TestCSVLongAndMany(t *testing.T) {
	long := strings.Repeat("0123456789", 300_000) // 3 MB
	var b strings.Builder
	b.WriteString("x,y\n")
	for range 8 {
		b.WriteString(long + ",1\n")
	}
	b.WriteString(strings.Repeat("a,2\n", 150_000))
	rows := parse(t, lines, b.String(), "y", "x")
	if len(rows) != 150_008 || rows[7][1] != long || rows[8][1] != "a" || rows[150_007][0] != "2" {
		t.Errorf("%d rows", len(rows))
	}
}

// After one file, the same reader reads the next one, in which the columns may have another order.
func TestCSVFilesInAnyOrder(t *testing.T) {
	var paths []string
	for _, text := range []string{"a,b,c\n1,x,2\n", "a,b,c\n3,,4\n", "c,b,a\n6,y,5\n", "b,c,a\nz,8,7\n", "a,b,c\n9,x\n"} {
		paths = append(paths, write(t, "a.csv", []byte(text)))
	}
	d := open(t, textfile.CSV{Header: true, Types: map[string]string{"a": "int", "c": "int"}}, paths...)
	same(t, [][]any{{int64(2), "x", int64(1)}, {int64(4), "", int64(3)}, {int64(6), "y", int64(5)},
		{int64(8), "z", int64(7)}, {nil, "x", int64(9)}}, read(t, d, "c", "b", "a"))
	same(t, [][]any{{int64(1)}, {int64(3)}, {int64(5)}, {int64(7)}, {int64(9)}}, read(t, d, "a"))
}

// If the reader of a compressed file stops early, no read-ahead goroutine remains.
func TestCSVReadersAheadEnd(t *testing.T) {
	enough := errors.New("enough")
	content := append([]byte("x\n"), bytes.Repeat([]byte("abcdefg\n"), 1<<20)...)
	for name, content := range map[string][]byte{"a.csv.gz": gzipped(t, content), "a.csv.zst": zstandard(t, content)} {
		d := open(t, lines, write(t, name, content))
		before := runtime.NumGoroutine()
		for range 20 {
			if _, err := d.Read(t.Context(), 0, []string{"x"}, func(*table.Batch) error { return enough }); !errors.Is(err,
				enough) {
				t.Errorf("%s: got %v", name, err)
			}
		}
		if n := runtime.NumGoroutine(); n > before+10 {
			t.Errorf("%s: %d goroutines, %d before", name, n, before)
		}
	}
}

// A line without end is a row without values. It takes little memory, compressed or not.
func TestCSVBombs(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	bomb := append([]byte("x\n"), bytes.Repeat([]byte{'a'}, 200<<20)...)
	for name, content := range map[string][]byte{"a.csv.gz": gzipped(t, bomb), "a.csv.zst": zstandard(t, bomb)} {
		path := write(t, name, content)
		before := allocated()
		rows, err := readAll(open(t, lines, path), "x")
		if err != nil || len(rows) != 1 || rows[0][0] != nil {
			t.Errorf("%s: %d rows, %v", name, len(rows), err)
		}
		if used := allocated() - before; used > 150<<20 {
			t.Errorf("%s: %d MiB were allocated", name, used>>20)
		}
	}
	header := write(t, "a.csv", bytes.Repeat([]byte{'a'}, 20<<20))
	var e *fault.Error
	if _, err := openIn("", lines, header); !errors.As(err, &e) || e.Code != fault.CodeTooLarge {
		t.Errorf("a header of 20 MiB: %v", err)
	}
}

// A header may be longer than a piece of the file.
func TestCSVLongHeader(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	var names, row []string
	for i := range 60_000 {
		names, row = append(names, fmt.Sprintf("a column %d", i)), append(row, strconv.Itoa(i))
	}
	text := strings.Join(names, ",") + "\n" + strings.Repeat(strings.Join(row, ",")+"\n", 3)
	for _, ending := range []string{"\n", "\r\n"} {
		d := open(t, lines, write(t, "a.csv", []byte(strings.ReplaceAll(text, "\n", ending))))
		if got := read(t, d, "a column 0", "a column 59999"); len(got) != 3 || !slices.Equal(got[2], []any{"0", "59999"}) {
			t.Errorf("%q: %d rows", ending, len(got))
		}
	}
}

// A quote that is never closed does not swallow the table, however long it is.
func TestCSVUnclosedQuote(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	text := "x\n\"a\n" + strings.Repeat("0123456\n", 3<<20)
	rows := parse(t, lines, text, "x")
	if len(rows) != 3<<20+1 || rows[0][0] != "\"a" {
		t.Errorf("%d rows", len(rows))
	}
}
