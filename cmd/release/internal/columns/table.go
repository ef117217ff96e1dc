package columns

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/io/table"
)

// Table is a file and its columns. For Parquet and Arrow, they come from the file's schema; for text files, from its
// first bytes.
type Table struct {
	*Look
	// Path is the path of the file, or a URL.
	Path string
	// place is Path with the value of the variable that Path names (see placeOf).
	place string
	// Names and Types are the names and the types of the columns. For text files, types are in the form of jobs; otherwise
	// in the form of the file format.
	Names, Types []string
}

// OpenTable reads the beginning of a file, or of the first object at a URL. The query of an https URL may be
// ${env:NAME}, as in a job. Errors: errors of the system, ErrEmpty, ErrDamaged, ErrVariable, those
// of formats that no job can read, and the errors of io/source.
func OpenTable(ctx context.Context, path string) (*Table, error) {
	place, err := placeOf(path)
	if err != nil {
		return nil, err
	}
	look, err := File(ctx, place)
	if err != nil {
		return nil, err
	}
	t := &Table{Look: look, Path: path, place: place}
	switch err := unreadables[look.Format]; {
	case err != nil:
		return nil, err
	case look.Text != nil:
		for _, c := range look.Text.Columns {
			t.Names, t.Types = append(t.Names, c.Name), append(t.Types, c.Type)
		}
	case look.Format == Parquet || look.Format == Arrow:
		d, err := source.Open(ctx, t.Source())
		if err != nil {
			return nil, err
		}
		defer d.Close()
		for _, f := range d.Schema().Fields {
			t.Names, t.Types = append(t.Names, f.Name), append(t.Types, f.Type.String())
		}
	}
	return t, nil
}

// ErrVariable means that an address names a variable of the environment that is not set.
var ErrVariable = errors.New("the address names a variable of the environment that is not set")

// reference matches a URL whose query is a reference ${env:NAME}, as in a job.
var reference = regexp.MustCompile(`^(https://[^?]*\?)\$\{env:([^}]*)\}$`)

// placeOf replaces a reference ${env:NAME} in a URL by the variable's value.
func placeOf(path string) (string, error) {
	m := reference.FindStringSubmatch(path)
	if m == nil {
		return path, nil
	}
	query, ok := os.LookupEnv(m[2])
	if !ok {
		return "", ErrVariable
	}
	return m[1] + query, nil
}

// Declare sets the types of the columns of a text file, in place of the types that the values suggest. A column that
// types does not have is text. No text means null in these types. Declare does nothing for other formats, which have
// types of their own.
func (t *Table) Declare(types map[string]string) {
	if t.Text == nil {
		return
	}
	t.Text.NullValues, t.Text.Decimal, t.Text.Thousands = nil, '.', 0
	for i := range t.Text.Columns {
		c := &t.Text.Columns[i]
		c.Type = cmp.Or(types[c.Name], "text")
		c.Doubts, c.Other, t.Types[i] = nil, false, c.Type
	}
}

// Base returns the last part of a path or URL, which names the file in messages.
func Base(path string) string {
	if store.IsAddress(path) {
		return store.Base(path)
	}
	return filepath.Base(path)
}

// Source returns the options to read the file with the detected dialect.
func (t *Table) Source() source.Options {
	o := source.Options{Dir: filepath.Dir(t.Path), Files: []string{filepath.Base(t.Path)}, Format: string(t.Format)}
	if store.IsAddress(t.place) {
		o.Dir, o.Files = "", []string{t.place}
	}
	x := t.Text
	if x == nil {
		return o
	}
	if t.Format.HasObjects() {
		o.JSONL.Columns = map[string]string{}
		for _, c := range x.Columns {
			o.JSONL.Columns[c.Name] = c.Type
		}
		return o
	}
	o.CSV = textfile.CSV{
		Header: x.Header, Encoding: x.Encoding, Delimiter: x.Delimiter, TrimSpace: x.TrimSpace, NullValues: x.NullValues,
		Thousands: x.Thousands, Types: map[string]string{},
	}
	switch {
	case x.Quote == 0 && t.Format == CSV:
		o.CSV.Quote = textfile.NoQuote
	case x.Quote != '"' || t.Format == TSV: // files of format tsv have no quotes by default
		o.CSV.Quote = x.Quote
	}
	if x.Decimal != '.' {
		o.CSV.Decimal = x.Decimal
	}
	if !x.Header || x.Renamed {
		o.CSV.Columns = t.Names
	}
	if !x.Header {
		// Mark and line end are options of files without a header.
		o.CSV.Mark = x.Mark
		if x.LineEnds == "CRLF" {
			o.CSV.LineEnd = "crlf"
		}
	}
	for _, c := range x.Columns {
		if c.Type != "text" {
			o.CSV.Types[c.Name] = c.Type
		}
	}
	return o
}

// Seen summarizes all values of a column. It is for the operator only.
type Seen struct {
	Rows, Null, Unparsed int
	// Values are the most frequent texts. Distinct is the number of different texts; negative if there are more than
	// maxDistinct.
	Values   []Value
	Distinct int
}

// maxDistinct is up to how many different values of a column are counted.
const maxDistinct = 100_000

// ReadValues reads all rows of the columns. It returns a summary of each column, with at most n values.
func (t *Table) ReadValues(ctx context.Context, n int) ([]Seen, error) {
	d, err := source.Open(ctx, t.Source())
	if err != nil {
		return nil, err
	}
	defer d.Close()
	var names []string
	var at []int
	for i, f := range d.Schema().Fields {
		if f.Type.Kind != table.Invalid && f.Type.Kind != table.List {
			names, at = append(names, f.Name), append(at, i)
		}
	}
	seen := make([]Seen, len(d.Schema().Fields))
	counts := make([]map[string]int, len(names))
	for split := range d.Splits() {
		if _, err := d.Read(ctx, split, names, func(b *table.Batch) error {
			for k := range b.Columns {
				counts[k] = seen[at[k]].addColumn(&b.Columns[k], b.Rows, counts[k])
			}
			return nil
		}); err != nil {
			return nil, err
		}
	}
	for k, count := range counts {
		if s := &seen[at[k]]; count != nil {
			s.Distinct, s.Values = len(count), mostFrequent(count, n)
		}
	}
	return inOrderOf(t.Names, d.Schema(), seen), nil
}

// addColumn counts the values of a batch in count, which it returns. Once there are too many different values, it
// returns nil.
func (s *Seen) addColumn(c *table.Column, rows int, count map[string]int) map[string]int {
	if s.Rows == 0 {
		count = map[string]int{}
	}
	s.Rows += rows
	for i := range rows {
		switch {
		case c.IsNull(i):
			s.Null++
			if i < len(c.Unparsed) && c.Unparsed[i] {
				s.Null, s.Unparsed = s.Null-1, s.Unparsed+1
			}
		case count != nil:
			count[source.Text(c, c.Index(i))]++
			if len(count) > maxDistinct {
				s.Distinct, count = -1, nil
			}
		}
	}
	return count
}

// inOrderOf returns summaries in the order of names. seen is in the order of the schema, which is another one for JSON
// lines.
func inOrderOf(names []string, schema table.Schema, seen []Seen) []Seen {
	out := make([]Seen, len(names))
	for i, name := range names {
		if k := schema.Index(name); k >= 0 {
			out[i] = seen[k]
		}
	}
	return out
}
