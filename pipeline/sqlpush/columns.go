package sqlpush

import (
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
)

// A column is read as a BIGINT, a double or a text, so that the rest of a statement has only these three types. Each
// dialect's file defines how it reads the columns of its types. The local engine reads rows of a database by the same
// expressions, so both engines see the same values.

// column is an expression for a column and its properties.
type column struct {
	Type table.Type
	// Expr is a BIGINT for integers, booleans (0 or 1), dates (days since 1970) and times (microseconds since 1970); or
	// a double; or a text. It is NULL for NaN, and for dates and times that are not numbers, such as infinity.
	Expr string
	// Binary is set if the column holds bytes, Characters if these are always valid UTF-8.
	Binary, Characters bool
	// Bare and Check are a cheaper way to read the column; "" if there is none. In rows for which Check is true, Bare
	// equals Expr; in all others Expr is NULL. A statement that drops these others anyway filters by Check and reads
	// Bare, which costs less than the CASE in Expr. No expression that statements build from Bare fails for any row.
	Bare, Check string
	// Unchecked is set if Expr is Bare and no filter by Check is added, because the step that computes the code or the
	// value drops the rows for which Check is not true.
	Unchecked bool
	// Scan is the column in the form that DuckDB's table scans compare; nil on other engines. Within lists ranges: the
	// scan already drops rows outside of them and rows with NULL, so no later step needs to. Grouped is set if Expr is
	// Scan.Grouped.
	Scan    *scanColumn
	Within  []domain.Span[int64]
	Grouped bool
}

// columnType describes a column as the database reports it.
type columnType struct {
	Name string // the name, unquoted
	Expr string // the quoted name
	Type string // the name of its type, in upper case
	// Precision and Scale are set for a decimal, and then HasDecimal is true.
	HasDecimal       bool
	Precision, Scale int64
	// Exact is set for a column of the privacy unit: different values must not be read as equal.
	Exact bool
}

// textColumn returns a column of UTF-8 texts.
func textColumn(x string) column {
	return column{Type: kind(table.String), Expr: x, Characters: true}
}

// kind returns the type of a kind of values, with no unit or time zone.
func kind(k table.Kind) table.Type { return table.Type{Kind: k} }

// Types of times in microseconds (Unit is in nanoseconds). instants are points in time, in UTC; wallClock has no time
// zone.
var (
	instants  = table.Type{Kind: table.Timestamp, Unit: 1e3, Zone: table.UTC}
	wallClock = table.Type{Kind: table.Timestamp, Unit: 1e3, Zone: table.Local}
)
