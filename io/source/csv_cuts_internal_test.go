package source

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/io/table"
)

// piecewise returns the rows of a file read in pieces of a length, the last pieces first if backwards.
func piecewise(t rapid.TB, path string, c CSV, length int64, backwards bool) (rows [][]string) {
	t.Helper()
	d, err := newDialect(c)
	if err != nil {
		t.Fatal(err)
	}
	mac, err := newBlockMAC(nil)
	if err != nil {
		t.Fatal(err)
	}
	f, e := openCSV(found{path: path, base: "a.csv", format: formatCSV}, d, mac)
	if e != nil {
		t.Fatal(e)
	}
	f.(*csvFile).pieceSize = length
	pieces := make([][][]string, f.splits())
	for i := range pieces {
		if backwards {
			i = len(pieces) - 1 - i
		}
		sum, err := f.read(context.Background(), i, []string{"x", "y"}, func(b *table.Batch) error {
			for row := range b.Rows {
				texts := make([]string, 2)
				for j := range texts {
					if c := &b.Columns[j]; !c.IsNull(row) {
						texts[j] = "=" + string(c.Values.Bytes(row))
					}
				}
				pieces[i] = append(pieces[i], texts)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if again, err := f.digest(context.Background(), i, nil); err != nil || !reflect.DeepEqual(sum, again) {
			t.Fatalf("piece %d: digest %x, %v; read said %x", i, again, err, sum)
		}
	}
	for _, p := range pieces {
		rows = append(rows, p...)
	}
	return rows
}

// A file has the same records wherever it is cut, also within quotes, and in whatever order its pieces are read.
func TestCSVPiecesAgree(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringMatching("(\xef\xbb\xbf)?([abc]{0,3}|\"[ab,\n]{0,3}\"|[,\n\r\"#; ]){0,40}").Draw(rt, "text")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			rt.Fatal(err)
		}
		c := rapid.SampledFrom(fuzzDialects).Draw(rt, "dialect")
		c.Columns = []string{"x", "y", "z"}
		want := piecewise(rt, path, c, 1<<20, false)
		length := rapid.Int64Range(1, 30).Draw(rt, "length")
		if got := piecewise(rt, path, c, length, rapid.Bool().Draw(rt, "backwards")); !reflect.DeepEqual(got, want) {
			rt.Fatalf("%q in pieces of %d: got %q, want %q", text, length, got, want)
		}
	})
}
