package sqlpush

import (
	"fmt"

	"github.com/dprelease/dprelease/io/table"
)

// The digest of a unit is of the canonical text of each of its columns, which is that of queries/bounding/unit.go. A
// dialect has a few functions for the parts of such a text.

// unitText writes the text of a column that is read as an expression of a type, as bytes. Texts are of bytes already if
// binary is set.
type unitText func(x string, of table.Type, binary bool) string

// unitTextSyntax is how a dialect writes the parts of the text of a unit.
type unitTextSyntax struct {
	Number   func(x string) string // a whole number as text
	Date     func(x string) string // a date of the years 1 to 9999 as text
	OtherDay func(x string) string // another one
	// microseconds of the years 1 to 9999 as ISO text, with no zeros at the end of a fraction
	Time     func(x string) string
	Quotient string                // the operator that divides whole numbers
	Bytes    func(x string) string // a text as bytes
}

// write returns the unitText of the dialect.
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

// otherTime returns the text of a time of other years: its second, rounded down, and the nanoseconds after that.
func (w unitTextSyntax) otherTime(x string) string {
	rest := fmt.Sprintf("((%s %% %d + %d) %% %d)", x, secondMicros, secondMicros, secondMicros)
	return fmt.Sprintf("'second ' || %s || '+' || %s", w.Number(fmt.Sprintf("(%s - %s) %s %d", x, rest, w.Quotient,
		secondMicros)), w.Number(rest+" * 1000"))
}
