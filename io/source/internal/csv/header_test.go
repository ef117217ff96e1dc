package csv

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
)

// All pieces of a file treat the lines before the first row alike, wherever the file is cut and in whatever order its
// pieces are read: comments with quotes and line ends before the header, a byte order mark, and the kind of line end.
func TestCSVHeadsInPieces(t *testing.T) {
	owntest.Slow(t)
	path := filepath.Join(t.TempDir(), "a.csv")
	rows := "1,2,#\"a\n#,\"b\n#c\",3\n\n#\"x\",\"#\r\n\"\"\",y\r\n"
	comments := "# \"one\n#,\"two,\n\n#\"\"\"\n"
	for name, head := range map[string]string{
		"lf": "x,y,z\n", "crlf": "x,y,z\r\n", "comments": comments + "x,y,z\n", "mark": "\xef\xbb\xbf" + comments +
			"\"x\",y,z\r\n", "quoted": "x,\"y\n#\n\",z\n",
		"stated": "\xef\xbb\xbfsep=,\n" + comments + "x,y,z\r\n",
	} {
		z := []string{"=#\"a", "=3", "=y\r"}
		if strings.HasSuffix(head, "\r\n") {
			z[2] = "=y"
		}
		var want [][]string
		for range 5 {
			want = append(want, []string{"=1", z[0]}, []string{"=#", z[1]}, []string{"=#\"x\"", z[2]})
		}
		if err := os.WriteFile(path, []byte(head+strings.Repeat(rows, 5)), 0o600); err != nil {
			t.Fatal(err)
		}
		for length := range int64(90) {
			f := openText(t, path, textfile.CSV{Header: true, Comment: '#'})
			f.pieceSize = 1 + length
			turns := inOrder(f.Splits())
			if length%2 == 0 {
				slices.Reverse(turns)
			}
			if got := piecewise(t, f, turns, 1+int(length)%3); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s, in pieces of %d: got %q, want %q", name, 1+length, got, want)
			}
		}
	}
}

// A first line that states the delimiter must state the job's. Without a header it is a row, so that no row is skipped.
func TestCSVStatedDelimiter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte("sep=;\nx;z\n1;2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := NewDialect(textfile.CSV{Header: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	mac, err := scan.NewBlockMAC(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, e := Open(t.Context(), scan.Place{Path: path, MAC: mac}, d); e == nil ||
		!strings.Contains(e.Hint, `input.csv.delimiter: ";"`) {
		t.Errorf("error %v", e)
	}
	// The line may be a header of the names sep= and "", which the job replaces: the next line is then a row.
	if d, err = NewDialect(textfile.CSV{Header: true, Delimiter: ';', Columns: []string{"x", "z"}}, nil); err != nil {
		t.Fatal(err)
	}
	if _, e := Open(t.Context(), scan.Place{Path: path, MAC: mac}, d); e == nil || !strings.Contains(e.Hint, "sed 1d") {
		t.Errorf("error %v", e)
	}
	f := openText(t, path, textfile.CSV{Delimiter: ';', Columns: []string{"x", "z"}})
	want := [][]string{{"=sep=", "="}, {"=x", "=z"}, {"=1", "=2"}}
	if got := piecewise(t, f, []int{0}, 1); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func openText(t rapid.TB, path string, o textfile.CSV) *file {
	t.Helper()
	d, err := NewDialect(o, nil)
	if err != nil {
		t.Fatal(err)
	}
	mac, err := scan.NewBlockMAC(nil)
	if err != nil {
		t.Fatal(err)
	}
	f, e := Open(context.Background(), scan.Place{Path: path, MAC: mac}, d)
	if e != nil {
		t.Fatal(e)
	}
	return f.(*file)
}

// A header that changes between opening and reading is noticed, also if only its line end or a comment before it
// changes.
func TestCSVHeadChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	for _, texts := range [][2]string{{"x,z\n1,2\n\n", "x,z\r\n1,2\n"}, {"#\nx,z\n1,2\n", "x,z\n1,2\n#\n"},
		{"x,z\n1,2\n", "x,y\n1,2\n"}} {
		if err := os.WriteFile(path, []byte(texts[0]), 0o600); err != nil {
			t.Fatal(err)
		}
		f := openText(t, path, textfile.CSV{Header: true, Comment: '#'})
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(texts[1]), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Read(context.Background(), 0, []string{"x"}, 0, func(*table.Batch) error { return nil }); err == nil {
			t.Errorf("%q that became %q was read", texts[0], texts[1])
		}
	}
}
