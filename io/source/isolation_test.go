package source_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/textfile"
)

// pythonFile is a file that Python's csv module writes. Texts are lists of code points, so they can hold surrogates.
type pythonFile struct {
	Path       string    `json:"path"`
	Rows       [][][]int `json:"rows"`
	Quoting    string    `json:"quoting"`
	Quote      string    `json:"quote"`
	Delimiter  string    `json:"delimiter"`
	Terminator string    `json:"terminator"`
	Encoding   string    `json:"encoding"`
}

const pythonWriter = `
import csv, json, sys
for f in json.load(sys.stdin):
    with open(f["path"], "w", encoding=f["encoding"], errors="surrogatepass", newline="") as out:
        quoting = getattr(csv, f["quoting"])
        w = csv.writer(out, delimiter=f["delimiter"], lineterminator=f["terminator"], quoting=quoting, quotechar=None if f["quoting"] == "QUOTE_NONE" else f["quote"])
        w.writerows([["".join(map(chr, text)) for text in row] for row in f["rows"] or []])
`

// hostileTexts are the parts of random texts: parts of other rows, and all characters with a meaning in some dialect.
var hostileTexts = []string{
	"", "a", "u1", "u1,x,y\n", "u1,x,y\r\n", "\n#u1,x,y\n", "x,y,z", "#", "# ", "\"", "\"\"", "\",\"", "'", "''", "',",
	",", ";", "\t", " ", "\n", "\r", "\r\n", "\uFEFF", "\uFFFE", "\uFFFD", "\x00", "é", "\u0081",
	"{\"x\": 1}", "NULL", "\\", "\\\"", "=1", "\ud7ff", "\U0001F600",
}

// isolationCase holds a hostile table T, another table U, and both in one file, in a dialect that Python's csv writes
// and the options read.
type isolationCase struct {
	rng     *rand.Rand
	file    pythonFile
	columns []string
	tables  [3][][][]int // T, U and both
	options source.Options
}

func (c *isolationCase) pick(of ...string) string { return of[c.rng.IntN(len(of))] }

// bare reports whether no field is quoted.
func (c *isolationCase) bare() bool { return c.file.Quoting == "QUOTE_NONE" }

func newIsolationCase(rng *rand.Rand) *isolationCase {
	c := &isolationCase{rng: rng, columns: []string{"x", "y", "z"}[:1+rng.IntN(3)]}
	c.file = pythonFile{
		Quoting: c.pick("QUOTE_MINIMAL", "QUOTE_MINIMAL", "QUOTE_ALL", "QUOTE_NONNUMERIC", "QUOTE_NONE"), Quote: c.pick(`"`,
			`"`, "'"), Delimiter: c.pick(",", ",", ";", "\t", " ", "|"),
		Terminator: c.pick("\n", "\r\n"), Encoding: c.pick("utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"),
	}
	c.setOptions()
	c.tables = [3][][][]int{c.rows(rng.IntN(6)), c.rows(1 + rng.IntN(2))}
	c.tables[2] = slices.Concat(c.tables[0], c.tables[1])
	rng.Shuffle(len(c.tables[2]), func(i, j int) { c.tables[2][i], c.tables[2][j] = c.tables[2][j], c.tables[2][i] })
	return c
}

// setOptions sets the options to the dialect of the file, as a job would.
func (c *isolationCase) setOptions() {
	f := &c.file
	o := textfile.CSV{Header: c.rng.IntN(2) == 0, Delimiter: rune(f.Delimiter[0])}
	o.Encoding = strings.NewReplacer("-sig", "", "-le", "le", "-be", "be").Replace(f.Encoding)
	if c.bare() {
		o.Quote = textfile.NoQuote
	} else if f.Quote != `"` {
		o.Quote = rune(f.Quote[0])
	}
	if o.Header || c.bare() {
		o.Comment = []rune{0, '#'}[c.rng.IntN(2)]
	}
	if !o.Header {
		o.Columns, o.Mark = c.columns, f.Encoding == "utf-8-sig" || f.Encoding == "utf-16"
		if f.Terminator == "\r\n" {
			o.LineEnd = "crlf"
		}
		if f.Encoding == "utf-16" {
			o.Encoding = "utf-16le"
		}
	}
	c.options.Format = "csv"
	// the format tsv has tabs and, unless the options set one, no quote
	if f.Delimiter == "\t" && (c.bare() || c.rng.IntN(2) == 0) {
		c.options.Format, o.Delimiter = "tsv", 0
		switch o.Quote {
		case textfile.NoQuote:
			o.Quote = 0
		case 0:
			o.Quote = '"'
		}
	}
	c.options.CSV = o
}

// text draws a text that the dialect can hold.
func (c *isolationCase) text() []int {
	points := []int{}
	for range c.rng.IntN(4) {
		part := []rune(hostileTexts[c.rng.IntN(len(hostileTexts))])
		if strings.HasPrefix(c.file.Encoding, "utf-16") && c.rng.IntN(6) == 0 {
			part = []rune{[]rune{0xD800, 0xDC00, 0xDBFF}[c.rng.IntN(3)]}
		}
		for _, r := range part {
			if c.bare() && strings.ContainsRune("\r\n"+c.file.Delimiter, r) {
				continue
			}
			points = append(points, int(r))
		}
	}
	if c.bare() && len(c.columns) == 1 && len(points) == 0 {
		points = []int{'-'} // Python refuses an empty line
	}
	return points
}

func (c *isolationCase) rows(n int) [][][]int {
	rows := make([][][]int, n)
	for i := range rows {
		for range c.columns {
			rows[i] = append(rows[i], c.text())
		}
	}
	return rows
}

// want returns the texts of table k, without the rows that look like comments or blank lines.
func (c *isolationCase) want(k int) [][]string {
	want := [][]string{}
	for _, row := range c.tables[k] {
		var texts []string
		for _, points := range row {
			texts = append(texts, wtf8(points))
		}
		comment := c.bare() && c.options.CSV.Comment != 0 && strings.HasPrefix(texts[0], "#")
		if !comment {
			want = append(want, texts)
		}
	}
	return want
}

// writePython writes files by Python's csv module.
func writePython(t *testing.T, files []pythonFile) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	in, err := json.Marshal(files)
	if err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), python, "-c", pythonWriter)
	run.Stdin = bytes.NewReader(in)
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// Random hostile tables are written by Python's csv module in every dialect that jobs can state. The rows of two tables
// in one file are the rows of the first and of the second, and every text is read unchanged.
func TestRowIsolationOfPythonsCSV(t *testing.T) {
	rng, dir := rand.New(rand.NewPCG(27, 1)), t.TempDir()
	path := func(n, k int) string { return filepath.Join(dir, fmt.Sprintf("%d-%d", n, k)) }
	var cases []*isolationCase
	var files []pythonFile
	tables := 100
	if long() {
		tables = 1000
	}
	for n := range tables {
		c := newIsolationCase(rng)
		for k, table := range c.tables {
			f := c.file
			f.Path, f.Rows = path(n, k), table
			if c.options.CSV.Header {
				line := make([][]int, len(c.columns))
				for i, name := range c.columns {
					line[i] = []int{int(name[0])}
				}
				f.Rows = append([][][]int{line}, table...)
			}
			files = append(files, f)
		}
		cases = append(cases, c)
	}
	writePython(t, files)
	for n, c := range cases {
		for k := range c.tables {
			c.options.Files = []string{path(n, k)}
			got := [][]string{}
			for _, row := range read(t, openWith(t, c.options), c.columns...) {
				texts := make([]string, len(row))
				for i, v := range row {
					texts[i], _ = v.(string)
				}
				got = append(got, texts)
			}
			if want := c.want(k); !slices.EqualFunc(got, want, slices.Equal) {
				b, _ := os.ReadFile(path(n, k))
				t.Fatalf("case %d: %+v\noptions %+v\nfile %q\ngot  %q\nwant %q", n, c.file, c.options, b, got, want)
			}
		}
	}
}

// wtf8 returns the text of code points; two surrogates that make a pair become one character.
func wtf8(points []int) string {
	var b []byte
	for i := 0; i < len(points); i++ {
		r := rune(points[i])
		if i+1 < len(points) && utf16.IsSurrogate(r) {
			if pair := utf16.DecodeRune(r, rune(points[i+1])); pair != '\uFFFD' {
				r, i = pair, i+1
			}
		}
		if utf16.IsSurrogate(r) {
			b = append(b, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
		} else {
			b = utf8.AppendRune(b, r)
		}
	}
	return string(b)
}
