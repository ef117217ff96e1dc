package columns

import (
	"maps"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/io/source/textfile"
)

// Text describes a text file with one record a line.
type Text struct {
	// Encoding is utf-8, utf-16le, utf-16be or windows-1252. A file in Latin-1 without control characters looks like
	// windows-1252, and means the same.
	Encoding string
	// Delimiter is the character between fields; 0 for JSON lines and for a file of one column.
	Delimiter rune
	// Stated is set if the file's first line states the delimiter, such as sep=; for Excel. It is not a record.
	Stated bool
	// Quote is the character around fields that hold delimiters: a double quote, or an apostrophe. It is 0 if no
	// character quotes: a correct writer that quotes would not have written this file.
	Quote rune
	// Mark is set if the file begins with a byte order mark.
	Mark bool
	// Header is set if the first record seems to hold the columns' names.
	Header bool
	// HeaderLine is the line, counted from 1, that seems to hold the columns' names if it is below lines of a title or
	// remarks; else 0.
	HeaderLine int
	// Short is set if the first record seems to hold the columns' names without a name for the first column.
	Short bool
	// Renamed is set if the header has a name twice: Columns then have other names, which a job must list.
	Renamed bool
	// TrimSpace is set if fields are surrounded by spaces.
	TrimSpace bool
	// LineEnds is LF, CRLF, CR or mixed.
	LineEnds string
	// Ragged is the number of records whose number of fields differs from the first record's.
	Ragged int
	// Records is the number of records that were read, without the header.
	Records int
	// Columns are the columns in the order of the file. Without a header, their names are column_1, column_2, ….
	Columns []Column
	// Decimal is the decimal sign of the columns of numbers, and Thousands the separator of groups of three digits; 0
	// if there is none.
	Decimal, Thousands rune
	// NullValues are the texts that seem to mean null in some column.
	NullValues []string
}

// lookAtText describes the first bytes of a file that is not a known binary format.
func lookAtText(head []byte, whole bool) (Format, *Text) {
	name, decoded := decode(head)
	if name == "" {
		return Unknown, nil
	}
	t := &Text{Encoding: name}
	text := strings.TrimPrefix(decoded, "\ufeff")
	t.Mark = len(text) < len(decoded)
	ends := text
	if !strings.Contains(text, "\n") {
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	if !whole { // the last line may be incomplete
		if i := strings.LastIndexByte(text, '\n'); i > 0 {
			text = text[:i+1]
		}
	}
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		t.LineEnds = lineEnds(ends, 0, 0)
		t.lookAtObjects(text)
		return JSONL, t
	}
	first, after, _ := strings.Cut(text, "\n")
	if d := textfile.StatedDelimiter(first); d != 0 {
		t.Stated, t.Delimiter, text, ends = true, d, after, ends[len(text)-len(after):]
	}
	t.lookAtRecords(text, whole)
	t.LineEnds = lineEnds(ends, t.Quote, t.Delimiter)
	if t.Delimiter == '\t' {
		return TSV, t
	}
	return CSV, t
}

// judge finds the types of the columns, and the decimal sign, thousands separator and null texts that they have in
// common.
func (t *Text) judge() {
	comma, point := 0, 0
	for i := range t.Columns {
		c, p := decimalSigns(t.Columns[i].cells)
		comma, point = comma+c, point+p
	}
	t.Decimal = '.'
	if comma > point {
		t.Decimal = ','
	}
	nulls := map[string]bool{}
	for i := range t.Columns {
		column := &t.Columns[i]
		column.judge(t.Decimal)
		if column.thousands != 0 {
			t.Thousands = column.thousands
		}
		for _, text := range column.nulls {
			nulls[text] = true
		}
	}
	t.NullValues = slices.Sorted(maps.Keys(nulls))
	if comma == 0 {
		t.Decimal = '.'
	}
}
