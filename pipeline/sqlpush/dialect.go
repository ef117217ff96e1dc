package sqlpush

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/columns"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/expr"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/keys"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/numerals"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/sessions"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/vectors"
	"github.com/dprelease/dprelease/queries/domain"
)

// Dialect writes the parts of a statement in which engines differ. Statements are made of BIGINTs, doubles and texts alone: a dialect's column
// reads everything else as one of these.
type Dialect interface {
	// Name is the driver's name in a job.
	Name() string
	// Column returns how a column is read, or ok false if its values cannot be read without loss and without errors that depend on them.
	Column(of ColumnType) (c Column, ok bool)
	// Quote quotes a name.
	Quote(name string) string
	// Text writes a text as a column of texts holds it, of bytes if binary is set. ok is false if no value of such a column can be equal to it.
	Text(text string, binary bool) (literal string, ok bool)
	// Float writes a finite number as a double, exactly.
	Float(x float64) string
	// Double converts a BIGINT to the nearest double; Integer converts a double that is a whole number below 2^53 to a BIGINT.
	Double(x string) string
	Integer(x string) string
	// Divide divides a BIGINT that is not negative by a positive constant and rounds down.
	Divide(x string, by int64) string
	// Bytes writes the parts of a message, one after the other.
	Bytes(parts []Part) string
	// Digest returns an expression that orders rows as the SHA-256 of a message does.
	Digest(message string) string
	// Element returns an element of a list of numbers by its place, a BIGINT from 0 on; ok is false if the dialect has no fast lists.
	Element(list []float64, at string) (x string, ok bool)
	// Pairs returns a table expression with columns v and c, called alias.
	Pairs(alias string, pairs []Pair) string
	// Total returns the sum of BIGINTs as decimal text. No number of rows makes it fail.
	Total(x string) string
	// Partial returns the sum of BIGINTs as a number, of which Total adds some up.
	Partial(x string) string
	// Session are statements that set the session up before others run, all of them public.
	Session() []string
	// Transaction is how a transaction is begun in which all statements see the same rows; nil if the engine has none.
	Transaction() *sql.TxOptions

	// try rounds a number to the nearest whole one, ties to even, as a BIGINT for 64 bits, or as one without a sign of 8 or 16 bits. It is NULL for what such a
	// number does not hold, and for NaN. ok is false if the dialect has no such casts, or they are not cheap.
	try(x string, bits int) (whole string, ok bool)
	// isNumber says that a double is neither NULL nor NaN. It is only asked of dialects with such casts.
	isNumber(x string) string
	// find returns the place of a text in a list, from 1 on, and NULL if it is none of them; ok is false if that is not cheap.
	find(x string, list []string) (place string, ok bool)
	// failsBelow says that a product of doubles may fail if it is below the least double.
	failsBelow() bool
	// fold replaces characters of a text of characters, and then white space as [domain.FoldRule] has it, if the dialect can.
	fold(x string, f *domain.FoldRule) (folded string, ok bool)
	// exactly is how the dialect computes what only engines are asked for that were run; nil if it was not.
	exactly() *exactness
	// keys is how keys that are discovered are written.
	keys() keys.Dialect
	// unitOfTimes says that the canonical text of a time can be written.
	unitOfTimes() bool
	// fence ends a SELECT whose columns are not to be written into the places of their use, again and again; "" if the engine does not do that.
	fence() string
	// suits refuses a server that is not as the dialect expects.
	suits(ctx context.Context, s *sessions.Session) error
}

// exactness is of an engine that was seen to add, subtract, multiply, divide and take roots of doubles as this program does, each rounded by itself.
type exactness struct {
	vectors.Integers
	numerals.Dialect
}

// Column is how a column is read.
type Column = columns.Column

// ColumnType is what a database says of a column.
type ColumnType = columns.ColumnType

// Part is a piece of a message: bytes that are always the same, a column of bytes, a column of the privacy unit, or a whole number in some bytes.
type Part struct {
	Bytes  []byte
	Column string
	Unit   *Column // Expr is the name of a column that holds it
	Number string
	Width  int // of the number: 4 if it is not negative, or 8
}

// Pair is a value, as a literal, and its code.
type Pair = expr.Pair

// ansi is what most dialects share.
type ansi struct{}

// Quote doubles quotes.
func (ansi) Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Double casts.
func (ansi) Double(x string) string { return "CAST(" + x + " AS DOUBLE)" }

// Integer casts.
func (ansi) Integer(x string) string { return "CAST(" + x + " AS BIGINT)" }

// Divide is the division of integers.
func (ansi) Divide(x string, by int64) string { return fmt.Sprintf("(%s) / %d", x, by) }

// Float has an exponent, so that it is read as a double.
func (ansi) Float(x float64) string { return "CAST('" + expr.Exponential(x) + "' AS DOUBLE)" }

// Element has none.
func (ansi) Element([]float64, string) (string, bool) { return "", false }

// Pairs is a list of values.
func (ansi) Pairs(alias string, pairs []Pair) string {
	return "(VALUES " + expr.PairList(pairs) + ") AS " + alias + "(v, c)"
}

// Partial is of a type that does not overflow.
func (ansi) Partial(x string) string { return "SUM(" + x + ")" }

// Session has none.
func (ansi) Session() []string { return nil }

// Transaction is none.
func (ansi) Transaction() *sql.TxOptions { return nil }

func (ansi) try(string, int) (string, bool) { return "", false }

func (ansi) isNumber(x string) string { return x + " IS NOT NULL" }

func (ansi) find(string, []string) (string, bool) { return "", false }

func (ansi) failsBelow() bool { return true }

func (ansi) fold(string, *domain.FoldRule) (string, bool) { return "", false }

func (ansi) exactly() *exactness { return nil }

func (ansi) keys() (none keys.Dialect) { return none }

func (ansi) unitOfTimes() bool { return false }

func (ansi) fence() string { return "" }

func (ansi) suits(context.Context, *sessions.Session) error { return nil }
