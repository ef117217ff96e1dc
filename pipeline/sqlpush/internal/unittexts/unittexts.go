// Package unittexts writes SQL for the canonical texts of privacy units, which are those of queries/bounding/unit.go.
package unittexts

import (
	"fmt"

	"github.com/dprelease/dprelease/io/table"
)

// Writer writes the text of a column that is read as an expression of a type, as bytes. Texts are of bytes already if binary is set.
type Writer func(x string, of table.Type, binary bool) string

// Canonical is how a dialect writes it.
type Canonical struct {
	Number   func(x string) string // a whole number as text
	Date     func(x string) string // a date of the years 1 to 9999 as text
	OtherDay func(x string) string // another one; nil if there is none
	Time     func(x string) string // microseconds of the years 1 to 9999 as ISO text with six digits of a second; nil if there is none
	Quotient string                // the operator that divides whole numbers, used if time is set
	Bytes    func(x string) string // a text as bytes
}

// Of is the Writer.
func (w Canonical) Of(x string, of table.Type, binary bool) string {
	switch of.Kind {
	case table.String:
		if binary {
			return x
		}
	case table.Bool:
		x = "CASE WHEN " + x + " = 1 THEN 'true' ELSE 'false' END"
	case table.Date:
		day := w.Date(x)
		if w.OtherDay != nil {
			day = fmt.Sprintf("CASE WHEN %s BETWEEN %d AND %d THEN %s ELSE %s END", x, firstDay, lastDay, day, w.OtherDay(x))
		}
		x = day
	case table.Timestamp:
		iso := "rtrim(rtrim(" + w.Time(x) + ", '0'), '.')"
		if of.Zone == table.UTC {
			iso += " || 'Z'"
		}
		x = fmt.Sprintf("CASE WHEN %s BETWEEN %d AND %d THEN %s ELSE %s END", x, firstDay*daySeconds*million, (lastDay+1)*daySeconds*million-1, iso, w.otherTime(x))
	default:
		x = w.Number(x)
	}
	return w.Bytes(x)
}

const (
	firstDay   = -719162
	lastDay    = 2932896
	daySeconds = 86400
	million    = 1_000_000
)

// otherTime is the text of a time of other years: its second, rounded down, and the nanoseconds after that.
func (w Canonical) otherTime(x string) string {
	rest := fmt.Sprintf("((%s %% %d + %d) %% %d)", x, million, million, million)
	return fmt.Sprintf("'second ' || %s || '+' || %s", w.Number(fmt.Sprintf("(%s - %s) %s %d", x, rest, w.Quotient, million)), w.Number(rest+" * 1000"))
}
