package csv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
)

// threeColumns are the names of the columns of the texts here; x and z are read.
var threeColumns = []string{"x", "y", "z"}

// openPieces opens a file of three columns that is read in pieces of the given length.
func openPieces(t rapid.TB, path string, c textfile.CSV, length int64) *file {
	t.Helper()
	c.Columns = threeColumns
	f := openText(t, path, c)
	f.pieceSize = length
	return f
}

// rowsOf returns the rows of a batch: "" for a null, otherwise "=" and the text.
func rowsOf(b *table.Batch) (rows [][]string) {
	for row := range b.Rows {
		texts := make([]string, len(b.Columns))
		for j := range texts {
			if c := &b.Columns[j]; !c.IsNull(row) {
				texts[j] = "=" + string(c.Values.Bytes(row))
			}
		}
		rows = append(rows, texts)
	}
	return rows
}

// reopenText opens a text a second time.
func reopenText(text []byte) openFrom {
	return func(at int64) (io.Reader, func(), error) { return bytes.NewReader(text[at:]), func() {}, nil }
}

// serially returns the rows that a single scanner finds in a text.
func serially(t rapid.TB, text []byte, c textfile.CSV, longest int) (rows [][]string) {
	t.Helper()
	d, err := NewDialect(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	d.longest = longest
	s, err := newScanner(bytes.NewReader(text), reopenText(text), d, true)
	for {
		if err == nil {
			err = s.next()
		}
		if errors.Is(err, io.EOF) {
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
		row := make([]string, 2)
		for i := range row {
			if at := 2 * i; at < len(s.fields) {
				row[i] = "=" + string(s.text(at))
			}
		}
		rows = append(rows, row)
	}
}

// piecewise returns the rows of a file that several workers read in pieces; turns is the order of the pieces.
func piecewise(t rapid.TB, f *file, turns []int, workers int) (rows [][]string) {
	t.Helper()
	pieces := make([][][]string, f.Splits())
	g, ctx := errgroup.WithContext(context.Background())
	var next atomic.Int64
	for range workers {
		g.Go(func() error {
			for {
				turn := int(next.Add(1)) - 1
				if turn >= len(turns) {
					return nil
				}
				i := turns[turn]
				sum, err := f.Read(ctx, i, []string{"x", "z"}, 0, func(b *table.Batch) error {
					pieces[i] = append(pieces[i], rowsOf(b)...)
					return nil
				})
				if err != nil {
					return err
				}
				if again, err := f.Digest(ctx, i, nil); err != nil || !reflect.DeepEqual(sum.Digest, again) {
					return fmt.Errorf("piece %d: digest %x, %w; read said %x", i, again, err, sum.Digest)
				}
			}
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	return slices.Concat(pieces...)
}

// streamed returns the rows that a scanner reads from a stream; its buffer has the given size at first.
func streamed(t rapid.TB, f *file, text []byte, buffer int) (rows [][]string) {
	t.Helper()
	ahead := scan.NewAheadReader(iotest.HalfReader(bytes.NewReader(text)))
	defer ahead.Stop()
	s := &scanner{splitter: splitter{d: f.dialect, ordinary: -1, keepCR: f.keepCR}, r: ahead, reopen: reopenText(text),
		buf: make([]byte, buffer), extent: extent{limit: math.MaxInt64}}
	if _, err := f.pieceReader([]string{"x", "z"}).readStream(context.Background(), s, func(b *table.Batch) error {
		rows = append(rows, rowsOf(b)...)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return rows
}

// inOrder returns the numbers below n.
func inOrder(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// A file that is cut anywhere, also within quotes, gives the records that one scanner finds, for any order of its
// pieces and any number of workers.
func TestCSVPiecesAgree(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	field := "([abc]{0,9}|\"([ab,\n#]|\"\"){0,9}\"|'([ab,\n;]|''){0,9}'|[,\n\r\"#; '])"
	quoted := "(\"\"|\"[,\n]{1,3}\"|\"a\"|\"\n\"\"\"|b)" // seen from inside its quotes, most of it is quoted too
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringMatching("(\xef\xbb\xbf)?("+field+"{0,40}|("+field+"[,;\t]"+field+"\r?\n){0,20}|("+quoted+"[,\n]){0,30})").Draw(rt, "text")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			rt.Fatal(err)
		}
		c := rapid.SampledFrom(fuzzDialects).Draw(rt, "dialect")
		f := openPieces(rt, path, c, rapid.Int64Range(1, 60).Draw(rt, "length"))
		turns := inOrder(f.Splits())
		if rapid.Bool().Draw(rt, "out of order") {
			turns = rapid.Permutation(turns).Draw(rt, "turns")
		}
		workers := rapid.IntRange(1, 4).Draw(rt, "workers")
		if got, want := piecewise(rt, f, turns, workers), serially(rt, []byte(text), c, maxRecord); !reflect.DeepEqual(got, want) {
			rt.Fatalf("%q: got %q, want %q", text, got, want)
		}
		text = strings.TrimPrefix(text, "\xef\xbb\xbf")
		buffer := rapid.IntRange(1, 100).Draw(rt, "buffer")
		if got, want := streamed(rt, f, []byte(text), buffer), serially(rt, []byte(text), c, maxRecord); !reflect.DeepEqual(got, want) {
			rt.Fatalf("%q as a stream: got %q, want %q", text, got, want)
		}
	})
}

// If the guess of a record's start is wrong, and so is everything parsed from it, the piece's own records are still
// read.
func TestCSVWrongGuesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	for _, row := range []string{"\"\n\",\",\"\n", "\"\n\",\",\",\",\"\n", "\"\",\"\n\n\",\",\n\"\n1,2,3\n"} {
		text := strings.Repeat(row, 30)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		want := serially(t, []byte(text), textfile.CSV{}, maxRecord)
		for length := range int64(60) {
			f := openPieces(t, path, textfile.CSV{}, 1+length)
			turns := inOrder(f.Splits())
			slices.Reverse(turns)
			if got := piecewise(t, f, turns, 1); !reflect.DeepEqual(got, want) {
				t.Errorf("%q in pieces of %d: got %q, want %q", row, 1+length, got, want)
			}
		}
	}
}

// FuzzCSVPieces checks that any text gives the same records in pieces as in one scan.
func FuzzCSVPieces(f *testing.F) {
	for i, text := range []string{
		"a,b\n1,2\n", "a;b\r\n\"1\";  \"2;\"\"\"  \r\n\r\n", "#c\n\ta\t\"b\nc\"\n", "\"a\nb\nc\",\"\n\",\"\n\"\n\"\",\"\n\"\n", "a\"b,\"c\"d,\"e\n",
		"\xef\xbb\xbf\"a\"\r", "1,\"a\"\"\n\"\"b\",2\r\n3,\"c\"\r\n", "\n\n\n1\n\n2", "\"a\n1\n2\n3\n", "|\"\n|\"\na b \"\n\" c\n",
	} {
		f.Add([]byte(text), uint8(i), uint8(3*i), uint8(i))
	}
	path := filepath.Join(f.TempDir(), "a.csv")
	f.Fuzz(func(t *testing.T, text []byte, which, length, workers uint8) {
		if len(text) > 1<<12 {
			return
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		c := fuzzDialects[int(which)%len(fuzzDialects)]
		file := openPieces(t, path, c, 1+int64(length))
		turns := inOrder(file.Splits())
		if workers&4 != 0 {
			slices.Reverse(turns)
		}
		if got, want := piecewise(t, file, turns, 1+int(workers)%4), serially(t, text, c, maxRecord); !reflect.DeepEqual(got, want) {
			t.Errorf("%q in pieces of %d: got %q, want %q", text, file.pieceSize, got, want)
		}
	})
}

// A record may be longer than a piece, and than the bytes read after a piece. A piece may have more rows than a batch.
func TestCSVLongPieces(t *testing.T) {
	owntest.Slow(t)
	long := strings.Repeat("0123456789,\n", 200_000) // 2.4 MB
	var b strings.Builder
	for i := range 6 {
		fmt.Fprintf(&b, "%d,\"%s\",b\n%s", i, long, strings.Repeat("\"a\"\n", 20_000*i))
	}
	b.WriteString(strings.Repeat("1\n", 1<<18) + "\"" + strings.Repeat("2\n", 1<<18))
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	want := serially(t, []byte(b.String()), textfile.CSV{}, maxRecord)
	for _, workers := range []int{1, 3} {
		f := openPieces(t, path, textfile.CSV{}, pieceBytes)
		if got := piecewise(t, f, inOrder(f.Splits()), workers); !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers: %d rows, want %d", workers, len(got), len(want))
		}
	}
}

// A reader that fails or stops early does not leave later readers waiting.
func TestCSVCutsAreLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte(strings.Repeat("a,b,c\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	f := openPieces(t, path, textfile.CSV{}, 100)
	rows := func(ctx context.Context, i int) (rows int, err error) {
		_, err = f.Read(ctx, i, []string{"x"}, 0, func(b *table.Batch) error {
			rows += b.Rows
			return nil
		})
		return rows, err
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := rows(stopped, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped reader said %v", err)
	}
	leave := f.starts.markTaken(2)
	if _, err := rows(stopped, 5); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped reader that waits said %v", err)
	}
	done := make(chan error, 1)
	go func() {
		n, err := rows(context.Background(), 5)
		if n != 16 && n != 17 {
			err = errors.Join(err, fmt.Errorf("%d rows", n))
		}
		done <- err
	}()
	leave()
	if err := <-done; err != nil {
		t.Error(err)
	}
	// Another Read may run inside yield.
	if _, err := f.Read(context.Background(), 7, []string{"x"}, 0, func(*table.Batch) error {
		_, err := rows(context.Background(), 9)
		return err
	}); err != nil {
		t.Error(err)
	}
}
