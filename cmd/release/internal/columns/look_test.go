package columns_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/dprelease/dprelease/cmd/release/internal/columns"
)

// library is a table as a library's program exports it.
func library(delimiter string) string {
	var b strings.Builder
	row := func(fields ...string) { b.WriteString(strings.Join(fields, delimiter) + "\r\n") }
	row("Card", "Branch", "Day", "Fee", "Age", "Code")
	for i := range 400 {
		fee := fmt.Sprintf("%d,%02d", i%20, 5*(i%20))
		if i%7 == 0 {
			fee = "N/A"
		}
		row(fmt.Sprintf("M%04d", i), []string{"Café Süd", "North"}[i%2], fmt.Sprintf("%02d/%02d/2024", 1+i%28, 1+i%12), fee,
			fmt.Sprint(5+i%80), fmt.Sprintf("%05d", 13*i))
	}
	return b.String()
}

func TestALibraryTableInEveryEncoding(t *testing.T) {
	for name, encode := range map[string]func(string) ([]byte, error){
		"utf-8":        func(s string) ([]byte, error) { return []byte(s), nil },
		"windows-1252": func(s string) ([]byte, error) { return charmap.Windows1252.NewEncoder().Bytes([]byte(s)) },
		"utf-16le": func(s string) ([]byte, error) {
			return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes([]byte(s))
		},
		"utf-16be": func(s string) ([]byte, error) {
			return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewEncoder().Bytes([]byte(s))
		},
	} {
		for _, delimiter := range []string{"\t", ";", "|"} {
			text, err := encode(library(delimiter))
			if err != nil {
				t.Fatal(err)
			}
			look, err := columns.Reader(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			x := look.Text
			got := fmt.Sprint(x.Encoding, " ", string(x.Delimiter), x.Header, x.LineEnds, string(x.Decimal), x.NullValues,
				x.Ragged)
			if want := fmt.Sprint(name, " ", delimiter, "trueCRLF,[N/A] 0"); got != want {
				t.Errorf("%s, delimiter %q: %s, want %s", name, delimiter, got, want)
			}
			var types []string
			for _, c := range x.Columns {
				types = append(types, c.Name+" "+c.Type)
			}
			want := []string{"Card text", "Branch text", "Day date 2/1/2006", "Fee float", "Age int", "Code text"}
			if diff := cmp.Diff(want, types); diff != "" {
				t.Errorf("%s, delimiter %q: %s", name, delimiter, diff)
			}
		}
	}
}

func TestTypesAsTheyAreSeen(t *testing.T) {
	for _, c := range []struct{ want, cells string }{
		{"int", "1 -2 300"}, {"float", "1.5 2 -0.25 1e3"}, {"text", "01 02 13"}, {"bool", "yes no yes"}, {"bool",
			"true FALSE"},
		{"date", "2024-01-31 2024-02-29"}, {"date 2/1/2006", "31/01/2024 1/2/2024"}, {"date 1/2/2006",
			"01/31/2024 2/1/2024"}, {"date 2.1.2006", "31.1.2024"},
		{"date 2006-01-02 | 2/1/2006", "2024-01-31 2024-01-30 31/12/2024"},
		{"timestamp 2006-01-02T15:04:05Z07:00", "2024-01-31T10:00:00Z 2024-01-31T10:00:00+01:00"},
		{"timestamp 2006-01-02T15:04:05Z0700", "2024-01-31T10:00:00.000000+0100 2024-07-31T10:00:00.000000+0200"},
		{"date 2Jan2006", "31JAN2024 01feb2024"}, {"timestamp 2Jan2006:15:04:05", "31JAN2024:10:00:00 01FEB2024:23:59:59"},
		{"text", "a b c"}, {"text", "1 two three four"}, {"text", "? NA"},
	} {
		text := "pad,x\n0," + strings.ReplaceAll(c.cells, " ", "\n0,") + "\n"
		look, err := columns.Reader(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := look.Text.Columns[1].Type; got != c.want {
			t.Errorf("%s: %s, want %s", c.cells, got, c.want)
		}
	}
	look, err := columns.Reader(strings.NewReader("pad,x\n0,01/02/2024\n0,03/04/2024\n"))
	if err != nil || len(look.Text.Columns[1].Doubts) == 0 {
		t.Errorf("nothing says that the order of day and month is open: %v", err)
	}
}

func TestAFileWithoutHeader(t *testing.T) {
	look, err := columns.Reader(strings.NewReader("39, State-gov, 77516\n50, Private, 83311\n38, ?, 215646\n"))
	if err != nil {
		t.Fatal(err)
	}
	x := look.Text
	if x.Header || !x.TrimSpace || x.Columns[0].Name != "column_1" || x.Columns[0].Type != "int" ||
		len(x.NullValues) != 1 {
		t.Errorf("%+v", x)
	}
}

// The index of pandas and the row names of R have no name in the header, nor has what follows the last delimiter.
func TestAColumnWithoutName(t *testing.T) {
	for text, want := range map[string]bool{
		",who,fee\n0,Ann,1.5\n1,Ben,2.5\n":                         true,
		"\"\",\"who\",\"fee\"\n\"1\",\"Ann\",1\n\"2\",\"Ben\",2\n": true,
		"who;fee;\nAnn;1,5;\nBen;2,5;\n":                           true,
		",Ann,film\n7,Ben,book\n7,Cleo,game\n":                     false,
		",Ann,film\n7,Ben,book\n,Cleo,game\n":                      false,
		",Ann,\n0,Ben,book\n1,Cleo,game\n":                         false,
	} {
		look, err := columns.Reader(strings.NewReader(text))
		if err != nil || look.Text.Header != want {
			t.Errorf("%q: a header: %v, %v", text, !want, err)
		}
	}
}

// A header that has a name twice, or a nameless column of values, is one if numbers stand below a name. Texts alone may
// be rows.
func TestAHeaderWithANameTwice(t *testing.T) {
	for text, want := range map[string][]string{
		"id,fee,fee,,\n1,2,3,x,y\n2,3,4,x,z\n": {"id", "fee", "fee_2", "", "column_5"},
		"id,a,a,a_2\n1,x,y,z\n2,v,w,z\n":       {"id", "a", "a_3", "a_2"},
		"id,,fee\n1,x,2\n2,x,3\n":              {"id", "", "fee"},
		"Ann,film,film\nBen,book,game\n":       {"column_1", "column_2", "column_3"},
	} {
		look, err := columns.Reader(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range look.Text.Columns {
			names = append(names, c.Name)
		}
		if !slices.Equal(names, want) {
			t.Errorf("%q: %q, want %q", text, names, want)
		}
		if twice := names[0] == "id" && len(names) > 3; look.Text.Renamed != twice {
			t.Errorf("%q: renamed: %v", text, !twice)
		}
	}
}

func TestApostrophesAsQuotes(t *testing.T) {
	look, err := columns.Reader(strings.NewReader("id,name\n1,'Smith, J'\n2,'Jones'\n3,'Lee, K'\n"))
	if err != nil || look.Text.Quote != '\'' || len(look.Text.Columns) != 2 || look.Text.Columns[0].Type != "int" {
		t.Errorf("%+v, %v", look.Text, err)
	}
	look, err = columns.Reader(strings.NewReader("id,name\n1,O'Neil\n2,d'Arc\n"))
	if err != nil || look.Text.Quote != '"' {
		t.Errorf("%+v, %v", look.Text, err)
	}
}

func TestFormatsByTheirBytes(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(library(","))); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text                []byte
		format, compression string
	}{
		{[]byte("PAR1\x15\x04"), "parquet", ""}, {[]byte("PAR1,PAR2\n4,5\n"), "csv", ""}, {[]byte("ARROW1\x00\x00"), "arrow",
			""}, {[]byte("PK\x03\x04x"), "zip", ""}, {[]byte("SQLite format 3\x00x"), "sqlite", ""}, {[]byte("FEA1\x00\x00"), "arrow", ""},
		{[]byte("PK\x03\x04" + strings.Repeat("\x00", 26) + "xl/workbook.xml"), "xlsx", ""},
		{[]byte("PK\x03\x04" + strings.Repeat("\x00", 26) + "mimetypeapplication/vnd.oasis.opendocument.spreadsheet"), "xlsx", ""},
		{[]byte("PK\x03\x04" + strings.Repeat("\x00", 26) + "visits.csv"), "zip", ""},
		{[]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00"), "xlsx", ""}, {[]byte("\ufeff [\n {\"a\": 1}]\n"), "json", ""},
		{[]byte("[a],b\n1,2\n"), "csv", ""},
		{[]byte("{\"a\": 1}\n{\"a\": null}\n"), "jsonl", ""}, {packed.Bytes(), "csv",
			"gzip"}, {[]byte("\x00\x01\x02\x00\x00\x05"), "", ""},
	} {
		look, err := columns.Reader(bytes.NewReader(c.text))
		if err != nil || string(look.Format) != c.format || look.Compression != c.compression {
			t.Errorf("%q: %+v, %v", c.text[:6], look, err)
		}
	}
	for name, text := range map[string][]byte{"empty": nil, "cut": packed.Bytes()[:5]} {
		if _, err := columns.Reader(bytes.NewReader(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// counted counts the bytes that are read.
type counted struct {
	r io.Reader
	n int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

// A look reads no more than documented, and holds no cell.
func TestALookReadsTheFirstBytesAlone(t *testing.T) {
	const canary = "CANARY-7331"
	text := "id,name\n" + strings.Repeat("1,"+canary+"\n", 100_000)
	in := &counted{r: strings.NewReader(text)}
	look, err := columns.Reader(in)
	if err != nil {
		t.Fatal(err)
	}
	if in.n > columns.MostBytes {
		t.Errorf("%d bytes were read, more than %d", in.n, columns.MostBytes)
	}
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	table, err := columns.OpenTable(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	if shown := fmt.Sprintf("%v %v %+v", table.Names, table.Types, look.Text.NullValues); strings.Contains(shown, canary) {
		t.Errorf("a cell is shown: %s", shown)
	}
}

// For any bytes, a look ends with a description or an error, and the reader of tables opens or refuses the described
// file.
func FuzzLook(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "a;b\r\n1,5;2\r\n", "{\"a\": [1, {}]}\n", "\"a\nb\",\"c\n",
		"\xff\xfea\x00,\x00", "\r\r\r", "\x1f\x8b", "BZh9", "a\tb\n\n\n"} {
		f.Add([]byte(s))
	}
	path := filepath.Join(f.TempDir(), "a.odd")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		table, err := columns.OpenTable(context.Background(), path)
		if err == nil && table.Text != nil {
			_, _ = table.ReadValues(context.Background(), 3) // names may be there twice: an error, and no panic
		}
	})
}

// The proposals for files with tabs and for JSON lines read the file as its writer wrote it.
// Spaces between groups of three digits can be no-break spaces. They leave the decimal sign visible.
func TestGroupsOfDigits(t *testing.T) {
	for _, c := range []struct {
		cell               string
		decimal, thousands rune
	}{
		{"1.234,50", ',', '.'}, {"1,234.50", '.', ','}, {"1'234.50", '.', '\''}, {"1 234,50", ',', ' '}, {"1 234.50", '.', ' '},
		{"1\u00a0234,50", ',', ' '}, {"1\u202f234,50", ',', ' '}, {"1\u202f234", '.', ' '},
	} {
		look, err := columns.Reader(strings.NewReader("pad;x\n0;" + c.cell + "\n0;" + c.cell + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		x := look.Text
		if x.Columns[1].Type != "float" || x.Decimal != c.decimal || x.Thousands != c.thousands {
			t.Errorf("%q: %s, decimal sign %q, thousands %q", c.cell, x.Columns[1].Type, x.Decimal, x.Thousands)
		}
	}
}

func TestProposalsReadTheFile(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string
		quote      rune
		want       []string // the first values of the column "text"
	}{
		"tabs": {"a.tsv", "id\ttext\n1\ta\n2\tb\n", 0, []string{"a", "b"}},
		"tabs and inches": {"a.tsv", "id\ttext\n1\t\"open\n2\t5\" wide\n3\tclose\"\n4\tb\n", 0,
			[]string{`"open`, `5" wide`, `b`, `close"`}},
		"an open quote":           {"a.tsv", "text\tid\n\"a\t1\nb\t2\n", 0, []string{`"a`, "b"}},
		"quotes that would match": {"a.tab", "text\tid\n\"a\t1\nb\t\"2\nc\t3\nd\t4\"\n", 0, []string{`"a`, "b", "c", "d"}},
		"quoted tabs":             {"a.tsv", "id\ttext\n1\t\"a\tb\"\n2\t\"say \"\"b\"\"\"\n3\tc\n", '"', []string{"a\tb", "c", `say "b"`}},
		"quoted lines":            {"a.txt", "id\ttext\n1\t\"a\nb\"\n2\tc\n", '"', []string{"a\nb", "c"}},
		"all quoted":              {"a.tsv", "\"id\"\t\"text\"\n\"1\"\t\"a\"\n\"2\"\t\"b\"\n", '"', []string{"a", "b"}},
		"apostrophes":             {"a.tsv", "id\ttext\n1\t'a\tb'\n2\t'c'\n", '\'', []string{"a\tb", "c"}},
		"inches":                  {"a.csv", "id,text\n1,5\" wide\n2,b\n", 0, []string{`5" wide`, "b"}},
		"quotes that swallow":     {"a.csv", "text;id\n\"a;1\nb;2\nc;3\"\n", 0, []string{`"a`, "b", "c"}},
		"quoted commas":           {"a.csv", "id,text\n1,\"a,b\"\n2,c\n", '"', []string{"a,b", "c"}},
		"a stated delimiter":      {"a.csv", "sep=;\r\nid;text\r\n1;a,b\r\n2;c,d\r\n", '"', []string{"a,b", "c,d"}},
		"a stated mark":           {"a.csv", "\ufeffsep=,\nid,text\n1,a\n2,b\n", '"', []string{"a", "b"}},
		"a stated tab":            {"a.tsv", "sep=\t\nid\ttext\n1\ta\n2\tb\n", 0, []string{"a", "b"}},
		"spaces":                  {"a.txt", "\"id\" \"text\"\n1 \"a b\"\n2 \"c\"\n", '"', []string{"a b", "c"}},
		"letters":                 {"a.jsonl", "{\"text\": \"a\"}\n{\"text\": 5}\n{\"text\": \"b\"}\n", 0, []string{"a", "b"}},
	} {
		path := filepath.Join(t.TempDir(), c.file)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		table, err := columns.OpenTable(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if table.Text.Quote != c.quote {
			t.Errorf("%s: quoted by %q, want %q", name, table.Text.Quote, c.quote)
		}
		seen, err := table.ReadValues(t.Context(), 10)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, v := range seen[slices.Index(table.Names, "text")].Values {
			got = append(got, v.Text)
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Properties of a file that a job cannot state have a note that tells what to do. A column of words is not split.
func TestNotes(t *testing.T) {
	for text, want := range map[string]string{
		"id,text\r\n1,\"a\nb\"\r\n2,c\r\n":                         "",
		"id,text\r\n1,\"a\r\nb\"\n2,c\r\n":                         `tr -d '\r' <FILE >NEW`,
		"id,text\r1,a\r2,b\r":                                      `tr '\r' '\n' <FILE >NEW`,
		"sep=;\nid;text\n1;a\n2;b\n":                               "",
		"sep=;\n1;a\n2;b\n":                                        "sed 1d <FILE >NEW",
		"\"age\" \"town\"\n\"1\" 30 \"York\"\n\"2\" 40 \"Bath\"\n": `sed '1s/^/row /' <FILE >NEW`,
		"age;town\n1;30;York\n2;40;Bath\n":                         `sed '1s/^/row;/' <FILE >NEW`,
		"\"a\",\"b\"\n\"1\",x,NA\n\"2\",y,5\n":                     `sed '1s/^/row,/' <FILE >NEW`,
		"Loans, 2024\nid,town,fee\n1,York,2\n2,Bath,3\n":           "tail -n +2 <FILE >NEW",
		"Loans\nof 2024\n\n\"id\",town,fee\n1,York,2\n2,Bath,3\n":  "tail -n +4 <FILE >NEW",
		"Loans;;\r\nid;town;fee\r\n1;York;2\r\n2;Bath;3\r\n":       "tail -n +2 <FILE >NEW",
		"full name\nAnn Lee\nBen Ray\n":                            "",
		"2024-01-01 10:00\n2024-01-02 11:00\n":                     "",
	} {
		look, err := columns.Reader(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		notes := (&columns.Table{Look: look}).Notes()
		if len(notes) > 1 || want == "" && len(notes) > 0 || !strings.HasSuffix(strings.Join(notes, ""), want) {
			t.Errorf("%q: notes %q, want %q", text, notes, want)
		}
		if words := strings.Contains(text, "Ann"); words && look.Text.Delimiter != 0 {
			t.Errorf("%q is split at %q", text, look.Text.Delimiter)
		}
	}
}

func TestJSONTypes(t *testing.T) {
	for values, c := range map[string]struct {
		want   string
		doubts bool
	}{
		"1|2": {"int", false}, `"1"|2`: {"int", false}, "1|2.5": {"float", false}, "1.0|2.0": {"float", false}, "true|false": {"bool", false}, `"a"|"b"`: {"text", false},
		`"a"|"b"|1`: {"text", true}, `"a"|true`: {"text", true}, `[1]|[2]`: {"text", true}, `"a"|null`: {"text", false}, "9223372036854775807|1": {"int", false},
		`"18446744073709551615"|"1"`: {"text", true},
	} {
		var text strings.Builder
		for v := range strings.SplitSeq(values, "|") {
			text.WriteString(`{"x": ` + v + "}\n")
		}
		look, err := columns.Reader(strings.NewReader(text.String()))
		if err != nil {
			t.Fatal(err)
		}
		if x := look.Text.Columns[0]; x.Type != c.want || (len(x.Doubts) > 0) != c.doubts {
			t.Errorf("%s: %s, doubts %q, want %s", values, x.Type, x.Doubts, c.want)
		}
	}
}
