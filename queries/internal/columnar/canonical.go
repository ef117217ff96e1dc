package columnar

import (
	"encoding/binary"
	"math"
	"strconv"
	"time"

	"github.com/dprelease/dprelease/io/table"
)

// AppendValue appends the value of a unit in one column, which must not hold text, in canonical form: the length of the
// value's text in four bytes, big-endian, then the text.
//
// Two values of one column have the same text only if they are equal. Otherwise two units would be counted as one,
// which is unsafe: if one of them left, rows of the other would replace its rows, and the answer would change by √2
// times the sensitivity.
//
// The text is the value's usual text in text files, so that a table gives the same answers in every format: integers in
// decimal, floats in the shortest decimal without exponent that identifies them, true and false, YYYY-MM-DD, and
// YYYY-MM-DDTHH:MM:SS[.fraction] with Z for instants. In a column of text, a text is its own canonical text: the text
// "7" is the same as the integer 7, but "07" is not.
func AppendValue(dst []byte, word uint64, t table.Type) []byte {
	start := len(dst)
	dst = AppendWord(append(dst, 0, 0, 0, 0), word, t)
	binary.BigEndian.PutUint32(dst[start:], uint32(len(dst)-start-4))
	return dst
}

// AppendWord appends the canonical text of a value that is not a text. word holds an integer, the bits of a float, or
// for dates and times the number that a [table.Column] holds.
func AppendWord(dst []byte, word uint64, t table.Type) []byte {
	switch t.Kind {
	case table.Bool:
		return strconv.AppendBool(dst, word != 0)
	case table.Uint:
		return strconv.AppendUint(dst, word, 10)
	case table.Float:
		return strconv.AppendFloat(dst, math.Float64frombits(word), 'f', -1, 64)
	case table.Date:
		return appendDate(dst, int64(word))
	case table.Timestamp:
		return appendTime(dst, int64(word), t)
	}
	return strconv.AppendInt(dst, int64(word), 10)
}

// FirstDay and LastDay are the first and the last day of the years 1 to 9999, in days since 1970-01-01. Only these
// years have an ISO form; other dates and times are written as numbers.
const (
	FirstDay   = -719162
	LastDay    = 2932896
	DaySeconds = 24 * 3600
)

func appendDate(dst []byte, day int64) []byte {
	if day < FirstDay || day > LastDay {
		return strconv.AppendInt(append(dst, "day "...), day, 10)
	}
	return time.Unix(day*DaySeconds, 0).UTC().AppendFormat(dst, "2006-01-02")
}

func appendTime(dst []byte, units int64, t table.Type) []byte {
	perSecond := 1_000_000_000 / t.Unit
	seconds, rest := units/perSecond, units%perSecond
	if rest < 0 {
		seconds, rest = seconds-1, rest+perSecond
	}
	if seconds < FirstDay*DaySeconds || seconds >= (LastDay+1)*DaySeconds {
		dst = strconv.AppendInt(append(dst, "second "...), seconds, 10)
		return strconv.AppendInt(append(dst, '+'), rest*t.Unit, 10)
	}
	dst = time.Unix(seconds, rest*t.Unit).UTC().AppendFormat(dst, "2006-01-02T15:04:05.999999999")
	if t.Zone == table.UTC {
		dst = append(dst, 'Z')
	}
	return dst
}

// HasCanonicalForm reports whether values of a type have a canonical form, so that they can identify units.
func HasCanonicalForm(t table.Type) bool {
	if t.Kind == table.Timestamp {
		return t.Unit > 0 && 1_000_000_000%t.Unit == 0
	}
	return t.Kind != table.Invalid && t.Kind != table.List
}
