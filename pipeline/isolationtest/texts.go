package isolationtest

import (
	"math/rand/v2"
	"strings"
)

// pieces holds parts of a file that drawn strings imitate: other rows, delimiters, quotes.
type pieces struct {
	rows   []string // earlier rows as written in the file, without line ends
	header string
	marks  []string // delimiter, quote, comment character, line ends, null words
}

// oddTexts are strings that have a special meaning in some format or encoding, or are invalid in some.
var oddTexts = []string{
	"", " ", "\t", "\n", "\r", "\r\n", "\x00", "\"", "\"\"", "'", "''", "\\", "\\\"", "\\n", "\\N", "\\.", "#", "# ", ",",
	";", "|", "\uFEFF", "\uFFFE", "\uFFFD", "\uFFFF", "\xff\xfe", "\xfe\xff",
	"\xef\xbb\xbf", "\xff", "\xfe", "\x81", "\x8d", "\x8f", "\x90", "\x9d", "\x80", "\x85", "\xa0", "\xed\xa0\x80",
	"\xed\xa0\x81", "\xed\xb0\x80", "\xed\xb0\x81", "\xc3\x28", "\xf4\x90\x80\x80", "\u2028",
	"\u0085", "\u00a0", "\u00e9", "e\u0301", "\U0001F600", "{", "}", "[", "{}", "null", "NULL", "NaN", "nan", "true",
	"false", "-0", "0", "1", "01", "+1", "1.0", "1e0", "1e400", "9223372036854775807",
	"9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "9007199254740993",
	"1,234", "1.234", "0x10", "1_0", "2013-01-01", "=1+1", "PAR1", "PK\x03\x04", "\x1f\x8b",
	"a", "b", "ab", "a ", " a", "A", "\x1a", "\x7f", "a\x00",
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", `{"u":"a0","g":"x","v":"1"}`,
}

// long is the length in bytes of very long strings: more than a reader loads at first.
const long = 300 << 10

// text draws a string from some pieces.
func (p *pieces) text(r *rand.Rand) string {
	var b strings.Builder
	if len(p.marks) > 0 && chance(r, 0.15) { // a mark followed by letters
		return pick(r, p.marks...) + pick(r, "", "v", "v ", "w")
	}
	for range 1 + r.IntN(4) {
		b.WriteString(p.piece(r))
	}
	if chance(r, 1.0/2000) {
		return strings.Repeat(b.String()+"k", long/(b.Len()+1))
	}
	return b.String()
}

func (p *pieces) piece(r *rand.Rand) string {
	switch n := r.IntN(12); {
	case n < 3 && len(p.rows) > 0:
		row := pick(r, p.rows...)
		if row == "" {
			return "\n"
		}
		switch from := r.IntN(len(row)); r.IntN(5) {
		case 0: // the end of an earlier row
			return row[from:]
		case 1: // the beginning of an earlier row
			return row[:from]
		case 2: // an earlier row as a line of its own
			return "\n" + row + "\n"
		case 3:
			return "\r\n" + row + "\r\n"
		default:
			return row
		}
	case n < 6 && len(p.marks) > 0:
		return pick(r, p.marks...)
	case n == 6 && p.header != "":
		return p.header
	case n < 9:
		return pick(r, oddTexts...)
	}
	return pick(r, "a", "b", "x", "1", "\n", "v")
}
