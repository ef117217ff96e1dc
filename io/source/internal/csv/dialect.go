// Package csv reads CSV files, in pieces by several workers if they are not compressed.
//
// A file is cut into pieces of equal length (cuts.go, cutting.go). The bytes of a piece are split into records and fields (lines.go for what most files
// hold, scanner.go for all of the grammar), of which rows are gathered into columns (rows.go, columns.go, types.go).
package csv

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/transform"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// Options is the dialect of CSV files. What it means:
//
//   - Records end with LF or CRLF. Blank lines and lines that begin with Comment are skipped, and so is a byte order
//     mark. With TrimSpace, spaces and tabs around a field, and outside its quotes, are not part of it.
//
//   - The text is in UTF-8 (bytes that are not are kept as they are), in UTF-16, or in an encoding of one byte a character, as Encoding says.
//
//   - A field that begins with a quote goes on to the next quote that is not doubled, over delimiters and ends of lines.
//     If such a quote is not followed by the field's end, or if there is none in the file, the first quote is an ordinary character.
//
//   - Fields that a record lacks at its end are null; fields that it has too many are ignored.
//
//   - A field is null if its text, quoted or not, is one of NullValues, or if its column is not text and it
//     cannot be parsed, such as the empty text. In a text column the empty text is a value.
//
//   - Types: text (the default), int, float, bool (true, t, yes, y, 1; false, f, no, n, 0; in any case), date
//     (2006-01-02), "date LAYOUT" with a layout of Go's package time, of which the day is kept, and "timestamp LAYOUT":
//     a wall-clock reading, or an instant if the layout has a numeric zone; finer parts than microseconds are dropped. Several layouts are
//     separated by " | ". Numbers have the decimal sign Decimal, and Thousands may stand between groups of three digits. Blanks around a
//     value of a type other than text are ignored.
//
//   - Of a record that is longer than 16 MiB, the fields that do not end within the first 16 MiB are null.
//
// So no field and no record can make a read fail. Lines that are skipped as blank or as comments are counted (Summary.Blank): a row may look like one.
type Options struct {
	Header     bool
	Columns    []string          // names, if Header is false (or instead of the header's)
	Types      map[string]string // text (default), int, float, bool, date, "date LAYOUT", "timestamp LAYOUT"
	Delimiter  rune              // ASCII; a comma if it is 0
	Quote      rune              // ASCII; a double quote if it is 0, and no character if it is NoQuote
	Encoding   string            // one of Encodings; utf-8 if it is empty
	Decimal    rune              // a point if it is 0
	Thousands  rune              // no character if it is 0
	TrimSpace  bool
	NullValues []string
	Comment    rune // ASCII; no character if it is 0
}

// NoQuote is the Quote of files in which no character quotes.
const NoQuote rune = -1

// Dialect is a checked CSV.
type Dialect struct {
	Options
	comma, comment byte     // comment is 0 if no line is a comment
	quote          byte     // 0 if no character quotes: a text does not hold the byte 0
	letters        *letters // nil if the text is in UTF-8 or is made UTF-8 before it is split
	nulls          map[string]bool
	nullLengths    uint64 // bit n is set if a text of n bytes may be in nulls, bit 63 if a longer one may be
	types          map[string]scan.TextType
	Ahead          bool      // compressed text is decompressed ahead, in a goroutine of its own
	readers        sync.Pool // of *csvPieceReader, used for any of a dataset's files
}

// null says whether a text stands for a null.
func (d *Dialect) null(text []byte) bool {
	return d.nullLengths>>min(len(text), 63)&1 != 0 && d.nulls[string(text)]
}

// NewDialect checks c, all of it at once.
func NewDialect(c Options) (*Dialect, error) {
	d := &Dialect{Options: c, comma: ',', comment: byte(c.Comment), nulls: map[string]bool{}, quote: '"', types: map[string]scan.TextType{}}
	if c.Delimiter != 0 {
		d.comma = byte(c.Delimiter)
	}
	var wrong scan.Errors
	switch {
	case c.Quote == NoQuote:
		d.quote = 0
	case c.Quote > 127 || c.Quote < 0 || strings.ContainsRune("\r\n", c.Quote):
		wrong = append(wrong, scan.Fault(scan.CodeOption, "%q cannot be the quote", c.Quote))
	case c.Quote != 0:
		d.quote = byte(c.Quote)
	}
	for _, r := range []rune{c.Delimiter, c.Comment} {
		if r < 0 || r > 127 || strings.ContainsRune("\r\n", r) || r != 0 && r == rune(d.quote) {
			wrong = append(wrong, scan.Fault(scan.CodeOption, "%q cannot be a delimiter or begin a comment", r))
		}
	}
	wrong = append(wrong, d.setEncoding()...)
	if digits := d.digits(); digits.Thousands != 0 && digits.Thousands == cmp.Or(digits.Decimal, '.') {
		wrong = append(wrong, scan.Fault(scan.CodeOption, "the decimal sign and the separator of thousands are the same character"))
	}
	if c.Delimiter == c.Comment && c.Comment != 0 {
		wrong = append(wrong, scan.Fault(scan.CodeOption, "delimiter and comment are the same character"))
	}
	for _, n := range c.NullValues {
		d.nulls[n] = true
		d.nullLengths |= 1 << min(len(n), 63)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Types)) {
		t, e := scan.NewTextType(c.Types[name], d.digits())
		if e != nil {
			wrong = append(wrong, e.OfColumn(name))
		}
		d.types[name] = t
	}
	return d, wrong.Err()
}

func (d *Dialect) digits() scan.Digits {
	return scan.Digits{Decimal: d.Decimal, Thousands: d.Thousands}
}

// With returns a dialect that differs in its delimiter.
func (d *Dialect) With(delimiter rune) (*Dialect, error) {
	o := d.Options
	o.Delimiter = delimiter
	other, err := NewDialect(o)
	if err == nil {
		other.Ahead = d.Ahead
	}
	return other, err
}

// fields gives the columns their types. Names come from the job or from a header.
func (d *Dialect) fields(names []string) (table.Schema, error) {
	var s table.Schema
	for _, n := range names {
		t := table.Type{Kind: table.String}
		if typed, ok := d.types[n]; ok {
			t = typed.Type
		}
		s.Fields = append(s.Fields, table.Field{Name: n, Type: t})
	}
	var wrong scan.Errors
	for _, name := range slices.Sorted(maps.Keys(d.types)) {
		if !slices.Contains(names, name) {
			wrong = append(wrong, scan.Fault(scan.CodeColumn, "there is no such column to be given a type").Advise("%s", table.HeaderAdvice(names, name)).OfColumn(name))
		}
	}
	if len(wrong) > 0 {
		return s, wrong
	}
	return s, nil
}

// public says whether a column's name is one that the job gives.
func (d *Dialect) public(column string) bool {
	_, typed := d.Types[column]
	return typed || len(d.Columns) > 0
}

// blank says whether b is white space around a field.
func (d *Dialect) blank(b byte) bool { return d.TrimSpace && (b == ' ' || b == '\t') && b != d.comma }

// setEncoding prepares the decoding that the options name.
func (d *Dialect) setEncoding() scan.Errors {
	if m := oneByte[d.Encoding]; m != nil {
		d.letters = newLetters(m)
		return nil
	}
	if d.Encoding == "" || d.Encoding == "utf-8" || wide[d.Encoding] != nil {
		return nil
	}
	return scan.Errors{scan.Fault(scan.CodeOption, "%q is no encoding that is known", d.Encoding).Advise("the encodings are %s", strings.Join(Encodings(), ", "))}
}

// wide says whether the text is decoded before it is split.
func (d *Dialect) wide() bool { return wide[d.Encoding] != nil }

// decoded returns the text of r in UTF-8, unless its fields are decoded one by one.
func (d *Dialect) decoded(r io.Reader) io.Reader {
	if e := wide[d.Encoding]; e != nil {
		return transform.NewReader(r, e.NewDecoder())
	}
	return r
}
