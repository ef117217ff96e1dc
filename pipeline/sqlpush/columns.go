package sqlpush

import (
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
)

// A column is read as a BIGINT, a double or a text, whatever its type in the database, so that the rest of a statement
// knows only these. Each dialect says in its own file how it reads columns of its types. The local engine reads rows by
// the same expressions when it reads a database, so both engines see the same values.

// column is how a column is read.
type column struct {
	Type table.Type
	// Expr is a BIGINT for whole numbers, truth values (0 or 1), dates (days since 1970) and times (microseconds since
	// 1970), a double, or a text. It is NULL for NaN, and for dates and times that are no numbers, such as infinity.
	Expr string
	// Binary is set if a text is of bytes, Characters that these are always characters in UTF-8.
	Binary, Characters bool
	// Bare and Check are another way to read the column, if they are not empty: Bare is equal to Expr in the rows that
	// fulfil Check, and Expr is NULL in all others. A filter costs less than a CASE. What statements do with Bare fails
	// in no row.
	Bare, Check string
	// Late is set if Expr is Bare and that rows that do not fulfil Check are left out later.
	Late bool
	// Scan is how a scan of DuckDB compares the column; nil on other engines. Within are the ranges outside of which
	// scans leave rows out, and those of NULL. Grouped says that Expr is that of Scan.
	Scan    *scanColumn
	Within  []domain.Span[int64]
	Grouped bool
	// Double and Whole are the numbers that a text is, if they are not empty: see numerals.go.
	Double, Whole string
}

// columnType is what a database says of a column.
type columnType struct {
	Name string // as it is
	Expr string // its quoted name
	Type string // the name of its type, in upper case
	// Precision and Scale are those of a decimal, if HasDecimal is set.
	HasDecimal       bool
	Precision, Scale int64
	// Exact is set if no two values of the column may become one.
	Exact bool
}

// textColumn is a column of texts of characters.
func textColumn(x string) column {
	return column{Type: kind(table.String), Expr: x, Characters: true}
}

// kind is a type of a kind that has no more to it.
func kind(k table.Kind) table.Type { return table.Type{Kind: k} }

// instants and wallClock are the types of times in microseconds, in UTC and without a zone.
var (
	instants  = table.Type{Kind: table.Timestamp, Unit: 1e3, Zone: table.UTC}
	wallClock = table.Type{Kind: table.Timestamp, Unit: 1e3, Zone: table.Local}
)
