package isolationtest

import (
	"bufio"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/dprelease/dprelease/io/source/sourcetest"
)

//go:embed writers.py
var pythonWriters string

// Python is a running Python process that writes files with Python's libraries. One process writes many files, since
// starting one takes longer than writing a thousand files.
type Python struct {
	mu  sync.Mutex
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	// Missing are the requested packages that Python does not have.
	Missing []string
}

// StartPython starts the program named by DPRELEASE_PYTHON, or python3, and asks it which of the packages it has.
func StartPython(packages ...string) (*Python, error) {
	p := &Python{cmd: exec.Command(cmp.Or(os.Getenv("DPRELEASE_PYTHON"), "python3"),
		append([]string{"-c", pythonWriters}, packages...)...)}
	p.cmd.Stderr = os.Stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.in, p.out = in, bufio.NewReaderSize(out, 1<<20)
	if err := p.hear(&p.Missing); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// Close ends the process.
func (p *Python) Close() error {
	_ = p.in.Close() // the process ends when its input ends
	return p.cmd.Wait()
}

func (p *Python) hear(answer any) error {
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, answer)
}

// file is the request to Python to write one file.
type file struct {
	Path      string `json:"path"`
	Writer    string `json:"writer"`
	Columns   any    `json:"columns"`
	Rows      any    `json:"rows"`
	*asText          // for text formats
	*asBinary        // for binary formats
}

type asText struct {
	Delimiter string `json:"delimiter"`
	Quote     string `json:"quote"`
	End       string `json:"end"`
	Null      string `json:"null"`
	Encoding  string `json:"encoding"`
	Style     style  `json:"style"`
	Header    bool   `json:"header"`
	Mark      bool   `json:"mark"`
	ASCII     bool   `json:"ascii"`
}

type asBinary struct {
	Layout uint64 `json:"layout"`
	INT96  bool   `json:"int96"`
}

// typedName is a column of a binary format with its type.
type typedName struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// Write writes the tables of several cases. It is used as [Search].Write.
func (p *Python) Write(cases []*Case, dirs []string) []error {
	errs := make([]error, len(cases))
	fail := func(err error) []error {
		for i := range errs {
			errs[i] = err
		}
		return errs
	}
	var files []file
	var of []int // for each file, the index of its case
	for i, c := range cases {
		for table := range tableNames {
			for _, f := range c.Format.(foreign).files(folder(dirs[i], table), c.Table(table)) {
				files, of = append(files, f), append(of, i)
			}
		}
	}
	request, err := json.Marshal(files)
	if err != nil {
		return fail(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.in.Write(append(request, '\n')); err != nil {
		return fail(err)
	}
	var said []*string
	if err := p.hear(&said); err != nil {
		return fail(err)
	}
	for k, what := range said {
		if what != nil {
			errs[of[k]] = errors.New(*what)
		}
	}
	return errs
}

// foreign is a format whose files a program other than this one writes.
type foreign interface {
	files(dir string, t Table) []file
}

func (t *Text) files(dir string, table Table) (out []file) {
	var names []string
	for i := range t.columns {
		names = append(names, t.name(i))
	}
	for i, path := range t.paths(len(table)) {
		rows := make([][]*[]byte, len(table[i])) // strings are sent in base64
		for k, row := range table[i] {
			rows[k] = make([]*[]byte, len(row))
			for c, cell := range row {
				text := []byte(t.nullWord())
				if cell, ok := cell.(textCell); ok {
					text = []byte(cell.text)
				} else if t.writer != "pyarrow csv" { // pyarrow's CSV writer writes no null words
					continue
				}
				rows[k][c] = &text
			}
		}
		out = append(out, file{Path: filepath.Join(dir, path), Writer: t.writer, Columns: names, Rows: rows, asText: &asText{
			t.separator(), t.quotes(), t.lineEnd, t.nullWord(), t.encoding, t.style, t.header, t.mark, t.ascii,
		}})
	}
	return out
}

// DrawForeignText draws a dialect that one of the named writers can write.
func DrawForeignText(r *rand.Rand, writers ...string) (t *Text, ok bool) {
	writer := pick(r, writers...)
	format := "jsonl"
	if strings.HasSuffix(writer, "csv") {
		format = pick(r, "csv", "csv", "tsv")
	}
	t, ok = DrawText(r, format)
	t.writer, t.preamble, t.padded, t.unended, t.members, t.nest, t.extra = writer, false, false,
		false, false, false, false
	t.ending = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(t.ending, ".zst"), ".gz"), ".xz")
	if writer != "postgres csv" {
		t.ending += pick(r, "", "", "", "", ".gz", ".bz2", ".xz")
	}
	if t.style > always {
		t.style = minimal
	}
	if !strings.HasPrefix(writer, "python") { // the other writers write UTF-8 with quotes
		t.encoding, t.mark, t.trim = "", t.mark && !t.wide(), false // unknown which fields they quote
		if t.quotes() == "" || writer == "pyarrow csv" {
			t.quote = `"`
		}
		if t.nullWord() == "" {
			t.nulls = []string{"NULL"}
		}
		if slices.Contains([]string{"pyarrow csv", "duckdb csv", "postgres csv"}, writer) {
			t.lineEnd = "\n"
		}
	}
	return t, ok && t.prepare()
}

// pyarrowTypes maps the program's names of types to the names in writers.py.
var pyarrowTypes = map[string]string{
	"int8": "int int8", "int16": "int int16", "int32": "int int32", "int64": "int int64", "uint8": "int uint8",
	"uint16": "int uint16", "uint32": "int uint32", "uint64": "int uint64",
	"date": "date", "timestamp ms UTC": "timestamp ms", "timestamp us UTC": "timestamp us",
	"timestamp ns UTC": "timestamp ns", "text": "text", "binary": "binary",
	"3 bytes": "fixed 3", "16 bytes": "fixed 16", "dictionary of texts": "dictionary",
}

func pyarrowType(t sourcetest.Type) string {
	var digits, scale int
	if n, _ := fmt.Sscanf(t.Name, "decimal(%d, %d) 128", &digits, &scale); n == 2 && strings.HasSuffix(t.Name, " 128") {
		return fmt.Sprintf("decimal %d %d", digits, scale)
	}
	return pyarrowTypes[t.Name]
}

func isPyarrows(t sourcetest.Type) bool { return pyarrowType(t) != "" }

// pyarrows lists the formats that pyarrow writes. Their Encode is nil, because a Python process writes the files.
var pyarrows = []sourcetest.Library{
	{Name: "pyarrow parquet", Ending: ".parquet", Has: isPyarrows},
	{Name: "pyarrow int96", Ending: ".parquet", Has: isPyarrows},
	{Name: "pyarrow file", Ending: ".arrow", Has: isPyarrows},
}

// DrawPyarrow draws column types that pyarrow can write.
func DrawPyarrow(r *rand.Rand) *Binary { return drawBinary(r, pyarrows) }

func (b *Binary) files(dir string, t Table) (out []file) {
	var columns []typedName
	for i, c := range b.columns {
		columns = append(columns, typedName{columnName(i), pyarrowType(c.typ.Type)})
	}
	for i, path := range b.paths(len(t)) {
		rows := make([][]any, len(t[i]))
		for k, row := range t[i] {
			for _, cell := range row {
				switch x := cell.(type) {
				case string:
					cell = []byte(x)
				case *big.Int:
					cell = x.String()
				case int64, uint64:
					cell = fmt.Sprint(x)
				}
				rows[k] = append(rows[k], cell)
			}
		}
		out = append(out, file{Path: filepath.Join(dir, path), Writer: b.writer.Name, Columns: columns, Rows: rows,
			asBinary: &asBinary{b.layout % 64, b.writer.Name == "pyarrow int96"}})
	}
	return out
}
