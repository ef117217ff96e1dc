package columns

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/pipeline"
)

const columnsLong = `columns shows the format and the columns of a table, which is a file or a URL (https://host/path,
s3://bucket/key): format, compression, encoding, delimiter, header, and the columns with their types. From Parquet and
Arrow files it reads the footer. From CSV and JSON it reads the first 256 KiB, after decompression, and proposes types
by what it saw there. A run uses none of these proposals: write what is right into the job (release init does so).

With --values it reads all rows and shows, for each column, the most frequent values with their shares. These are
private data: they are for the operator, who may read the file, and for writing down the list of cells of a dimension. A
public list is better, such as the list of all branches of the library, not of those that somebody visited: a cell that
is listed only because the data hold it reveals that somebody is there.`

// Command returns the verb columns.
func Command(c *console.Console) *cobra.Command {
	values, asJSON := 0, false
	cmd := &cobra.Command{
		Use: "columns FILE", Short: "Show what a table looks like: format, delimiter, encoding, names and types",
		Long: columnsLong,
		Example: "  release columns loans.txt\n  release columns https://example.org/loans.csv\n  release columns " +
			"loans.txt --values 20", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if values < 0 {
				return console.Usagef("--values must not be negative")
			}
			return show(cmd.Context(), c, args[0], values, asJSON)
		},
	}
	cmd.Flags().IntVar(&values, "values", 0,
		"also read all rows, and show so many values of each column: for the operator's eyes")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

func show(ctx context.Context, c *console.Console, path string, values int, asJSON bool) error {
	t, err := OpenTable(ctx, path)
	if err != nil {
		return Error(path, err)
	}
	var seen []Seen
	if values > 0 {
		c.Note("what follows is private data, for the eyes of whoever may read the file; do not publish it, and choose no " +
			"cells, ranges or budgets by it that a public source could give")
		if seen, err = t.ReadValues(ctx, values); err != nil {
			return pipeline.InputError(err)
		}
	}
	if asJSON {
		return c.PrintJSON(t.asJSON(seen))
	}
	rows := [][]string{{"column", "type", "remark"}}
	for i, name := range t.Names {
		rows = append(rows, []string{console.OneLine(name), t.Types[i], t.remark(i)})
	}
	text := console.Fill("%s\n\n", t.headline()) + console.Aligned(rows)
	for i := range seen {
		text += seen[i].text(t.Names[i])
	}
	return c.Print(text)
}

// Error returns an error about a file, without a library's text.
func Error(path string, err error) error {
	name := console.Here(path)
	if store.IsAddress(path) { // not the query of a URL, which may hold a signature
		name = console.OneLine(Base(path))
	}
	e := &pipeline.Error{Cause: pipeline.CauseInput, Code: "input", Message: name + " can't be looked at"}
	var format *unreadable
	switch {
	case errors.As(err, &format):
		e.Err, e.Hint = err, format.hint
	case errors.Is(err, ErrVariable):
		e.Err, e.Hint = err, "set it to the query of the signed address"
	case errors.Is(err, ErrEmpty), errors.Is(err, ErrDamaged):
		e.Err, e.Hint = err, "copy it again from where it came from"
	case errors.Is(err, fs.ErrNotExist) && strings.Contains(path, "*"):
		e.Err, e.Hint = notOpened(err), "no file has this name; if it is a pattern, name one of its files "+
			"here, and the pattern in input.files of the job"
	case errors.Is(err, fs.ErrNotExist):
		e.Err, e.Hint = notOpened(err), regular.Hint(path, "a path is relative to the current folder",
			spelling.Distance)
	case errors.Is(err, regular.ErrNotRegular):
		e.Err, e.Hint = notOpened(err), "name a file, such as one of those in the folder; "+
			"input.files of the job takes a pattern, such as data/*.parquet"
	case errors.As(err, new(*fs.PathError)):
		e.Err, e.Hint = notOpened(err), regular.Remedy(err)
	default:
		return pipeline.InputError(err)
	}
	return e
}

// headline describes the file in one line: name, format, and what was detected.
func (t *Table) headline() string {
	words := []string{console.OneLine(Base(t.Path)) + ": " + string(t.Format)}
	if t.Compression != "" {
		words = append(words, "compressed with "+t.Compression)
	}
	if x := t.Text; x != nil {
		words = append(words, x.Encoding)
		if !t.Format.HasObjects() {
			words = append(words, delimiterText(x), map[bool]string{true: "with a header",
				false: "without a header"}[x.Header], "line ends "+x.LineEnds)
			if x.Renamed {
				words = append(words, "some columns have the same name: a job names them all in input.csv.columns")
			}
			switch {
			case x.Quote == 0 && t.Format == CSV:
				words = append(words, "nothing is quoted")
			case x.Quote != 0 && (x.Quote != '"' || t.Format == TSV):
				words = append(words, "quoted by "+string(x.Quote))
			}
			if x.Mark && !x.Header {
				words = append(words, "with a byte order mark")
			}
			if x.TrimSpace {
				words = append(words, "spaces around the fields")
			}
			if x.Decimal != '.' && x.Decimal != 0 {
				words = append(words, "decimal sign "+strconv.Quote(string(x.Decimal)))
			}
			if x.Thousands != 0 {
				words = append(words, "separator of thousands "+strconv.Quote(string(x.Thousands)))
			}
		}
		if len(x.NullValues) > 0 {
			words = append(words, "texts for a missing value: "+console.OneLine(strings.Join(x.NullValues, " ")))
		}
		if x.Ragged > 0 {
			words = append(words, "some lines have another number of fields")
		}
	}
	words = append(words, t.Notes()...)
	return strings.Join(words, ", ")
}

func delimiterText(x *Text) string {
	words := "separated by " + strconv.Quote(string(x.Delimiter))
	switch x.Delimiter {
	case 0:
		words = "one column"
	case '\t':
		words = "separated by tabs"
	}
	if x.Stated {
		words += " as its first line states"
	}
	return words
}

// Notes returns the properties of the file that no job can state, each with a command that writes another file.
func (t *Table) Notes() (notes []string) {
	x := t.Text
	if x == nil {
		return nil
	}
	if x.LineEnds == "CR" {
		notes = append(notes, `a job needs other line ends: tr '\r' '\n' <FILE >NEW`)
	}
	if x.LineEnds == "mixed" && x.Header {
		notes = append(notes, `a job takes all lines to end as the header does: tr -d '\r' <FILE >NEW`)
	}
	if x.Stated && !x.Header {
		notes = append(notes, "without a header, a job reads the line that states the delimiter as a row: sed 1d <FILE >NEW")
	}
	if x.HeaderLine > 0 {
		notes = append(notes, fmt.Sprintf("line %d seems to be the header, but a job needs it in the first line: tail -n "+
			"+%d <FILE >NEW",
			x.HeaderLine, x.HeaderLine))
	}
	if x.Short {
		notes = append(notes, fmt.Sprintf(`its first line has one field less than the others: if it holds the names of all `+
			`columns but the first, as R's write.table writes them, add a name: sed '1s/^/row%s/' <FILE >NEW`,
			strings.Trim(strconv.Quote(string(x.Delimiter)), `"`)))
	}
	return notes
}

// remark returns a text about what is uncertain in the type of column i.
func (t *Table) remark(i int) string {
	if t.Text == nil {
		return ""
	}
	c := &t.Text.Columns[i]
	doubts := c.Doubts
	if c.Name == "" {
		doubts = append(doubts, "has no name in the header: a job cannot use it")
	}
	if c.Other {
		doubts = append(doubts, "some texts are not values of this type: they would count as missing")
	}
	return strings.Join(doubts, "; ")
}

// text shows the most frequent values of a column, each with its fraction of the rows.
func (s *Seen) text(name string) string {
	share := func(n int) string { return fmt.Sprintf("%.3g %%", 100*float64(n)/float64(max(1, s.Rows))) }
	distinct := spelling.Count(s.Distinct, "different value")
	if s.Distinct < 0 {
		distinct = fmt.Sprintf("more than %d different values", maxDistinct)
	}
	rows := make([][]string, len(s.Values))
	for i, v := range s.Values {
		rows[i] = []string{"  " + v.Text, share(v.Count)}
	}
	return console.Fill("\n%s: %s, missing %s, not of the type %s\n", name, distinct, share(s.Null), share(s.Unparsed)) +
		console.Aligned(rows)
}

func (t *Table) asJSON(seen []Seen) map[string]any {
	columns := make([]map[string]any, len(t.Names))
	for i, name := range t.Names {
		columns[i] = map[string]any{"name": name, "type": t.Types[i], "remark": t.remark(i)}
		if i < len(seen) {
			values := []map[string]any{}
			for _, v := range seen[i].Values {
				values = append(values, map[string]any{"value": v.Text, "rows": v.Count})
			}
			columns[i]["rows"], columns[i]["null"], columns[i]["unparsed"], columns[i]["values"] = seen[i].Rows, seen[i].Null,
				seen[i].Unparsed, values
		}
	}
	out := map[string]any{"format": t.Format, "compression": t.Compression, "columns": columns}
	if x := t.Text; x != nil {
		out["encoding"], out["line_ends"], out["header"], out["null_values"] = x.Encoding, x.LineEnds, x.Header, x.NullValues
		for key, r := range map[string]rune{"delimiter": x.Delimiter, "decimal": x.Decimal, "thousands": x.Thousands,
			"quote": x.Quote} {
			if r != 0 {
				out[key] = string(r)
			}
		}
		if x.Quote == 0 && t.Format == CSV {
			out["quote"] = "none"
		}
	}
	return out
}
