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

// A dialect is one file: a type that writes those parts of a statement that differ between engines. It is entered in
// the list below. Statements consist of BIGINTs, doubles and texts alone, so a dialect is small: how columns are read
// as one of these types, how numbers and texts are written as literals, a few functions, a digest and a sum that cannot
// overflow. docs/howto/databases.md tells how to add one and which tests it must pass.
//
// A dialect is in the list because its engine ran beside the local engine and gave the same integers. Methods for
// faster expressions have a default in ansi, which reports that the dialect has none.

// dialect writes the parts of a statement that differ between engines. Its engine must add, subtract, multiply, divide
// and take roots of doubles as this program does, with each result rounded separately.
type dialect interface {
	// name returns the driver's name in a job.
	name() string
	// column returns how a column is read. ok is false if its values cannot be read without loss, or if reading can
	// fail for some value.
	column(of columnType) (c column, ok bool)
	// typical returns a type for each kind of values, for statements that are written without a connection.
	typical() map[table.Kind]string
	// quote quotes a name.
	quote(name string) string
	// text returns the literal that equals a text in a column of texts, or of bytes if binary is set. ok is false if no
	// value of such a column can be equal to the text.
	text(text string, binary bool) (literal string, ok bool)
	// float writes a finite number as a double, exactly.
	float(x float64) string
	// double converts a BIGINT to the nearest double; integer converts a double that is an integer below 2^53 to a
	// BIGINT.
	double(x string) string
	integer(x string) string
	// divide divides a BIGINT that is not negative by a positive constant and rounds down.
	divide(x string, by int64) string
	// bytes concatenates the parts of a message.
	bytes(parts []part) string
	// digest returns an expression that orders rows as the SHA-256 of a message does.
	digest(message string) string
	// element returns the element of a list of numbers at an index, a BIGINT from 0 on.
	element(list []float64, at string) string
	// reached returns how many numbers of an ascending list are at most x. ok is false if the dialect has no function
	// for that, or does not need one because it accepts long expressions.
	reached(x string, at []float64) (count string, ok bool)
	// pairs returns a table expression with columns v and c, called alias.
	pairs(alias string, pairs []pair) string
	// least returns the least of some numbers, without those that are NULL.
	least(x []string) string
	// octets returns the number of bytes of a text of characters.
	octets(text string) string
	// sum returns a sum. No number of rows below 2^48 makes it fail. x is a BIGINT from -most to most, or a sum if most
	// is 0.
	sum(x string, most int64) string
	// digits returns a sum as decimal text.
	digits(sum string) string
	// session returns the statements that prepare a session. All of them are public.
	session() []string
	// transaction returns the options of a transaction in which all statements see the same rows; nil if the engine has
	// none.
	transaction() *sql.TxOptions

	// try rounds a number to the nearest integer, ties to even: to a BIGINT if bits is 64, to an unsigned integer if
	// bits is 8 or 16. It returns NULL for NaN and for numbers that the type does not hold. ok is false if the dialect
	// has no such casts, or if they are slow.
	try(x string, bits int) (whole string, ok bool)
	// isNumber returns the condition that x, a double, is neither NULL nor NaN. x can be NaN only if the method try
	// returns ok: other dialects read NaN as NULL.
	isNumber(x string) string
	// find returns the expression for the index of x in list, from 1 on; it is NULL if x is not in list. ok is false if
	// the engine evaluates it slowly.
	find(x string, list []string) (place string, ok bool)
	// failsBelow reports whether a product of doubles may fail if it underflows.
	failsBelow() bool
	// fold replaces characters of a text, and then white space, as [domain.FoldTable] defines. ok is false if the
	// dialect cannot write the table.
	fold(x string, f *domain.FoldTable) (folded string, ok bool)
	// integers returns how the dialect computes with wide integers.
	integers() wideIntegers
	// keys returns how the dialect writes discovered keys.
	keys() keySyntax
	// fence is appended to a SELECT whose columns must not be inlined where they are used; "" if the engine does not
	// inline columns repeatedly.
	fence() string
	// wall is an expression for a number >= 0 that the optimizer cannot move: it pushes no condition down into a SELECT
	// that has this column. "" if the engine does not inline the expressions of columns into conditions.
	wall() string
	// together reports whether one statement answers all queries that read the same rows and have the same cells.
	together() bool
	// suits returns an error if the server lacks a property on which the dialect depends.
	suits(ctx context.Context, s *session) error
}

// ansi has the methods that most dialects share.
type ansi struct{}

func (ansi) quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func (ansi) double(x string) string { return "CAST(" + x + " AS DOUBLE)" }

func (ansi) integer(x string) string { return "CAST(" + x + " AS BIGINT)" }

func (ansi) divide(x string, by int64) string { return fmt.Sprintf("(%s) / %d", x, by) }

// float writes an exponent, so that the literal is a double.
func (ansi) float(x float64) string { return "CAST('" + exponential(x) + "' AS DOUBLE)" }

// reached reports that there is no function.
func (ansi) reached(string, []float64) (string, bool) { return "", false }

// pairs returns a VALUES list.
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

// dialects are all dialects of this package.
var dialects = []dialect{duckdb{}, postgres{}, trino{}, spark{}}

// drivers holds the names under which packages register with database/sql, if these differ from the names in jobs.
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
