// Package initjob writes a first job for a table: from the table's names and types, from answers to two questions (whom
// does the guarantee protect? what do you want to know?) and from a budget, which has no default.
package initjob

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/cmd/release/internal/columns"
	"github.com/dprelease/dprelease/io/source/textfile"
)

// Job holds the decisions from which a job file for a table is written.
type Job struct {
	Name string
	// Files are the paths of the table's files, as the job file has them.
	Files []string
	// Table describes the first of the files. Format is set only if the files' names do not imply their format.
	Table  *columns.Table
	Format columns.Format
	// Unit lists the columns of the privacy unit; empty if each row is a unit.
	Unit                   []string
	MaxRows                int
	Epsilon, Delta         string
	TotalEpsilon, TotalDel string
	Questions              []Query
	// Declared is true if the user stated the types of a text file's columns; otherwise they are guessed from values.
	Declared            bool
	Dir, Store, Dataset string
}

// Text returns the job file, with comments. It contains names and types of columns, texts that mean null, and the
// user's answers, but no other value of the table.
func (j *Job) Text() string {
	j.keepTexts()
	var b strings.Builder
	j.writeHead(&b)
	j.writeInput(&b)
	j.writeQueries(&b)
	b.WriteString("# End a run before any noise, at no cost, if a column is unusable: if half of its texts cannot be " +
		"read, say. Readers\n# of a release then learn that no column was, which epsilon does not cover: off tells them " +
		"nothing.\ndata_checks: refuse\n\n")
	fmt.Fprintf(&b, "output:\n  dir: %s\n  formats: [csv, parquet]\n\n", quote(j.Dir))
	b.WriteString("# What these data may cost in all, over all releases. It is fixed when the ledger is first used.\n")
	fmt.Fprintf(&b, "ledger:\n  store: %s   # keep it, and back it up: it remembers what was spent\n  dataset: %s\n  "+
		"budget: {epsilon: %s, delta: %s}\n",
		quote(j.Store), quote(j.Dataset), j.TotalEpsilon, j.TotalDel)
	return b.String()
}

// keepTexts gives a column the type text if its cells are words such as yes and no, although they could be booleans: the
// values of a bool column would become true and false. It does so too for columns of the unit that look like floats,
// such as the identifiers that pandas writes as 1.0: two of them could be rounded to one.
func (j *Job) keepTexts() {
	if j.Table.Text == nil {
		return
	}
	keep := func(at int) { j.Table.Types[at], j.Table.Text.Columns[at].Type = "text", "text" }
	for _, name := range j.Unit { // in JSON a number is no text
		if at := slices.Index(j.Table.Names, name); at >= 0 && j.Table.Types[at] == "float" && !j.Table.Format.HasObjects() {
			keep(at)
		}
	}
	for _, q := range j.Questions {
		for _, cells := range q.By {
			at := slices.Index(j.Table.Names, cells.Column)
			if at >= 0 && j.Table.Types[at] == "bool" && slices.ContainsFunc(cells.Values, func(value string) bool {
				return value != "true" && value != "false"
			}) {
				keep(at)
			}
		}
	}
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
	files := make([]string, len(j.Files))
	for i, file := range j.Files {
		files[i] = quoteFile(file)
	}
	fmt.Fprintf(b, "input:\n  files: [%s]   # relative to this file\n", strings.Join(files, ", "))
	if j.Format != "" {
		fmt.Fprintf(b, "  format: %s\n", j.Format)
	}
	switch o := j.Table.Source(); {
	case j.Table.Format.HasObjects():
		b.WriteString("  jsonl:\n    columns:   # " + j.typesComment() + "\n")
		j.writeTypes(b, o.JSONL.Columns)
	case j.Table.Text != nil:
		j.writeCSV(b, &o.CSV)
	}
	b.WriteString("\n# The table's columns, for reference:\n")
	for i, name := range j.Table.Names {
		if name != "" {
			fmt.Fprintf(b, "#   %s (%s)\n", quote(name), j.Table.Types[i])
		}
	}
	b.WriteByte('\n')
}

// writeCSV writes the options for reading the text file, except those that have the default value.
func (j *Job) writeCSV(b *strings.Builder, c *textfile.CSV) {
	var lines strings.Builder
	add := func(differs bool, key, value string) {
		if differs {
			lines.WriteString("    " + key + ": " + value + "\n")
		}
	}
	add(c.Encoding != "utf-8", "encoding", c.Encoding)
	add(c.Delimiter != 0 && c.Delimiter != ',' && c.Delimiter != '\t', "delimiter", quoted(string(c.Delimiter)))
	switch {
	case c.Quote == textfile.NoQuote:
		add(true, "quote", "none   # some fields hold quotes, and none is quoted")
	case c.Quote != 0 && j.Table.Format == columns.TSV:
		add(true, "quote", quoted(string(c.Quote))+
			"   # some fields are quoted; files of format tsv are read without quotes unless this is said")
	default:
		add(c.Quote != 0, "quote", quoted(string(c.Quote)))
	}
	add(!c.Header, "header", "false")
	add(!c.Header, "columns", list(c.Columns))
	add(c.Header && len(c.Columns) > 0, "columns", list(c.Columns)+"   # in place of the header, which has a name twice")
	add(c.Mark, "mark", "true")
	add(c.LineEnd != "", "line_end", c.LineEnd)
	add(c.TrimSpace, "trim_space", "true")
	add(c.Decimal != 0, "decimal", quoted(string(c.Decimal)))
	add(c.Thousands != 0, "thousands", quoted(string(c.Thousands)))
	add(len(c.NullValues) > 0, "null_values", list(c.NullValues)+"   # "+guessedFromRows)
	var types strings.Builder
	j.writeTypes(&types, c.Types)
	if types.Len() > 0 {
		lines.WriteString("    types:   # columns that are not listed are text; " + j.typesComment() + "\n" + types.String())
	}
	if lines.Len() > 0 {
		b.WriteString("  csv:\n" + lines.String())
	}
}

// guessedFromRows is the comment that the job file has beside settings that were guessed from rows.
const guessedFromRows = "seen in single rows, and public with the release: check it by what is known without them"

// typesComment returns the comment in the job file that tells where the types of a text file come from.
func (j *Job) typesComment() string {
	if j.Declared {
		return "as given"
	}
	return guessedFromRows
}

// writeTypes writes the types of the columns that are in types and that the queries use.
func (j *Job) writeTypes(b *strings.Builder, types map[string]string) {
	used := j.usedColumns()
	for _, name := range j.Table.Names {
		if t, typed := types[name]; typed && slices.Contains(used, name) {
			fmt.Fprintf(b, "      %s: %s\n", quote(name), quote(t))
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
		fmt.Fprintf(b, "  - name: %s\n", quote(q.name(taken)))
		switch q.Kind {
		case "count":
			b.WriteString("    count: {}\n")
		case "histogram", "quantiles":
			b.WriteString("    histogram:\n      by:\n")
			j.writeBy(b, q.By)
			if q.Kind == "quantiles" {
				b.WriteString("      quantiles: [0.25, 0.5, 0.75]   # of whole numbers: round the lower end of an interval down\n")
			}
		default:
			fmt.Fprintf(b, "    %s:\n      column: %s\n", q.Kind, quote(q.Value.Column))
			if q.Value.Discover {
				fmt.Fprintf(b, "      clamp: discover   # found privately within the range, for a tenth of the query's budget\n"+
					"      range: [%s, %s]\n", q.Value.From, q.Value.To)
			} else {
				fmt.Fprintf(b, "      clamp: [%s, %s]   # values beyond are moved onto the nearer end\n", q.Value.From, q.Value.To)
			}
			if len(q.By) > 0 {
				b.WriteString("      by:\n")
				j.writeBy(b, q.By)
			}
			if q.MinCount > 0 {
				fmt.Fprintf(b, "    # Groups of fewer rows are left empty: their interval would be most of the range.\n"+
					"    publish: {min_count: %d}\n", q.MinCount)
			}
		}
		if len(j.Unit) > 0 && slices.ContainsFunc(q.By, func(c Cells) bool { return c.Discover }) {
			fmt.Fprintf(b, "    per_unit: {max_groups: %d}   # in so many of the keys that are found a unit counts\n", j.MaxRows)
		}
	}
	b.WriteByte('\n')
}

// writeBy writes dimensions. Texts are compared without regard to case and blanks.
func (j *Job) writeBy(b *strings.Builder, by []Cells) {
	for i := range by {
		c, fold := &by[i], ""
		at := slices.Index(j.Table.Names, c.Column)
		if at >= 0 && j.Table.Types[at] == "text" && (len(c.Values) > 0 || c.File != "") {
			fold = ", fold: [case, space]"
		}
		// if two dimensions use one column, each needs its own name in the release
		if slices.ContainsFunc(by[:i], func(earlier Cells) bool { return earlier.Column == c.Column }) {
			name := c.Column + "_" + c.Field
			if c.Field == "" {
				name = fmt.Sprintf("%s_%d", c.Column, i+1)
			}
			fold += ", as: " + quote(name)
		}
		text := c.text()
		if c.Missing {
			text += ", null: bin"
			if !strings.Contains(text, "other: bin") {
				text += ", other: bin"
			}
		}
		fmt.Fprintf(b, "        - {column: %s, %s%s}\n", quote(c.Column), text, fold)
	}
}

// text returns the dimension as keys of the job file.
func (c *Cells) text() string {
	switch {
	case c.Discover:
		return "keys: discover"
	case c.Edges != nil:
		return "edges: [" + strings.Join(c.Edges, ", ") + "]"
	case c.Field != "":
		return "part: " + c.Field
	case c.File != "":
		return fmt.Sprintf("values_from: {file: %s, column: %s}", quote(c.File), quote(c.FileColumn))
	case c.From != "" && slices.Contains(steps, c.Step):
		return fmt.Sprintf("from: %s, to: %s, every: %s", c.From, c.To, c.Step)
	case c.From != "":
		return fmt.Sprintf("from: %s, to: %s, width: %s", c.From, c.To, c.Step)
	}
	return "values: " + list(c.Values) + ", other: bin"
}

var notNameBytes = regexp.MustCompile(`[^a-z0-9]+`)

// name returns a name for the query, made of its kind and its columns. It differs from all names in taken.
func (q *Query) name(taken map[string]bool) string {
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

// quoted writes a text as a YAML scalar in double quotes, with the escapes of Go.
func quoted(s string) string { return strconv.Quote(strings.ReplaceAll(s, "${", "$${")) }

// quoteFile quotes a path or URL. If the query string of a URL comes from the environment, the reference stays.
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
