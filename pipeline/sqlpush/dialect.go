package sqlpush

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
)

// A dialect is one file: a type that writes those parts of a statement that differ between engines, and its entry in
// the list below. Statements use only BIGINTs, doubles and texts, so a dialect is small: how columns are read as one of
// these types, how numbers and texts are written as literals, a few functions, a digest, and a sum that cannot
// overflow. docs/howto/databases.md tells how to add one and which tests it must pass.
//
// A dialect may be in the list only if its engine gave the same integers as the local engine in the tests of
// sqlpushtest. Methods for optional, faster expressions have a default in the type ansi, which reports that the dialect
// has none.

// dialect writes the parts of a statement that differ between engines. Its engine must add, subtract, multiply, divide
// and take roots of doubles as this program does, with each result rounded separately.
type dialect interface {
	// name returns the driver's name in a job.
	name() string
	// column returns how a column is read. ok is false if its values cannot be read without loss, or if reading can
	// fail for some value.
	column(of columnType) (c column, ok bool)
	// typical returns a column type for each kind of values, for statements that are written without a connection.
	typical() map[table.Kind]string
	quote(name string) string
	// text returns the literal that equals a text in a column of texts, or of bytes if binary is set. ok is false if no
	// value of such a column can be equal to the text.
	text(text string, binary bool) (literal string, ok bool)
	// float returns the literal of a finite double.
	float(x float64) string
	// double converts a BIGINT to the nearest double; integer converts a double that is an integer below 2^53 to a
	// BIGINT.
	double(x string) string
	integer(x string) string
	// divide divides a BIGINT that is not negative by a positive constant and rounds down.
	divide(x string, by int64) string
	// bytes returns the expression for a digest's message: the concatenation of its parts.
	bytes(parts []part) string
	// digest returns an expression for the SHA-256 of a message. Its type may differ between dialects, but it sorts as
	// the 32 bytes do.
	digest(message string) string
	// first8 returns an expression for the first eight bytes of a digest, which sorts as they do.
	first8(digest string) string
	// element returns the element of a list of numbers at an index from 0 on, which is a BIGINT expression.
	element(list []float64, at string) string
	// reached returns the number of elements of an ascending list that are at most x. ok is false if the dialect has no
	// function for that, or accepts expressions that are long enough for a binary search.
	reached(x string, at []float64) (count string, ok bool)
	// pairs returns a table expression with the columns v (values) and c (codes).
	pairs(alias string, pairs []pair) string
	// least returns the minimum of some numbers, ignoring NULL.
	least(x []string) string
	// octets returns the number of bytes of a text in UTF-8.
	octets(text string) string
	// sum returns the sum of x, which must not overflow for fewer than 2^48 rows. x is a BIGINT from -limit to limit, or,
	// if limit is 0, itself a sum.
	sum(x string, limit int64) string
	// digits returns a sum as decimal text.
	digits(sum string) string
	// session returns the statements that prepare a session. They depend on no private value.
	session() []string
	// transaction returns the options of a transaction in which all statements see the same rows; nil if the engine has
	// none.
	transaction() *sql.TxOptions

	// try rounds a number to the nearest integer, ties to even: to a BIGINT if bits is 64, to an unsigned integer if
	// bits is 8 or 16. The result is NULL for NaN and for numbers that the type does not hold. ok is false if the
	// dialect has no such cast, or only a slow one.
	try(x string, bits int) (whole string, ok bool)
	// isNumber returns the condition that a double is neither NULL nor NaN. Only dialects whose method try returns ok
	// need it: all others read NaN as NULL.
	isNumber(x string) string
	// find returns the index of x in a list of literals, from 1 on, or NULL if x is not in it. ok is false if the
	// engine evaluates such an expression slowly.
	find(x string, list []string) (place string, ok bool)
	// failsBelow reports whether the engine may return an error if a product of doubles underflows.
	failsBelow() bool
	// fold replaces characters of a text, and then its white space, as [domain.FoldTable] defines. ok is false if the
	// dialect cannot write the table's characters.
	fold(x string, f *domain.FoldTable) (folded string, ok bool)
	// integers returns how the dialect computes with integers below 2^112.
	integers() wideIntegers
	// keys returns how the dialect writes discovered keys.
	keys() keySyntax
	// fence returns a clause at the end of a SELECT that keeps the optimizer from copying its column expressions to
	// each of their uses, and from pushing conditions below it; "" if the engine does not copy them.
	fence() string
	// wall returns an expression, a number >= 0, through which the optimizer moves nothing: it pushes no condition
	// below a SELECT with this column. "" if the engine does not substitute column expressions into conditions.
	wall() string
	// together reports whether queries with the same rows and cells are answered by one statement.
	together() bool
	// suits returns an error if the server lacks a property on which the statements depend.
	suits(ctx context.Context, s *session) error
}

// ansi holds defaults of the methods that most dialects share.
type ansi struct{}

func (ansi) quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func (ansi) double(x string) string { return "CAST(" + x + " AS DOUBLE)" }

func (ansi) integer(x string) string { return "CAST(" + x + " AS BIGINT)" }

func (ansi) first8(digest string) string { return "substr(" + digest + ", 1, 8)" }

// hexadecimalFirst8 is first8 of dialects whose digests are hexadecimal texts.
func hexadecimalFirst8(digest string) string { return "substr(" + digest + ", 1, 16)" }

func (ansi) divide(x string, by int64) string { return fmt.Sprintf("(%s) / %d", x, by) }

// float writes an exponent, without which some engines read a decimal instead of a double.
func (ansi) float(x float64) string { return "CAST('" + exponential(x) + "' AS DOUBLE)" }

func (ansi) reached(string, []float64) (string, bool) { return "", false }

func (ansi) pairs(alias string, pairs []pair) string {
	return "(VALUES " + pairList(pairs) + ") AS " + alias + "(v, c)"
}

func (ansi) least(x []string) string { return "LEAST(" + strings.Join(x, ", ") + ")" }

func (ansi) octets(text string) string { return "octet_length(" + text + ")" }

func (ansi) sum(x string, _ int64) string { return "SUM(" + x + ")" }

func (ansi) session() []string { return nil }

func (ansi) transaction() *sql.TxOptions { return nil }

func (ansi) try(string, int) (string, bool) { return "", false }

func (ansi) isNumber(x string) string { return x + " IS NOT NULL" }

func (ansi) find(string, []string) (string, bool) { return "", false }

func (ansi) failsBelow() bool { return true }

func (ansi) fence() string { return "" }

func (ansi) wall() string { return "" }

func (ansi) together() bool { return false }

var dialects = []dialect{duckdb{}, postgres{}, trino{}, spark{}}

// drivers maps the names of dialects in jobs to the names under which their drivers register with database/sql, if
// these differ.
var drivers = map[string]string{"postgres": "dprelease-postgres", "trino": "dprelease-trino"}

func registered(driver string) string { return cmp.Or(drivers[driver], driver) }

// dialectOf returns the dialect of a job's driver.
func dialectOf(driver string) (dialect, bool) {
	i := slices.IndexFunc(dialects, func(d dialect) bool { return d.name() == driver })
	if i < 0 {
		return nil, false
	}
	return dialects[i], true
}

// Drivers returns the names of the dialects whose drivers this program was built with.
func Drivers() (names []string) {
	for _, d := range dialects {
		if HasDriver(d.name()) {
			names = append(names, d.name())
		}
	}
	return names
}

// Dialects returns the names of all dialects, with or without a driver.
func Dialects() (names []string) {
	for _, d := range dialects {
		names = append(names, d.name())
	}
	return names
}
