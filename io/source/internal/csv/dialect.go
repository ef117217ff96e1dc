// Package csv reads CSV files, in pieces by several workers if they are not compressed.
//
// A file is cut into pieces of equal length (pieces.go). A pieceReader loads a piece, and guesses where its first
// record begins until that is known (piece.go). Its rowReader (rows.go) splits the text into records: the usual ones by
// lines (lines.go), all others by a splitter, which knows the whole grammar (scanner.go). It gathers the fields into
// columns (columns.go). A compressed file, or a record that is longer than the memory for a piece, is read as a stream
// by a scanner (scanner.go, longrecord.go).
//
// # Row isolation
//
// For every table T that a correct writer of a dialect can write, and all further rows U, the rows that are read from
// write(T and U) are the rows read from write(T) and from write(U), in any order and any files. The argument: records
// are split one after the other, and a record of a correct writer ends where its row ends, whatever the row holds.
//
//   - A correct writer of a dialect with a quote puts it around every field that holds the quote, the delimiter, a CR
//     or an LF, and doubles the quotes in it (RFC 4180). A CR alone need not be quoted if lines end with LF. With
//     TrimSpace, fields that begin or end with a space or a tab are quoted too.
//   - A correct writer of a dialect without a quote (NoQuote) writes no field that holds the delimiter or an LF.
//   - It writes each row as one record and ends it with a line end, of one kind in a file. It writes a header if Header
//     is set, and a byte order mark only before a header or if Mark is set.
//
// In no dialect does a single row decide how others are read. A first line that states the delimiter (sep=;) is skipped
// only before a header, so it is not a row. A comment ends at a line end, which may be within quotes.
// So lines after the header are comments only if nothing is quoted; each of them is then at most one row, which loses
// only itself. The byte order and the kind of line end are given before the first row, by the header or by the options,
// or have a fixed default. A line that is skipped as blank is at most a row of one empty field.
//
// Two texts of a column are two values of the column, byte by byte, in every encoding. There are two exceptions, both
// set by options: TrimSpace removes blanks around a field, and the texts of NullValues are null. Values of other types
// are compared as values of the type: 1 and 01 are one int.
package csv

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/transform"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
)

// Dialect holds the options of a CSV file after they were checked.
type Dialect struct {
	textfile.CSV
	comma, comment byte     // comment is 0 if no line after the header is a comment
	quote          byte     // 0 if fields have no quotes: no text holds the byte 0
	letters        *letters // the characters of a one-byte encoding; nil for UTF-8 and UTF-16
	nulls          map[string]bool
	nullLengths    uint64 // bit n is set if nulls has a text of n bytes; bit 63 stands for 63 bytes and more
	types          map[string]scan.TextType
	longest        int       // maximum number of bytes of a record that are parsed: maxRecord, except in tests
	Ahead          bool      // a goroutine decompresses the text ahead of its reader
	readers        sync.Pool // idle *pieceReader values, for all files of a dataset
}

// isNull reports whether a text stands for a null.
func (d *Dialect) isNull(text []byte) bool {
	return d.nullLengths>>min(len(text), 63)&1 != 0 && d.nulls[string(text)]
}

// NewDialect checks the options and reports all problems at once. In the columns of exact, such as those of privacy
// units, two different texts never become the same value.
func NewDialect(c textfile.CSV, exact []string) (*Dialect, error) {
	d := &Dialect{CSV: c, comma: ',', nulls: map[string]bool{}, quote: '"', longest: maxRecord}
	if c.Delimiter != 0 {
		d.comma = byte(c.Delimiter)
	}
	var wrong fault.Errors
	if !slices.Contains([]string{"", textfile.LF, textfile.CRLF}, c.LineEnd) {
		wrong = append(wrong, fault.New(fault.CodeOption, "%q is not a line end",
			c.LineEnd).Advise("the line ends are lf and crlf"))
	}
	switch {
	case c.Quote == textfile.NoQuote:
		d.quote = 0
	case c.Quote > 127 || c.Quote < 0 || strings.ContainsRune("\r\n", c.Quote) || c.TrimSpace &&
		strings.ContainsRune(" \t", c.Quote):
		wrong = append(wrong, fault.New(fault.CodeOption, "%q cannot be the quote", c.Quote))
	case c.Quote != 0:
		d.quote = byte(c.Quote)
	}
	if d.quote == 0 {
		d.comment = byte(c.Comment)
	}
	for _, r := range []rune{c.Delimiter, c.Comment} {
		if r < 0 || r > 127 || strings.ContainsRune("\r\n", r) || r != 0 && r == rune(d.quote) {
			wrong = append(wrong, fault.New(fault.CodeOption, "%q cannot be a delimiter or begin a comment", r))
		}
	}
	wrong = append(wrong, d.setEncoding()...)
	digits := scan.Digits{Decimal: d.Decimal, Thousands: d.Thousands}
	if digits.Thousands != 0 && digits.Thousands == cmp.Or(digits.Decimal, '.') {
		wrong = append(wrong, fault.New(fault.CodeOption,
			"the decimal sign and the separator of thousands are the same character"))
	}
	if c.Delimiter == c.Comment && c.Comment != 0 {
		wrong = append(wrong, fault.New(fault.CodeOption, "delimiter and comment are the same character"))
	}
	for _, n := range c.NullValues {
		d.nulls[n] = true
		d.nullLengths |= 1 << min(len(n), 63)
	}
	var badTypes fault.Errors
	d.types, badTypes = scan.TextTypes(c.Types, digits, exact)
	return d, append(wrong, badTypes...).Err()
}

// fields returns a schema with the given column names, which come from the job or from a header.
func (d *Dialect) fields(names []string) (table.Schema, error) {
	var s table.Schema
	for _, n := range names {
		t := table.Type{Kind: table.String}
		if typed, ok := d.types[n]; ok {
			t = typed.Type
		}
		s.Fields = append(s.Fields, table.Field{Name: n, Type: t})
	}
	var wrong fault.Errors
	for _, name := range slices.Sorted(maps.Keys(d.types)) {
		if !slices.Contains(names, name) {
			wrong = append(wrong, fault.New(fault.CodeColumn, "there is no such column to be given a type").Advise("%s",
				table.HeaderAdvice(names, name)).OfColumn(name))
		}
	}
	return s, wrong.Err()
}

// isPublic reports whether the column's name is public because the job gives it.
func (d *Dialect) isPublic(column string) bool {
	_, typed := d.Types[column]
	return typed || len(d.Columns) > 0
}

// isBlank reports whether b is white space that TrimSpace removes around a field.
func (d *Dialect) isBlank(b byte) bool { return d.TrimSpace && (b == ' ' || b == '\t') && b != d.comma }

// setEncoding sets letters if the file has a one-byte encoding. It returns an error if the encoding is unknown.
func (d *Dialect) setEncoding() fault.Errors {
	if m := oneByte[d.Encoding]; m != nil {
		d.letters = newLetters(m)
		return nil
	}
	switch {
	case d.Encoding == byMark && !d.Header:
		return fault.Errors{fault.New(fault.CodeOption,
			"in a file of encoding utf-16 without a header the first row could give the byte order").
			Advise("write encoding: utf-16le or utf-16be, and mark: true if the file begins with a byte order mark")}
	case d.Encoding == "" || d.Encoding == "utf-8" || d.isWide():
		return nil
	}
	return fault.Errors{fault.New(fault.CodeOption, "%q is not a known encoding",
		d.Encoding).Advise("the encodings are %s", strings.Join(Encodings(), ", "))}
}

// skipsMark reports whether the reader skips a UTF-8 byte order mark at the start of a file.
func (d *Dialect) skipsMark() bool { return d.Header || d.Mark && d.letters == nil }

// isWide reports whether the whole text is decoded before it is split into records, as for UTF-16.
func (d *Dialect) isWide() bool {
	_, ok := wide[d.Encoding]
	return ok
}

// decodeText returns a reader of r's text in UTF-8, if the text is decoded before it is split. Otherwise it returns r.
func (d *Dialect) decodeText(r io.Reader) io.Reader {
	if e, ok := wide[d.Encoding]; ok {
		return transform.NewReader(r, &e)
	}
	return r
}
