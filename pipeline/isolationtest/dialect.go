package isolationtest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/wiring"
	"github.com/dprelease/dprelease/io/source"
)

// textColumn is a column of a text format, with the name of its type in a job.
type textColumn struct{ name, typ string }

// Text is a random dialect of a text format: the options that a job states, and the habits of the program that writes
// it.
type Text struct {
	// The options that the job states. "" or 0 stands for an option that it does not state.
	format, ending               string // csv, tsv or jsonl; the file extension
	columns                      []textColumn
	read                         []int // indices of the columns that are read
	unit                         []int // indices of the columns of the privacy unit, a subset of read
	header, named, trim          bool
	delimiter, quote, comment    string
	encoding, decimal, thousands string
	nulls                        []string
	folder                       bool // the files are in folders such as day=2024-01-02
	floats                       bool // columns of units may be floats

	// The habits of the writer, which the job does not state.
	writer      string // go, or the name of another program such as "pyarrow csv"
	lineEnd     string
	style       style
	mark        bool // write a byte order mark
	preamble    bool // write a comment before the header
	padded      bool // write blanks around fields, which trim_space removes
	unended     bool // omit the last line's end
	members     bool // compress into two gzip members
	ascii       bool // JSON: escape all characters that are not ASCII
	nest, extra bool // JSON: put a member into another object; add a member that nobody reads

	source source.Options
}

// style is the rule by which the writer quotes fields.
type style int

const (
	minimal    style = iota // only fields that contain a delimiter, a quote or a line end
	nonNumeric              // all fields of text columns, and other fields as minimal
	always                  // all fields
	careful                 // as minimal, and also fields that begin with a blank, a mark or the comment character
	standard                // as Go's encoding/csv does if it can write the dialect; otherwise minimal
)

// encodings lists the encodings that a job can name.
var encodings = []string{"utf-8", "utf-16", "utf-16le", "utf-16be", "windows-1252", "latin-1", "latin-9",
	"windows-1250", "latin-2", "windows-1251", "macintosh"}

// textTypes lists the column types from which types are drawn. A type that occurs twice is drawn twice as often.
var textTypes = []string{"int", "int", "float", "bool", "date", "date 2/1/2006", "timestamp 2006-01-02 15:04:05",
	"timestamp 2006-01-02T15:04:05Z07:00"}

// DrawText draws a dialect of csv, tsv or jsonl. ok is false if no job can state it.
func DrawText(r *rand.Rand, format string) (t *Text, ok bool) {
	t = &Text{format: format, writer: "go", lineEnd: pick(r, "\n", "\n", "\r\n"), style: style(r.IntN(5)),
		unended: chance(r, 0.2)}
	t.drawColumns(r)
	switch format {
	case "csv":
		t.drawCSV(r)
		t.ending = pick(r, ".csv", ".csv", ".csv", ".txt", ".data", ".CSV", ".x")
	case "tsv":
		t.drawCSV(r)
		t.delimiter = pick(r, "", "", "", "", "\t", ";")
		t.quote = pick(r, "", "", "", "\"", "'", "none")
		t.ending = pick(r, ".tsv", ".tab", ".tsv", ".x")
	case "jsonl":
		t.ascii, t.nest, t.extra = chance(r, 0.5), chance(r, 0.2), chance(r, 0.2)
		t.ending = pick(r, ".jsonl", ".ndjson", ".jsonl", ".x")
		t.mark = chance(r, 0.1)
	}
	t.ending += pick(r, "", "", "", "", "", "", ".gz", ".zst", ".xz")
	t.members = chance(r, 0.3)
	t.folder = chance(r, 0.15)
	t.floats = chance(r, 0.5)
	return t, t.prepare()
}

func (t *Text) drawColumns(r *rand.Rand) {
	for _, name := range []string{"u", "g", "v", "w"}[:1+r.IntN(4)] {
		typ := ""
		if t.format == "jsonl" {
			typ = "text"
		}
		if chance(r, 0.3) {
			typ = pick(r, textTypes...)
		}
		t.columns = append(t.columns, textColumn{name, typ})
	}
	r.Shuffle(len(t.columns), func(i, j int) { t.columns[i], t.columns[j] = t.columns[j], t.columns[i] })
	t.unit = []int{slices.IndexFunc(t.columns, func(c textColumn) bool { return c.name == "u" })}
	for i := range t.columns {
		if i != t.unit[0] && chance(r, 0.1) {
			t.unit = append(t.unit, i)
		}
		if slices.Contains(t.unit, i) || chance(r, 0.7) {
			t.read = append(t.read, i)
		}
	}
}

func (t *Text) drawCSV(r *rand.Rand) {
	t.header = chance(r, 0.6)
	t.named = !t.header || chance(r, 0.2)
	t.delimiter = pick(r, "", "", "", ",", ";", ";", "|", "\t", " ", ":")
	t.quote = pick(r, "", "", "", "", "\"", "'", "'", "none", "none", "|", "`")
	if chance(r, 0.25) {
		t.comment = pick(r, "#", "#", "#", "%", "|", ";", "a")
		t.preamble = t.header && chance(r, 0.3)
	}
	if chance(r, 0.5) {
		t.encoding = pick(r, encodings...)
	}
	switch t.encoding {
	case "", "utf-8":
		t.mark = chance(r, 0.15)
	case "utf-16":
		t.mark = chance(r, 0.8)
	case "utf-16le", "utf-16be":
		t.mark = chance(r, 0.3)
	}
	if chance(r, 0.15) {
		t.trim, t.padded = true, chance(r, 0.4)
	}
	t.nulls = pick(r, nil, nil, nil, []string{"NULL"}, []string{"", "-"}, []string{"?"}, []string{`\N`},
		[]string{"null", "a"})
	if chance(r, 0.15) {
		t.decimal, t.thousands = pick(r, "", ",", "."), pick(r, "", ".", ",", " ", "'")
	}
}

// prepare parses a job that reads the dialect, and keeps the reader's options. It returns false if the job is invalid.
func (t *Text) prepare() bool {
	job, diags := configs.Parse("job.yaml", []byte(t.job()), configs.ParseOptions{})
	if len(diags) > 0 {
		return false
	}
	t.source = wiring.SourceOptions(job)
	return true
}

// job returns a job in YAML that reads files of the dialect.
func (t *Text) job() string {
	var b strings.Builder
	var unit []string
	for _, i := range t.unit {
		unit = append(unit, strconv.Quote(t.name(i)))
	}
	floats := ""
	if t.floats {
		floats = ", float_unit: allow"
	}
	fmt.Fprintf(&b, "version: 1\nname: adversary\nprivacy: {epsilon: 1, delta: 1e-6, unit: [%s]%s, per_unit: {max_rows: "+
		"1}}\n", strings.Join(unit, ", "), floats)
	fmt.Fprintf(&b, "input:\n  files: [%s]\n", strconv.Quote("t*"+t.ending))
	if strings.HasPrefix(t.ending, ".x") {
		fmt.Fprintf(&b, "  format: %s\n", t.format)
	}
	if t.folder {
		b.WriteString("  folders: {day: date}\n")
	}
	var types, names []string
	for i, c := range t.columns {
		names = append(names, strconv.Quote(t.name(i)))
		if c.typ != "" {
			types = append(types, strconv.Quote(t.name(i))+": "+strconv.Quote(c.typ))
		}
	}
	if t.format == "jsonl" {
		fmt.Fprintf(&b, "  jsonl: {columns: {%s}}\n", strings.Join(types, ", "))
	} else {
		fmt.Fprintf(&b, "  csv:\n    header: %t\n    types: {%s}\n", t.header, strings.Join(types, ", "))
		if t.named {
			fmt.Fprintf(&b, "    columns: [%s]\n", strings.Join(names, ", "))
		}
		for _, kv := range [][2]string{{"delimiter", t.delimiter}, {"quote", t.quote}, {"comment", t.comment},
			{"encoding", t.encoding}, {"decimal", t.decimal}, {"thousands", t.thousands}} {
			if kv[1] != "" {
				fmt.Fprintf(&b, "    %s: %s\n", kv[0], strconv.Quote(kv[1]))
			}
		}
		if t.trim {
			b.WriteString("    trim_space: true\n")
		}
		if !t.header && (t.lineEnd == "\r\n" || t.members) { // members decides whether lf, the default, is written
			fmt.Fprintf(&b, "    line_end: %s\n", map[bool]string{true: "crlf", false: "lf"}[t.lineEnd == "\r\n"])
		}
		if t.mark && !t.header {
			b.WriteString("    mark: true\n")
		}
		if t.nulls != nil {
			fmt.Fprintf(&b, "    null_values: [%s]\n", quoted(t.nulls))
		}
	}
	b.WriteString("queries: [{name: n, count: {}}]\noutput: {dir: out}\nledger: {store: \"sqlite:ledger.db\", dataset: " +
		"adversary, budget: {epsilon: 2, delta: 1e-5}}\n")
	return b.String()
}

func quoted(texts []string) string {
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = strconv.Quote(s)
	}
	return strings.Join(out, ", ")
}

// name returns the name of a column. In JSON lines it may be a path.
func (t *Text) name(i int) string {
	if t.nest && t.columns[i].name == "g" {
		return "p.g"
	}
	return t.columns[i].name
}

func (t *Text) separator() string {
	if t.delimiter == "" && t.format == "tsv" {
		return "\t"
	}
	return cmp.Or(t.delimiter, ",")
}

// quotes returns the quote character; empty if there is none. A .tsv file has none unless the job sets it, as IANA
// defines the format.
func (t *Text) quotes() string {
	switch {
	case t.quote == "none", t.format == "tsv" && t.quote == "":
		return ""
	}
	return cmp.Or(t.quote, `"`)
}

func (t *Text) wide() bool { return strings.HasPrefix(t.encoding, "utf-16") }

// Options implements Format.
func (t *Text) Options(dir string, files int) (o source.Options, columns, unit []string) {
	o = t.source
	o.Dir, o.Files = dir, t.paths(files)
	for _, i := range t.read {
		columns = append(columns, t.name(i))
	}
	for _, i := range t.unit {
		unit = append(unit, t.name(i))
	}
	return o, columns, unit
}

func (t *Text) paths(files int) (paths []string) {
	for i := range files {
		name := fmt.Sprintf("t%d%s", i, t.ending)
		if t.folder {
			name = filepath.Join(fmt.Sprintf("day=2024-01-%02d", i%2+1), name)
		}
		paths = append(paths, name)
	}
	return paths
}

// String implements Format.
func (t *Text) String() string {
	return fmt.Sprintf("%swriter %s: line end %q, style %d, mark %t, preamble %t, padded %t, last line unended %t, two "+
		"members %t, ASCII %t, extra %t; read %v\n",
		t.job(), t.writer, t.lineEnd, t.style, t.mark, t.preamble, t.padded, t.unended, t.members, t.ascii, t.extra, t.read)
}
