package sqlpush

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
)

// A dialect is one file: a type that writes the parts of a statement in which its engine differs, entered in the list
// below. Statements are made of BIGINTs, doubles and texts alone, so a dialect is small: how columns are read as one of
// these, how numbers and texts are written as literals, a few functions, a digest and a sum that cannot overflow.
// docs/howto/databases.md says how to add one and what it has to pass.
//
// A dialect is here because its engine was run beside the local engine and gave the same integers. What engines do in
// ways of their own to be faster has a default in ansi, which says that the dialect has no such way.

// dialect writes the parts of a statement in which engines differ. Its engine adds, subtracts, multiplies, divides and
// takes roots of doubles as this program does, each rounded by itself.
type dialect interface {
	// name is the driver's name in a job.
	name() string
	// column returns how a column is read, or ok false if its values cannot be read without loss and without errors
	// that depend on them.
	column(of columnType) (c column, ok bool)
	// typical are the types that hold each kind of values, for statements that are written without a connection.
	typical() map[table.Kind]string
	// quote quotes a name.
	quote(name string) string
	// text writes a text as a column of texts holds it, of bytes if binary is set. ok is false if no value of such a
	// column can be equal to it.
	text(text string, binary bool) (literal string, ok bool)
	// float writes a finite number as a double, exactly.
	float(x float64) string
	// double converts a BIGINT to the nearest double; integer converts a double that is a whole number below 2^53 to a
	// BIGINT.
	double(x string) string
	integer(x string) string
	// divide divides a BIGINT that is not negative by a positive constant and rounds down.
	divide(x string, by int64) string
	// bytes writes the parts of a message, one after the other.
	bytes(parts []part) string
	// digest returns an expression that orders rows as the SHA-256 of a message does.
	digest(message string) string
	// element returns an element of a list of numbers by its place, a BIGINT from 0 on.
	element(list []float64, at string) string
	// reached is how many numbers of an ascending list a double has reached; ok is false if the dialect has no function
	// for that, or needs none since it takes long expressions.
	reached(x string, at []float64) (count string, ok bool)
	// pairs returns a table expression with columns v and c, called alias.
	pairs(alias string, pairs []pair) string
	// least is the least of some numbers, those that are NULL left out.
	least(x []string) string
	// octets is the number of bytes of a text of characters.
	octets(text string) string
	// total returns the sum of BIGINTs as decimal text. No number of rows makes it fail.
	total(x string) string
	// partial returns the sum of BIGINTs as a number, of which total adds some up.
	partial(x string) string
	// session are statements that set the session up before others run, all of them public.
	session() []string
	// transaction is how a transaction is begun in which all statements see the same rows; nil if the engine has none.
	transaction() *sql.TxOptions

	// try rounds a number to the nearest whole one, ties to even, as a BIGINT for 64 bits, or as one without a sign of
	// 8 or 16 bits. It is NULL for what such a number does not hold, and for NaN. ok is false if the dialect has no
	// such casts, or they are not cheap.
	try(x string, bits int) (whole string, ok bool)
	// isNumber returns the condition that a double is neither NULL nor NaN. It is only called for dialects with such
	// casts.
	isNumber(x string) string
	// find returns the place of a text in a list, from 1 on, and NULL if it is none of them; ok is false if that is not
	// cheap.
	find(x string, list []string) (place string, ok bool)
	// failsBelow reports whether a product of doubles may fail if its magnitude is below the least double.
	failsBelow() bool
	// fold replaces characters of a text of characters, and then white space as [domain.FoldTable] has it. ok is false if
	// the text of the table is none of the dialect's.
	fold(x string, f *domain.FoldTable) (folded string, ok bool)
	// integers is how the dialect computes with wide integers, and numerals how it reads texts as numbers.
	integers() wideIntegers
	numerals() numeralSyntax
	// keys is how keys that are discovered are written.
	keys() keySyntax
	// fence ends a SELECT whose columns are not to be written into the places of their use, again and again; "" if the
	// engine does not do that.
	fence() string
	// wall is a number that is not negative, beside which columns stay where they are: no condition on one of them is
	// moved below. "" if the engine does not write expressions of columns into conditions.
	wall() string
	// suits refuses a server that is not as the dialect expects.
	suits(ctx context.Context, s *session) error
}

// ansi is what most dialects share.
type ansi struct{}

// quote doubles quotes.
func (ansi) quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// double casts.
func (ansi) double(x string) string { return "CAST(" + x + " AS DOUBLE)" }

// integer casts.
func (ansi) integer(x string) string { return "CAST(" + x + " AS BIGINT)" }

// divide returns the division of integers.
func (ansi) divide(x string, by int64) string { return fmt.Sprintf("(%s) / %d", x, by) }

// float has an exponent, so that it is read as a double.
func (ansi) float(x float64) string { return "CAST('" + exponential(x) + "' AS DOUBLE)" }

// reached has no function.
func (ansi) reached(string, []float64) (string, bool) { return "", false }

// pairs returns a list of values.
func (ansi) pairs(alias string, pairs []pair) string {
	return "(VALUES " + pairList(pairs) + ") AS " + alias + "(v, c)"
}

// least leaves out NULLs.
func (ansi) least(x []string) string { return "LEAST(" + strings.Join(x, ", ") + ")" }

// octets is of texts and of bytes.
func (ansi) octets(text string) string { return "octet_length(" + text + ")" }

// partial is of a type that does not overflow.
func (ansi) partial(x string) string { return "SUM(" + x + ")" }

// session has none.
func (ansi) session() []string { return nil }

// transaction is none.
func (ansi) transaction() *sql.TxOptions { return nil }

func (ansi) try(string, int) (string, bool) { return "", false }

func (ansi) isNumber(x string) string { return x + " IS NOT NULL" }

func (ansi) find(string, []string) (string, bool) { return "", false }

func (ansi) failsBelow() bool { return true }

func (ansi) fence() string { return "" }

func (ansi) wall() string { return "" }

// dialects are those that this package knows, by the names of their drivers in a job.
var dialects = []dialect{duckdb{}, postgres{}, trino{}, spark{}}

// dialectOf returns the dialect of a driver of a job.
func dialectOf(driver string) (dialect, bool) {
	i := slices.IndexFunc(dialects, func(d dialect) bool { return d.name() == driver })
	if i < 0 {
		return nil, false
	}
	return dialects[i], true
}

// Drivers returns the names of the dialects whose drivers this program has.
func Drivers() (names []string) {
	for _, d := range dialects {
		if HasDriver(d.name()) {
			names = append(names, d.name())
		}
	}
	return names
}

// Dialects returns the names of all dialects.
func Dialects() (names []string) {
	for _, d := range dialects {
		names = append(names, d.name())
	}
	return names
}
