package csv

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"testing"
	"testing/iotest"

	"github.com/dprelease/dprelease/io/source/textfile"
)

// records splits text with a buffer of the given initial size.
func records(t testing.TB, r io.Reader, d *Dialect, buffer int) [][]string {
	t.Helper()
	s := &scanner{
		splitter: splitter{d: d, ordinary: -1}, r: r, buf: make([]byte,
			buffer), extent: extent{limit: math.MaxInt64},
	}
	var out [][]string
	for {
		err := s.next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		var row []string
		for i := range s.fields {
			row = append(row, string(s.text(i)))
		}
		out = append(out, row)
	}
}

var fuzzDialects = []textfile.CSV{
	{}, {Quote: '\''}, {Quote: textfile.NoQuote, Delimiter: ';'}, {Delimiter: ';', TrimSpace: true}, {Delimiter: '\t',
		TrimSpace: true, Mark: true}, {Delimiter: ' ', Comment: '|', Quote: textfile.NoQuote},
	{TrimSpace: true, Comment: '#', Quote: textfile.NoQuote},
}

// FuzzCSV checks that any text can be split, with the same result for every size of the buffer and of the chunks.
func FuzzCSV(f *testing.F) {
	for i, text := range []string{
		"a,b\n1,2\n", "a;b\r\n\"1\";  \"2;\"\"\"  \r\n\r\n", "#c\n\ta\t\"b\nc\"\n", "\"", "a\"b,\"c\"d,\"e\n", "\"a\"\r",
		"\r", "|", " \t\n", "\"a\"\"", "a,\"",
	} {
		f.Add([]byte(text), uint8(i))
	}
	f.Fuzz(func(t *testing.T, text []byte, which uint8) {
		d, err := NewDialect(fuzzDialects[int(which)%len(fuzzDialects)], nil)
		if err != nil {
			t.Fatal(err)
		}
		want := records(t, bytes.NewReader(text), d, len(text)+1)
		for name, got := range map[string][][]string{
			"one byte at a time": records(t, iotest.OneByteReader(bytes.NewReader(text)), d, 1),
			"half reads":         records(t, iotest.HalfReader(bytes.NewReader(text)), d, 3),
			"data with the end":  records(t, iotest.DataErrReader(bytes.NewReader(text)), d, 7),
		} {
			if !reflect.DeepEqual(want, got) {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
	})
}
