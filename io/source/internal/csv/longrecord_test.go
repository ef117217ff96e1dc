package csv

import (
	"bytes"
	"context"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
)

// If a record is longer than the scanner's limit, its fields that end before the limit are read and all others are
// null. It is one row, whatever its text holds, and the rows after it are unchanged.
func TestCSVLongRecords(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	longest := 2 << 20 // more than is read after a piece
	if os.Getenv("DPRELEASE_LONG") != "" {
		longest = maxRecord
	}
	long := strings.Repeat("0123456789", longest/10+1)
	rows := strings.Repeat("9,other,9\n", longest/10+1)
	// all others take the same path
	everyWay := map[string]bool{"rows within quotes": true, "quotes that do not close": true}
	others := slices.Repeat([][]string{{"=9", "=9"}}, longest/10)
	open := strings.Repeat("a", longest-len("1,\""))
	first := [][]string{{"=1", ""}, {"=2", "=c"}}
	for name, c := range map[string]struct {
		text string
		want [][]string
	}{
		"a field":                           {"1," + long + ",c\n2,b,c\n", first},
		"the first field":                   {long + "a,b,c\n2,b,c\n", [][]string{{"", ""}, {"=2", "=c"}}},
		"a field behind":                    {"1,b,c," + long + "\n2,b,c\n", [][]string{{"=1", "=c"}, {"=2", "=c"}}},
		"rows within quotes":                {"1,\"" + rows + "\",c\n2,b,c\n", first},
		"rows within quotes, behind":        {"1," + long + ",c,\"" + rows + "\",d\n2,b,c\n", first},
		"rows within quotes behind a quote": {"1," + long + "\",\"9,other,9\n9,other,9\"\n2,b,c\n", first},
		"doubled quotes":                    {"1,\"" + rows + "\"\"\n9,other,9\n\"\",\n\"\r\n2,b,c\n", first},
		"quotes behind which a field goes on": {"1,\"" + rows + "\" a\n9,other,9\",c\n2,b,c\n",
			slices.Concat([][]string{{"=1", "=other"}}, others, [][]string{{"= a\n9,other,9", ""}, {"=2", "=c"}})},
		"quotes that do not close": {"1,\"" + rows + "2,b,c\n",
			slices.Concat([][]string{{"=1", "=other"}}, others, [][]string{{"=2", "=c"}})},
		"a quote that closes at the very end": {"1,\"" + open + "\"\n2,b,c\n", first},
		"a quote that closes one byte before": {"1,\"" + open[1:] + "\"\n2,b,c\n", first},
		"a quote doubled at the very end":     {"1,\"" + open[1:] + "\"\"\n\",c\n2,b,c\n", first},
		"a return at the very end":            {"1,\"" + open[2:] + "\"\r\n2,b,c\n", first},
		"a comment": {"#" + strings.ReplaceAll(rows, "\n", ";") + "\n2,b,c\n",
			[][]string{{"=2", "=c"}}},
		"no end of line": {"1," + long + long, [][]string{{"=1", ""}}},
	} {
		path := filepath.Join(t.TempDir(), "a.csv")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		o := textfile.CSV{}
		if name == "a comment" {
			o = textfile.CSV{Comment: '#', Quote: textfile.NoQuote}
		}
		f := openPieces(t, path, o, pieceBytes)
		f.dialect.longest = longest
		ways := map[string][][]string{"a scanner": serially(t, []byte(c.text), o, longest)}
		if everyWay[name] {
			ways["pieces"], ways["a stream"] = piecewise(t, f, inOrder(f.Splits()), 3), streamed(t, f, []byte(c.text), 1000)
		}
		for what, got := range ways {
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s, %s: %d rows, %q, want %d, %q", name, what, len(got), got[:min(len(got), 3)], len(c.want),
					c.want[:min(len(c.want), 3)])
			}
		}
	}
}

// Each record that a CSV writer writes is one row, however long it is; the fields that end before the limit are read
// unchanged.
func TestCSVRecordsOfAnyLength(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f := openPieces(t, path, textfile.CSV{}, pieceBytes)
	rapid.Check(t, func(rt *rapid.T) {
		value := rapid.StringMatching("(\"|\n|,|[a9]| ){0,20}")
		records := rapid.SliceOfN(rapid.SliceOfN(value, 3, 3), 1, 10).Draw(rt, "records")
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		crlf := rapid.Bool().Draw(rt, "crlf")
		w.UseCRLF = crlf
		if err := w.WriteAll(records); err != nil {
			rt.Fatal(err)
		}
		longest := rapid.IntRange(1, 50).Draw(rt, "longest")
		f.dialect.longest = longest
		s := &scanner{
			splitter: splitter{d: f.dialect,
				ordinary: -1}, r: bytes.NewReader(b.Bytes()), reopen: reopenText(b.Bytes()), buf: make([]byte, rapid.IntRange(1,
				longest).Draw(rt, "buffer")),
			extent: extent{limit: math.MaxInt64},
		}
		var got [][]string
		if _, err := f.newRowReader(threeColumns).readStream(context.Background(), s, func(b *table.Batch) error {
			got = append(got, rowsOf(b)...)
			return nil
		}); err != nil {
			rt.Fatal(err)
		}
		if len(got) != len(records) {
			rt.Fatalf("%d rows, want %d: %q", len(got), len(records), b.String())
		}
		for i, r := range records {
			for j, field := range r {
				var one bytes.Buffer
				w := csv.NewWriter(&one)
				if err := w.Write(r[:j+1]); err != nil {
					rt.Fatal(err)
				}
				w.Flush()
				missing := got[i][j] == "" && one.Len()+2 > longest
				if !crlf && !missing && got[i][j] != "="+field {
					rt.Fatalf("record %d, field %d: %q, want %q, with %d bytes: %q", i, j, got[i][j], field, longest, b.String())
				}
			}
		}
	})
}
