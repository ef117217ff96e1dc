package sqlpush

import (
	"fmt"

	"github.com/dprelease/dprelease/io/table"
)

// The messages that digests are of, as queries/internal/sampling/sample.go has them
//
// What a message is made of is said here once for all dialects; a dialect says how it writes a piece of it.

// pieces is how a dialect writes the pieces of a message.
type pieces struct {
	unit   func(*Column) string             // the text of a unit's column, as bytes
	length func(text string) string         // the number of bytes of a unit's text, in four bytes
	number func(x string, width int) string // a number in 4 bytes, if it is not negative, or in 8
	bytes  func(hexadecimal string) string  // bytes that are always the same
}

// of are the pieces of a message, one after the other: before the text of a unit's column its length, so that no two units have the same message.
func (w pieces) of(parts []Part) (all []string) {
	for _, p := range parts {
		switch {
		case p.Unit != nil:
			text := w.unit(p.Unit)
			all = append(all, w.length(text), text)
		case p.Column != "":
			all = append(all, p.Column)
		case p.Number != "":
			all = append(all, w.number(p.Number, p.Width))
		default:
			all = append(all, w.bytes(hexadecimal(p.Bytes)))
		}
	}
	return all
}

// canonical is how a dialect writes the canonical text of a unit's column: that of queries/bounding/unit.go, as bytes.
type canonical struct {
	number   func(x string) string // a whole number as text
	date     func(x string) string // a date of the years 1 to 9999 as text
	otherDay func(x string) string // another one; nil if there is none
	time     func(x string) string // microseconds of the years 1 to 9999 as ISO text with six digits of a second; nil if there is none
	quotient string                // the operator that divides whole numbers, used if time is set
	bytes    func(x string) string // a text as bytes
}

func (w canonical) of(c *Column) string {
	x := c.Expr
	switch c.Type.Kind {
	case table.String:
		if c.Binary {
			return x
		}
	case table.Bool:
		x = "CASE WHEN " + x + " = 1 THEN 'true' ELSE 'false' END"
	case table.Date:
		day := w.date(x)
		if w.otherDay != nil {
			day = fmt.Sprintf("CASE WHEN %s BETWEEN %d AND %d THEN %s ELSE %s END", x, firstDay, lastDay, day, w.otherDay(x))
		}
		x = day
	case table.Timestamp:
		iso := "rtrim(rtrim(" + w.time(x) + ", '0'), '.')"
		if c.Type.Zone == table.UTC {
			iso += " || 'Z'"
		}
		x = fmt.Sprintf("CASE WHEN %s BETWEEN %d AND %d THEN %s ELSE %s END", x, firstDay*daySeconds*million, (lastDay+1)*daySeconds*million-1, iso, w.otherTime(x))
	default:
		x = w.number(x)
	}
	return w.bytes(x)
}

const (
	firstDay   = -719162
	lastDay    = 2932896
	daySeconds = 86400
	million    = 1_000_000
)

// otherTime is the text of a time of other years: its second, rounded down, and the nanoseconds after that.
func (w canonical) otherTime(x string) string {
	rest := fmt.Sprintf("((%s %% %d + %d) %% %d)", x, million, million, million)
	return fmt.Sprintf("'second ' || %s || '+' || %s", w.number(fmt.Sprintf("(%s - %s) %s %d", x, rest, w.quotient, million)), w.number(rest+" * 1000"))
}
