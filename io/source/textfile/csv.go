package textfile

import (
	"strings"
	"unicode/utf8"
)

// CSV holds the options for reading CSV files. They mean:
//
//   - Records end with LF or CRLF. If the header ends with LF alone, or if LineEnd is LF for files without a header, a CR
//     before an LF belongs to the field. Blank lines are skipped. With TrimSpace, spaces and tabs around a field, and
//     outside its quotes, are not part of it.
//
//   - Lines that begin with Comment are skipped before the header, and anywhere if no character quotes. Without a
//     header, and with a character that quotes, there can be no comments: source.Open refuses such a
//     dialect.
//
//   - A first line such as sep=; before the header, which states the delimiter to Excel, is skipped.
//
//   - The text is in UTF-8 (invalid bytes are kept), in UTF-16, or in an encoding of one byte a character, as Encoding
//     states. In UTF-16, a surrogate without its partner is kept, in three bytes. A byte order mark is skipped before a
//     header or if Mark is set; else U+FEFF is an ordinary character. In utf-16le and utf-16be no mark changes the byte
//     order; in utf-16 it does, and such a file must have a header.
//
//   - A field that begins with a quote continues to the next quote that is not doubled, over delimiters and ends of
//     lines. If such a quote is not followed by the field's end, or if there is none in the file, the first quote is an
//     ordinary character.
//
//   - Missing fields at the end of a record are null; surplus fields are ignored.
//
//   - A field is null if its text, quoted or not, is one of NullValues, or if its column is not text and it
//     cannot be parsed, such as the empty text. In a text column the empty text is a value.
//
//   - Types: text (the default), int, float, bool (true, t, yes, y, 1; false, f, no, n, 0; in any case), date
//     (2006-01-02), "date LAYOUT" with a layout of Go's package time, whose day is kept, and "timestamp LAYOUT":
//     a wall-clock reading, or an instant if the layout has a numeric zone; parts finer than microseconds are dropped.
//     Several layouts are separated by " | ". Numbers have the decimal sign Decimal, and Thousands may separate
//     groups of three digits. Blanks around a value of a type other than text are ignored.
//
//   - If a record is longer than 16 MiB, its fields that do not end within the first 16 MiB are null.
//
// So no field and no record can make a read fail, unless Public is set. Lines that are skipped as blank or as comments are counted
// (source.Summary.Blank), since a row may look like one.
type CSV struct {
	Header     bool
	Columns    []string          // names of the columns; they replace a header's names
	Types      map[string]string // text (default), int, float, bool, date, "date LAYOUT", "timestamp LAYOUT"
	Delimiter  rune              // ASCII; a comma if it is 0
	Quote      rune              // ASCII; a double quote if it is 0, and no character if it is NoQuote
	Encoding   string            // utf-8 if it is empty; for others see the key encoding of a job
	Decimal    rune              // a point if it is 0
	Thousands  rune              // no character if it is 0
	TrimSpace  bool
	NullValues []string
	Mark       bool // each file begins with a byte order mark although it has no header; in UTF-8 or UTF-16
	// LineEnd is LF or CRLF, the line end of files without a header; LF if it is empty. If a file has a header, the
	// header's line end counts.
	LineEnd string
	Comment rune // ASCII; no character if it is 0
	// Public is set for a file whose rows are public. A record with more or fewer fields than the header, or with a quote
	// that is not closed, is then an error.
	Public bool
}

// The values of LineEnd.
const (
	LF   = "lf"
	CRLF = "crlf"
)

// NoQuote is the Quote of files in which no character quotes.
const NoQuote rune = -1

// StatedDelimiter returns the delimiter that a line such as sep=; states, with or without its line end; 0 if the line
// is another one.
func StatedDelimiter(line string) rune {
	line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
	if d, ok := strings.CutPrefix(line, "sep="); ok && len(d) == 1 && d[0] < utf8.RuneSelf {
		return rune(d[0])
	}
	return 0
}
