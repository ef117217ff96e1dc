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

// textColumn is a column of a text format with its type, as jobs write it.
type textColumn struct{ name, typ string }

// Text is a dialect of a text format, as a job states it, and how a writer of it writes.
type Text struct {
	// What the job states; what is empty or 0 is left out.
	format, ending               string // csv, tsv or jsonl; the end of the files' names
	columns                      []textColumn
	read                         []int // the columns that are read
	unit                         []int // the columns of the privacy unit, which are among them
	header, named, trim          bool
	delimiter, quote, comment    string
	encoding, decimal, thousands string
	nulls                        []string
	folder                       bool // the files are in folders, day=2024-01-0N
	floats                       bool // units may be floats

	// How the writer writes.
	writer      string // go, or the name of another program
	lineEnd     string
	style       style
	mark        bool // a byte order mark
	preamble    bool // a comment before the header
	padded      bool // blanks around fields, which trim_space takes off
	unended     bool // the last line has no end
	members     bool // compressed in two members
	ascii       bool // JSON: escapes for all characters that are not ASCII
	nest, extra bool // JSON: a member in a member; a member that nobody reads

	source source.Options
}

// style is which fields are quoted.
type style int

const (
	minimal    style = iota // those that hold a delimiter, a quote or a line end
	nonNumeric              // texts
	always
	careful  // minimal, and what begins with a blank, a mark or the comment character
	standard // as Go's encoding/csv does, if it can write the dialect; else minimal
)

// encodings lists the encodings that a job can name.
var encodings = []string{"utf-8", "utf-16", "utf-16le", "utf-16be", "windows-1252", "latin-1", "latin-9",
	"windows-1250", "latin-2", "windows-1251", "macintosh"}

// layouts are the types of dates and times, each with a value for a number of microseconds.
var textTypes = []string{"int", "int", "float", "bool", "date", "date 2/1/2006", "timestamp 2006-01-02 15:04:05",
	"timestamp 2006-01-02T15:04:05Z07:00"}

// DrawText draws a dialect. ok is false if jobs cannot have it.
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

// prepare states the dialect in a job, and takes from it how files are read. It returns false if the job is refused.
func (t *Text) prepare() bool {
	job, diags := configs.Parse("job.yaml", []byte(t.job()), configs.ParseOptions{})
	if len(diags) > 0 {
		return false
	}
	t.source = wiring.SourceOptions(job)
	return true
}

// job returns the text of a job about such files.
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
		if !t.header && (t.lineEnd == "\r\n" || t.members) { // members says something of JSON alone
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

// The characters with a meaning, 0 if there is none.

func (t *Text) separator() string {
	if t.delimiter == "" && t.format == "tsv" {
		return "\t"
	}
	return cmp.Or(t.delimiter, ",")
}

// quotes returns the quote; empty if no character quotes. A file that is called tsv has none unless the job says so, as
// IANA defines the format.
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
