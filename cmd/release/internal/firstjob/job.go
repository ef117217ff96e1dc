// Package firstjob writes a first job for a table: from the table's names and types, from answers to two questions
// (whom does the guarantee protect? what do you want to know?) and from a budget, which has no default.
package firstjob

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Column is a column of the table with its type, as a job writes it or as a file states it.
type Column struct{ Name, Type string }

// Table is what is known of the table.
type Table struct {
	// Files are paths as they stand in the job.
	Files   []string
	Columns []Column
	// Format is set if the files' names do not say it.
	Format string
	// CSV is nil for files that state their own types.
	CSV *CSV
}

// CSV is how text files are written, as it was seen.
type CSV struct {
	// Objects is set for JSON lines, of which nothing else is written down than the columns that are used.
	Objects             bool
	Encoding, Delimiter string
	NoHeader, TrimSpace bool
	Decimal, Thousands  string
	Quote               string // empty if it is what the format assumes
	Mark                bool   // the files have no header, and begin with a byte order mark
	LineEnd             string // crlf if the files have no header and their lines end so
	Tabs                bool   // the format is tsv
	NullValues          []string
}

// Job is what a person decided.
type Job struct {
	Name  string
	Table Table
	// Unit is empty if each row is a unit of its own.
	Unit                   []string
	MaxRows                int
	Epsilon, Delta         string
	TotalEpsilon, TotalDel string
	Questions              []Question
	Dir, Store, Dataset    string
}

// Text is the job file, with comments. It holds names and types of columns and what the person typed, and no other
// value of the table.
func (j *Job) Text() string {
	var b strings.Builder
	j.writeHead(&b)
	j.writeInput(&b)
	j.writeQueries(&b)
	fmt.Fprintf(&b, "output:\n  dir: %s\n  formats: [csv, parquet]\n\n", quote(j.Dir))
	b.WriteString("# What these data may cost in all, over all releases. It is fixed when the ledger is first used.\n")
	fmt.Fprintf(&b, "ledger:\n  store: %s   # keep it, and back it up: it remembers what was spent\n  dataset: %s\n  "+
		"budget: {epsilon: %s, delta: %s}\n",
		quote(j.Store), quote(j.Dataset), j.TotalEpsilon, j.TotalDel)
	return b.String()
}

func (j *Job) writeHead(b *strings.Builder) {
	b.WriteString("# Look before you run: plan tells the noise and reads no row, preview makes the whole release from " +
		"synthetic rows,\n" +
		"# check --data shows what becomes of the real rows. Every key is explained by: release explain KEY\n")
	fmt.Fprintf(b, "version: 1\nname: %s\n\n", quote(j.Name))
	fmt.Fprintf(b, "privacy:\n  # All answers together. Lower is stronger; docs/howto/choose.md helps to choose.\n  "+
		"epsilon: %s\n  delta: %s\n", j.Epsilon, j.Delta)
	if len(j.Unit) == 0 {
		b.WriteString("  # Each row is protected by itself: someone with five rows is protected five times less.\n  unit: " +
			"row\n\n")
		return
	}
	fmt.Fprintf(b, "  # Whom the guarantee protects: all rows with one value here.\n  unit: %s\n", list(j.Unit))
	fmt.Fprintf(b, "  # At most so many rows of one unit count. More rows keep more of the data and need more noise.\n  "+
		"# If nothing is known about it: {max_rows: discover, max_rows_up_to: 1000}, which spends a tenth of the budget on "+
		"finding it.\n  per_unit: {max_rows: %d}\n\n", j.MaxRows)
}

func (j *Job) writeInput(b *strings.Builder) {
	t := &j.Table
	files := make([]string, len(t.Files))
	for i, file := range t.Files {
		files[i] = quoteFile(file)
	}
	fmt.Fprintf(b, "input:\n  files: [%s]   # relative to this file\n", strings.Join(files, ", "))
	if t.Format != "" {
		fmt.Fprintf(b, "  format: %s\n", t.Format)
	}
	if t.CSV != nil {
		j.writeCSV(b)
	}
	b.WriteString("\n# The table's columns, for reference:\n")
	for _, c := range t.Columns {
		fmt.Fprintf(b, "#   %s (%s)\n", quote(c.Name), c.Type)
	}
	b.WriteByte('\n')
}

// writeCSV writes how the text is read, as far as it differs from what a job assumes.
func (j *Job) writeCSV(b *strings.Builder) {
	c := j.Table.CSV
	if c.Objects {
		j.writeObjects(b)
		return
	}
	var lines []string
	add := func(key, value string) { lines = append(lines, "    "+key+": "+value) }
	if c.Encoding != "" && c.Encoding != "utf-8" {
		add("encoding", c.Encoding)
	}
	if c.Delimiter != "" && c.Delimiter != "," {
		add("delimiter", quoted(c.Delimiter))
	}
	switch {
	case c.Quote != "" && c.Tabs:
		add("quote", quoted(c.Quote)+"   # some fields are quoted; files of format tsv are read without quotes unless this "+
			"is said")
	case c.Quote != "":
		add("quote", quoted(c.Quote))
	}
	if c.NoHeader {
		names := make([]string, len(j.Table.Columns))
		for i, column := range j.Table.Columns {
			names[i] = column.Name
		}
		add("header", "false")
		add("columns", list(names))
	}
	if c.Mark {
		add("mark", "true")
	}
	if c.LineEnd != "" {
		add("line_end", c.LineEnd)
	}
	if c.TrimSpace {
		add("trim_space", "true")
	}
	if c.Decimal != "" && c.Decimal != "." {
		add("decimal", quoted(c.Decimal))
	}
	if c.Thousands != "" {
		add("thousands", quoted(c.Thousands))
	}
	if len(c.NullValues) > 0 {
		add("null_values", list(c.NullValues))
	}
	used := j.usedColumns()
	var types []string
	for _, column := range j.Table.Columns {
		if column.Type != "text" && slices.Contains(used, column.Name) {
			types = append(types, "      "+quote(column.Name)+": "+quote(column.Type))
		}
	}
	if len(types) > 0 {
		lines = append(lines, "    types:   # as seen in the first rows; columns that are not listed are text")
		lines = append(lines, types...)
	}
	if len(lines) > 0 {
		b.WriteString("  csv:\n" + strings.Join(lines, "\n") + "\n")
	}
}

// writeObjects writes the columns of JSON lines that are used.
func (j *Job) writeObjects(b *strings.Builder) {
	b.WriteString("  jsonl:\n    columns:   # as seen in the first lines\n")
	used := j.usedColumns()
	for _, column := range j.Table.Columns {
		if slices.Contains(used, column.Name) {
			fmt.Fprintf(b, "      %s: %s\n", quote(column.Name), quote(column.Type))
		}
	}
}

func (j *Job) usedColumns() []string {
	used := slices.Clone(j.Unit)
	for i := range j.Questions {
		used = append(used, j.Questions[i].Columns()...)
	}
	return used
}

func (j *Job) writeQueries(b *strings.Builder) {
	b.WriteString("# Cells and ranges stand here, never in the data: which cells exist must tell nothing.\nqueries:\n")
	taken := map[string]bool{}
	for i := range j.Questions {
		q := &j.Questions[i]
		fmt.Fprintf(b, "  - name: %s\n", q.name(taken))
		switch q.Kind {
		case "count":
			b.WriteString("    count: {}\n")
		case "histogram", "quantiles":
			b.WriteString("    histogram:\n      by:\n")
			j.writeBy(b, q.By)
			if q.Kind == "quantiles" {
				b.WriteString("      quantiles: [0.25, 0.5, 0.75]\n")
			}
		default:
			fmt.Fprintf(b, "    %s:\n      column: %s\n      clamp: [%s, %s]   # values beyond are moved onto the nearer end\n",
				q.Kind, quote(q.Value.Column), q.Value.From, q.Value.To)
			if len(q.By) > 0 {
				b.WriteString("      by:\n")
				j.writeBy(b, q.By)
			}
		}
	}
	b.WriteByte('\n')
}

// writeBy writes dimensions. Texts are compared without regard to case and blanks, as a person would.
func (j *Job) writeBy(b *strings.Builder, by []Cells) {
	for i := range by {
		c, fold := &by[i], ""
		text := slices.ContainsFunc(j.Table.Columns, func(column Column) bool {
			return column.Name == c.Column && (column.Type == "text" || column.Type == "string")
		})
		if text && (len(c.Values) > 0 || c.File != "") {
			fold = ", fold: [case, space]"
		}
		// a name of its own in the release
		if slices.ContainsFunc(by[:i], func(earlier Cells) bool { return earlier.Column == c.Column }) {
			name := c.Column + "_" + c.Field
			if c.Field == "" {
				name = fmt.Sprintf("%s_%d", c.Column, i+1)
			}
			fold += ", as: " + quote(name)
		}
		fmt.Fprintf(b, "        - {column: %s, %s%s}\n", quote(c.Column), c.text(), fold)
	}
}

// text is the keys of the dimension.
func (c *Cells) text() string {
	switch {
	case c.Discover:
		return "keys: discover"
	case c.Field != "":
		return "part: " + c.Field
	case c.File != "":
		return fmt.Sprintf("values_from: {file: %s, column: %s}", quote(c.File), quote(c.FileColumn))
	case c.From != "" && contains(steps, c.Step):
		return fmt.Sprintf("from: %s, to: %s, every: %s", c.From, c.To, c.Step)
	case c.From != "":
		return fmt.Sprintf("from: %s, to: %s, width: %s", c.From, c.To, c.Step)
	}
	return "values: " + list(c.Values) + ", other: bin"
}

var notNameBytes = regexp.MustCompile(`[^a-z0-9]+`)

// name makes a name of the question's kind and columns that no other question has.
func (q *Question) name(taken map[string]bool) string {
	words := []string{q.Kind}
	switch q.Kind {
	case "count":
		words = []string{"rows"}
	case "histogram":
		words = []string{"rows", "by"}
	case "quantiles":
		words = nil
	}
	for i, column := range q.Columns() {
		if q.Value != nil && i == 1 {
			words = append(words, "by")
		}
		words = append(words, column)
	}
	name := strings.Trim(notNameBytes.ReplaceAllString(strings.ToLower(strings.Join(words, "_")), "_"), "_")
	if len(name) > 56 {
		name = strings.Trim(name[:56], "_")
	}
	if name == "" {
		name = q.Kind
	}
	unique := name
	for n := 2; taken[unique]; n++ {
		unique = fmt.Sprintf("%s_%d", name, n)
	}
	taken[unique] = true
	return unique
}

var (
	plain   = regexp.MustCompile(`^[\p{L}_./][\p{L}\p{N}_./+() -]*$`)
	notText = regexp.MustCompile(`(?i)^(true|false|null|yes|no|on|off|y|n|~)$`)
)

// quote writes a text as a YAML scalar, in quotes if it needs them.
func quote(s string) string {
	if plain.MatchString(s) && !notText.MatchString(s) && strings.TrimSpace(s) == s && !strings.Contains(s, "${") {
		return s
	}
	return quoted(s)
}

// quoted writes a text as a YAML scalar in double quotes.
func quoted(s string) string {
	b, err := json.Marshal(strings.ReplaceAll(s, "${", "$${"))
	if err != nil {
		return `""`
	}
	r := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")
	return r.Replace(string(b))
}

// quoteFile quotes a path or an address. The query of a web address that comes from the environment stays a reference.
func quoteFile(file string) string {
	address, name, refers := strings.Cut(file, "?${env:")
	if !refers || !strings.HasPrefix(file, "https://") {
		return quote(file)
	}
	return `"` + strings.Trim(quoted(address), `"`) + "?${env:" + name + `"`
}

func list(items []string) string {
	texts := make([]string, len(items))
	for i, s := range items {
		texts[i] = quote(s)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}
