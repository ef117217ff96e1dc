package source_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ulikunitz/xz"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
)

// loans is a table as an office exports it: decimal commas, days before months, two layouts, texts for nulls.
const loans = "Mitglied;Tag;Gebühr;Ort\r\n1;01/02/2024;1.234,50;Köln\r\n2;3.2.2024;12,5;\"Bonn; " +
	"Süd\"\r\n3;N/A;x;Köln\r\n"

var loansDialect = textfile.CSV{
	Header: true, Delimiter: ';', Decimal: ',', Thousands: '.', NullValues: []string{"N/A"},
	Types: map[string]string{"Mitglied": "int", "Tag": "date 2/1/2006 | 2.1.2006", "Gebühr": "float"},
}

var loansRows = [][]any{
	{int64(1), int64(19754), tabletest.Float(1234.5), "Köln"},
	{int64(2), int64(19756), tabletest.Float(12.5), "Bonn; Süd"},
	{int64(3), nil, nil, "Köln"},
}

func TestTextsAsTheyCome(t *testing.T) {
	encoded := func(text []byte, err error) []byte {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	latin := encoded(charmap.Windows1252.NewEncoder().Bytes([]byte(loans)))
	little := encoded(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes([]byte(loans)))
	big := encoded(unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewEncoder().Bytes([]byte(loans)))
	for name, c := range map[string]struct {
		file, encoding, format string
		text                   []byte
	}{
		"utf-8":             {"a.txt", "", "", []byte(loans)},
		"utf-8 with a mark": {"a.data", "utf-8", "", []byte("\ufeff" + loans)},
		"windows-1252":      {"a.csv", "windows-1252", "", latin},
		"latin-1":           {"a.csv", "latin-1", "", latin},
		"utf-16 by mark":    {"a.csv", "utf-16", "", little},
		"utf-16 big":        {"a.csv", "utf-16be", "", big},
		"said format":       {"a.export", "", "csv", []byte(loans)},
		"xz":                {"a.csv.xz", "windows-1252", "", xzText(t, latin)},
		"said format, xz":   {"a.export.xz", "", "csv", xzText(t, []byte(loans))},
	} {
		t.Run(name, func(t *testing.T) {
			d := loansDialect
			d.Encoding = c.encoding
			file := write(t, c.file, c.text)
			data := openWith(t, source.Options{Files: []string{file}, Format: c.format, CSV: d})
			if diff := cmp.Diff(loansRows, read(t, data, "Mitglied", "Tag", "Gebühr", "Ort")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func openWith(t testing.TB, o source.Options) *source.Dataset {
	t.Helper()
	d, err := source.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func xzText(t testing.TB, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := xz.NewWriter(&out)
	if err == nil {
		if _, err = w.Write(text); err == nil {
			err = w.Close()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// bzipped is "x;y\n1,5;2\n", compressed by bzip2 1.0.8.
var bzipped = []byte{
	0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0xa1, 0xab, 0xda, 0x1d, 0x00, 0x00, 0x04, 0x58, 0x80,
	0x00, 0x10, 0x00, 0x04, 0x32,
	0x08, 0x00, 0x60, 0x20, 0x00, 0x22, 0x03, 0xd0, 0x84, 0x30, 0x22, 0x07, 0x34, 0xe0, 0x78, 0xbb, 0x92, 0x29, 0xc2, 0x84,
	0x85, 0x0d, 0x5e, 0xd0, 0xe8,
}

func TestBzip2(t *testing.T) {
	d := openWith(t, source.Options{Files: []string{write(t, "a.csv.bz2", bzipped)},
		CSV: textfile.CSV{Header: true, Delimiter: ';', Decimal: ',', Types: map[string]string{"x": "float"}}})
	if diff := cmp.Diff([][]any{{tabletest.Float(1.5), "2"}}, read(t, d, "x", "y")); diff != "" {
		t.Error(diff)
	}
	for cut := range len(bzipped) {
		d, err := source.Open(context.Background(), source.Options{Files: []string{write(t, fmt.Sprint(cut, ".csv.bz2"),
			bzipped[:cut])}, CSV: textfile.CSV{Header: true}})
		if err == nil {
			_, err = d.Read(context.Background(), 0, nil, func(*table.Batch) error { return nil })
		}
		if err == nil {
			t.Errorf("cut at %d of %d: no error", cut, len(bzipped))
		}
	}
}

// A file in an encoding of one byte a character is split undecoded, in pieces. It gives the same rows as the same text
// in UTF-8, which is cut at other places.
func TestOneByteEncodingsInPieces(t *testing.T) {
	owntest.Slow(t)
	rng := rand.New(rand.NewPCG(1, 2))
	fields := []string{"Köln", "ä", "€", "\"a,ö\"", "\"a\nß\"", "", "\"\"", "plain", "Þ, x", "\"„quoted“ \"\"ü\"\"\""}
	var text strings.Builder
	text.WriteString("ä,b\n")
	for text.Len() < 5<<18 { // three pieces
		fmt.Fprintf(&text, "%s,%s\n", fields[rng.IntN(len(fields))], fields[rng.IntN(len(fields))])
	}
	latin, err := charmap.Windows1252.NewEncoder().Bytes([]byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	want := read(t, openWith(t, source.Options{Files: []string{write(t, "u.csv", []byte(text.String()))},
		CSV: textfile.CSV{Header: true}}), "ä", "b")
	got := read(t, openWith(t, source.Options{Files: []string{write(t, "w.csv", latin)},
		CSV: textfile.CSV{Header: true, Encoding: "windows-1252"}}), "ä", "b")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff[:min(len(diff), 2000)])
	}
}

func TestNumbersAsTheyAreWritten(t *testing.T) {
	for _, c := range []struct {
		decimal, thousands rune
		text               string
		want               any
	}{
		{',', 0, "1,5", 1.5}, {',', 0, "-0,25", -0.25}, {',', 0, "7", 7.0}, {',', 0, "1.5", nil}, {',', 0, "1,5,5",
			nil}, {',', 0, "1,5e2", 150.0},
		{',', '.', "1.234.567,8", 1234567.8}, {',', '.', "1234,5", 1234.5}, {',', '.', "12.34,5", nil}, {',', '.', ".5",
			nil}, {',', '.', "1.5", nil},
		{0, ',', "1,234.5", 1234.5}, {0, ',', "1,23", nil}, {0, ',', "1.5", 1.5}, {0, ',', "1,234,567", 1234567.0}, {0, ',',
			"-1,234", -1234.0},
		{',', ' ', "1 234,5", 1234.5}, {',', ' ', "1\u00a0234,5", 1234.5}, {',', ' ', "1\u202f234,5", 1234.5}, {0, '\'',
			"1'234.5", 1234.5},
	} {
		if x, ok := c.want.(float64); ok {
			c.want = tabletest.Float(x)
		}
		d := textfile.CSV{Header: true, Delimiter: ';', Decimal: c.decimal, Thousands: c.thousands,
			Types: map[string]string{"x": "float"}}
		if diff := cmp.Diff([][]any{{c.want}}, parse(t, d, "x;y\n"+c.text+";0\n", "x")); diff != "" {
			t.Errorf("%q with decimal %q and thousands %q: %s", c.text, c.decimal, c.thousands, diff)
		}
	}
	d := textfile.CSV{Header: true, Delimiter: ';', Thousands: '.', Decimal: ',', Types: map[string]string{"x": "int"}}
	if diff := cmp.Diff([][]any{{int64(1234)}, {nil}, {int64(-5)}},
		parse(t, d, "x;y\n1.234;0\n1,5;0\n-5;0\n", "x")); diff != "" {
		t.Error(diff)
	}
}

func TestQuotes(t *testing.T) {
	for name, c := range map[string]struct {
		quote rune
		text  string
		want  [][]any
	}{
		"apostrophes": {'\'', "x,y\n'a,''b''\nc',1\n\"d\",2\n", [][]any{{"a,'b'\nc", "1"}, {"\"d\"", "2"}}},
		"none": {textfile.NoQuote, "x,y\n\"a,b\n\"\",2\n\x00a\x00,3\n",
			[][]any{{"\"a", "b"}, {"\"\"", "2"}, {"\x00a\x00", "3"}}},
	} {
		if diff := cmp.Diff(c.want, parse(t, textfile.CSV{Header: true, Quote: c.quote}, c.text, "x", "y")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestTabsByTheName(t *testing.T) {
	text := []byte("x\ty\n1,5\t2\n")
	for _, name := range []string{"a.tsv", "a.tab", "A.TSV"} {
		d := openWith(t, source.Options{Files: []string{write(t, name, text)}, CSV: textfile.CSV{Header: true}})
		if diff := cmp.Diff([][]any{{"1,5", "2"}}, read(t, d, "x", "y")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	d := openWith(t, source.Options{Files: []string{write(t, "a.tsv", []byte("x;y\n1;2\n"))},
		CSV: textfile.CSV{Header: true, Delimiter: ';'}})
	if diff := cmp.Diff([][]any{{"1", "2"}}, read(t, d, "x", "y")); diff != "" {
		t.Error("a delimiter that the job names: ", diff)
	}
}

func TestJSONLines(t *testing.T) {
	text := "\ufeff{\"age\": 41, \"name\": \"Zoë\", \"at\": {\"city\": \"Köln\", \"zip\": null}, \"ok\": true}\n" +
		"\n{\"name\": 5, \"age\": \"42\", \"at\": {\"city\": [1]}, \"at.zip\": \"50667\"}\r\n  \n" +
		"not json\n[1]\nnull\n{\"age\": 1.5, \"fee\": 1e2, \"day\": \"3/2/2024\", \"ok\": \"no\"}"
	d := openWith(t, source.Options{Files: []string{write(t, "a.jsonl", []byte(text))},
		JSONL: textfile.JSONL{Columns: map[string]string{
			"age": "int", "name": "text", "at.city": "text", "at.zip": "text", "ok": "bool",
			"fee": "float", "day": "date 2/1/2006",
		}}})
	want := [][]any{
		{int64(41), "Zoë", "Köln", nil, int64(1), nil, nil},
		{int64(42), nil, nil, "50667", nil, nil, nil},
		{nil, nil, nil, nil, nil, nil, nil},
		{nil, nil, nil, nil, nil, nil, nil},
		{nil, nil, nil, nil, nil, nil, nil},
		{nil, nil, nil, nil, int64(0), tabletest.Float(100), int64(19756)},
	}
	if diff := cmp.Diff(want, read(t, d, "age", "name", "at.city", "at.zip", "ok", "fee", "day")); diff != "" {
		t.Error(diff)
	}
}

// A line of any length is in exactly one piece.
func TestJSONLinesInPieces(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var text strings.Builder
	var want [][]any
	for i := 0; text.Len() < 5<<20; i++ {
		fmt.Fprintf(&text, "{\"i\": %d, \"pad\": %q}\n", i, strings.Repeat("x", rng.IntN(1+rng.IntN(1<<rng.IntN(22)))))
		want = append(want, []any{int64(i)})
	}
	for _, end := range []string{"", "\n"} {
		d := openWith(t, source.Options{Files: []string{write(t, "a.ndjson",
			[]byte(strings.TrimSuffix(text.String(), "\n")+end))}, JSONL: textfile.JSONL{Columns: map[string]string{"i": "int"}}})
		if d.Splits() < 4 {
			t.Fatalf("%d pieces", d.Splits())
		}
		if diff := cmp.Diff(want, read(t, d, "i")); diff != "" {
			t.Error(diff[:min(len(diff), 2000)])
		}
	}
}

// A line that starts or ends at the border of two pieces, or one byte from it, is read once.
func TestJSONLinesAtTheBorderOfPieces(t *testing.T) {
	const border = 1 << 20
	const mark = "\xef\xbb\xbf"
	for shift := -4; shift <= 4; shift++ {
		for _, end := range []string{"\n", "\r\n"} {
			line := func(i, length int) string {
				head, tail := fmt.Sprintf("{\"i\": %d, \"pad\": \"", i), "\"}"+end
				return head + strings.Repeat("x", length-len(head)-len(tail)) + tail
			}
			text := mark[:3*(shift&1)] // a byte order mark belongs to the first piece
			text += line(1, border+shift-len(text)) + line(2, border) + line(3, 100) + line(4, 100)
			d := openWith(t, source.Options{Files: []string{write(t, "a.ndjson", []byte(text))},
				JSONL: textfile.JSONL{Columns: map[string]string{"i": "int"}}})
			want := [][]any{{int64(1)}, {int64(2)}, {int64(3)}, {int64(4)}}
			if diff := cmp.Diff(want, read(t, d, "i")); diff != "" || d.Splits() < 2 {
				t.Errorf("shifted by %d, lines end with %q, %d pieces: %s", shift, end, d.Splits(), diff)
			}
		}
	}
}

func TestFormatsThatAreNotRead(t *testing.T) {
	for name, hint := range map[string]string{"a.xlsx": "save the sheet as CSV", "a.odd": "input.format",
		"a.parquet.gz": "decompress"} {
		_, err := source.Open(context.Background(), source.Options{Files: []string{write(t, name, nil)}})
		if err == nil || !strings.Contains(err.Error(), hint) {
			t.Errorf("%s: %v, want %s", name, err, hint)
		}
	}
}

func TestFilesThatAreNoTexts(t *testing.T) {
	for start, want := range map[string]string{
		"PK\x03\x04": "Excel workbook", "PAR1\x15": "input.format: parquet", "ARROW1\x00\x00": "input.format: arrow",
		"\x1f\x8b\x08": ".gz", "\x28\xb5\x2f\xfd": ".zst",
		"\xfd7zXZ\x00": ".xz", "BZh91AY&SY": ".bz2", "a,b\r1,2\r1,2\r": "carriage return alone",
	} {
		_, err := source.Open(context.Background(), source.Options{Files: []string{write(t, "a.txt",
			[]byte(start+"\x00,x\n"))}, CSV: textfile.CSV{Header: true, Types: map[string]string{"b": "int"}}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", start, err, want)
		}
	}
	if diff := cmp.Diff([][]any{{"4"}}, parse(t, textfile.CSV{Header: true}, "PAR1,PAR2\n4,5\n", "PAR1")); diff != "" {
		t.Error("a column that is called PAR1: ", diff)
	}
	_, err := source.Open(context.Background(), source.Options{Files: []string{write(t, "a.txt",
		[]byte("a,b\r1,2\r1,2\r1,2"))}, CSV: textfile.CSV{Header: true}})
	if err == nil || !strings.Contains(err.Error(), "carriage return alone") {
		t.Errorf("old line ends: %v", err)
	}
}
