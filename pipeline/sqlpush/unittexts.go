package sqlpush

import (
	"fmt"

	"github.com/dprelease/dprelease/io/table"
)

// The digest of a unit is made from a canonical text of each of its columns, which
// queries/internal/columnar/canonical.go defines. This file writes the text in SQL; a dialect adds a few functions.

// unitText returns the SQL expression for the canonical text, as bytes, of a unit's column x, whose type is of. If
// binary is set, x already holds the bytes of a text.
type unitText func(x string, of table.Type, binary bool) string

// unitTextSyntax holds the functions by which a dialect writes the parts of a canonical text.
type unitTextSyntax struct {
	Number   func(x string) string // an integer as text
	Date     func(x string) string // a date of the years 1 to 9999 as text
	OtherDay func(x string) string // a date of another year as text
	// microseconds since 1970 in the years 1 to 9999, as ISO 8601 without zeros at the end of a fraction
	Time     func(x string) string
	Quotient string                // the operator that divides integers
	Bytes    func(x string) string // a text as bytes
}

// write returns the SQL expression for the canonical text of x; it is the dialect's unitText.
func (w unitTextSyntax) write(x string, of table.Type, binary bool) string {
	switch of.Kind {
	case table.String:
		if binary {
			return x
		}
	case table.Bool:
		x = "CASE WHEN " + x + " = 1 THEN 'true' ELSE 'false' END"
	case table.Date:
		x = fmt.Sprintf("CASE WHEN %s BETWEEN %d AND %d THEN %s ELSE %s END", x, firstDay, lastDay, w.Date(x), w.OtherDay(x))
	case table.Timestamp:
		iso := w.Time(x)
		if of.Zone == table.UTC {
			iso += " || 'Z'"
		}
		x = fmt.Sprintf("CASE WHEN %s BETWEEN %d AND %d THEN %s ELSE %s END", x, firstDay*dayMicros, (lastDay+1)*dayMicros-1,
			iso, w.otherTime(x))
	default:
		x = w.Number(x)
	}
	return w.Bytes(x)
}

// otherTime returns the canonical text of a time outside of the years 1 to 9999: its seconds since 1970, rounded down,
// and the nanoseconds after it.
func (w unitTextSyntax) otherTime(x string) string {
	rest := fmt.Sprintf("((%s %% %d + %d) %% %d)", x, secondMicros, secondMicros, secondMicros)
	return fmt.Sprintf("'second ' || %s || '+' || %s", w.Number(fmt.Sprintf("(%s - %s) %s %d", x, rest, w.Quotient,
		secondMicros)), w.Number(rest+" * 1000"))
}
