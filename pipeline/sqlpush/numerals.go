package sqlpush

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/domain"
)

// A text is read as a number in SQL as [domain.ParseFloat] reads it: as the nearest double, ties to even.
//
// A text of the right form is split into its sign, its digits without leading zeros, and the position of the point
// among the digits, which the exponent shifts. The number is then 0.ddd… times a power of ten. If that power is too
// large or too small for a double, the number is infinite or 0. At the two powers at which only some numbers are, the
// digits are compared, as texts, with those of the halfway number. Other numbers are written again with at most 801
// digits and a small exponent, and cast: no cast fails. A double or a halfway number has at most 767 digits, so all
// digits after the 800th are equivalent to one.

// readNumerals adds the numbers to the columns of texts that an aggregation reads as numbers. It returns the conditions
// that the texts are numbers, if other rows are dropped.
func (w *writer) readNumerals(o *aggregation.Aggregation, columns map[string]column) (conditions []string) {
	for _, name := range numeralColumns(o, columns) {
		c := columns[name]
		c.Double, c.Whole = w.numeral(w.numerals(), c.Expr, c.Binary)
		columns[name] = c
		if o.Value != nil && !o.AllRows && slices.Contains(o.Value.Value.AllColumns(), name) {
			conditions = append(conditions, c.Double+" IS NOT NULL")
		}
	}
	return conditions
}

// numeralSteps returns the code of a text among edges. Integers are compared as integers.
func (w *writer) numeralSteps(r *domain.Coding, c *column) string {
	return fmt.Sprintf("CASE WHEN %s IS NOT NULL THEN %s WHEN %s IS NOT NULL THEN %s ELSE %s END", c.Whole,
		w.intSteps(c.Whole, r.IntSteps), c.Double, w.floatSteps(c.Double, r.FloatSteps), code(r.Null))
}

// numeralCondition returns the condition that a text, read as a number, is in the range of a filter.
func (w *writer) numeralCondition(r *domain.Condition, c *column) string {
	whole, others := *r, *r
	whole.FloatRange, others.IntRange = nil, nil
	return fmt.Sprintf("CASE WHEN %s IS NOT NULL THEN %s ELSE %s END", c.Whole, w.condition(&whole, c.Whole, false),
		w.condition(&others, c.Double, false))
}

// numeralSyntax defines how a dialect reads texts.
type numeralSyntax struct {
	// Text returns a column of texts as a text of characters. Texts of more than most bytes, and texts that cannot be
	// numbers, may become anything or NULL.
	Text func(column string, binary bool, most int) string
	// Matches returns the condition that a whole text matches a regular expression.
	Matches func(text, form string) string
	// Trim removes listed characters from the beginning of a text, TrimEnd from its end.
	Trim, TrimEnd func(text, characters string) string
	// Double and Integer cast a text that is a number in the range of the type; for other texts they may fail.
	Double, Integer func(text string) string
	// Infinity is an infinite double.
	Infinity string
	// Part returns the first or the second part of a text, split at a character. It is nil if the dialect has split_part,
	// whose second part is empty if there is none.
	Part func(text, at string, n int) string
	// Written returns an integer as text; nil if the dialect can concatenate a text and a number.
	Written func(number string) string
}

func (d *numeralSyntax) part(text, at string, n int) string {
	if d.Part != nil {
		return d.Part(text, at, n)
	}
	return fmt.Sprintf("split_part(%s, '%s', %d)", text, at, n)
}

func (d *numeralSyntax) written(number string) string {
	if d.Written != nil {
		return d.Written(number)
	}
	return number
}

// trim and trimEnd are the functions of most dialects.
func trim(text, characters string) string { return "ltrim(" + text + ", '" + characters + "')" }

func trimEnd(text, characters string) string { return "rtrim(" + text + ", '" + characters + "')" }

// numeralColumns returns the columns of texts that values, dimensions and filters read as numbers.
func numeralColumns(o *aggregation.Aggregation, columns map[string]column) (names []string) {
	add := func(of ...string) {
		for _, c := range of {
			if columns[c].Type.Kind == table.String && !slices.Contains(names, c) {
				names = append(names, c)
			}
		}
	}
	if o.Value != nil {
		add(o.Value.Value.AllColumns()...)
	}
	for i := range o.Axes {
		if r := &o.Axes[i]; r.Numerals() || r.Grid != nil || r.Nearest != nil {
			add(r.Columns()...)
		}
	}
	for i := range o.Filters {
		if o.Filters[i].Numerals() {
			add(o.Filters[i].Column)
		}
	}
	return names
}

// Forms of numbers.
const (
	wholeForm    = "[+-]?[0-9]+"
	decimalForm  = "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?"
	infiniteForm = "[+-]?[iI][nN][fF]([iI][nN][iI][tT][yY])?"
)

// The powers of ten of 0.ddd… at which some numbers are out of the range of doubles.
const (
	mostPower  = 309
	leastPower = -323
	keptDigits = 800
)

// numeral adds columns to a statement and returns two of them: the text as a double and, if it is an integer in range
// without point and exponent, as a BIGINT. They are NULL for all other texts.
func (w *writer) numeral(d numeralSyntax, column string, binary bool) (double, integer string) {
	noZeros := func(text string) string { return d.Trim(text, "0") }
	text := w.stage(d.Text(column, binary, domain.MostNumeral))
	form := w.stage(fmt.Sprintf("CASE WHEN %s THEN 1 WHEN %s THEN 2 WHEN %s THEN 3 END", d.Matches(text, wholeForm),
		d.Matches(text, decimalForm), d.Matches(text, infiniteForm)))
	parts := w.stages([]string{
		fmt.Sprintf("CASE WHEN %s = 3 THEN '' WHEN %s IS NOT NULL THEN %s END", form, form,
			d.Trim(d.part("translate("+text+", 'E', 'e')", "e", 1), "+-")),
		fmt.Sprintf("CASE WHEN %s = 3 THEN '' WHEN %s IS NOT NULL THEN %s END", form, form,
			d.part("translate("+text+", 'E', 'e')", "e", 2)),
		fmt.Sprintf("CASE WHEN substr(%s, 1, 1) = '-' THEN 1 ELSE 0 END", text),
	})
	mantissa, exponent, negative := parts[0], parts[1], parts[2]
	parts = w.stages([]string{
		noZeros(d.part(mantissa, ".", 1)),
		d.part(mantissa, ".", 2),
		d.Trim(exponent, "+-0"),
	})
	before, after, power := parts[0], parts[1], parts[2]
	parts = w.stages([]string{
		fmt.Sprintf("CASE WHEN %s <> '' THEN %s || %s ELSE %s END", before, before, after, noZeros(after)),
		fmt.Sprintf("CASE WHEN %s <> '' THEN length(%s) ELSE length(%s) - length(%s) END", before, before, noZeros(after),
			after),
		// Longer exponents exceed every number of digits.
		fmt.Sprintf("CASE WHEN %s = '' THEN 0 WHEN length(%s) > 9 THEN 1000000000 ELSE %s END * CASE WHEN substr(%s, 1, 1) "+
			"= '-' THEN -1 ELSE 1 END", power, power, d.Integer(power), exponent),
	})
	digits := parts[0]
	exponent = w.stage(parts[1] + " + " + parts[2])
	first := fmt.Sprintf("substr(%s, 1, %d)", digits, keptDigits)
	kept := w.stage(fmt.Sprintf("CASE WHEN %s <> '' THEN %s || '1' ELSE %s END",
		noZeros(fmt.Sprintf("substr(%s, %d)", digits, keptDigits+1)), first, d.TrimEnd(first, "0")))
	size := w.stage(fmt.Sprintf("CASE WHEN %s = 3 THEN %s WHEN %s = '' THEN %s WHEN %s > %d OR %s = %d AND %s >= '%s' "+
		"THEN %s WHEN %s < %d OR %s = %d AND %s <= '%s' THEN %s WHEN %s IS NOT NULL THEN %s END",
		form, d.Infinity, kept, w.float(0),
		exponent, mostPower, exponent, mostPower, kept, firstInfinite(), d.Infinity,
		exponent, leastPower, exponent, leastPower, kept, lastZero(), w.float(0),
		form, d.Double(fmt.Sprintf("'0.' || %s || 'e' || %s", kept, d.written(exponent)))))
	inRange := fmt.Sprintf("%s = 1 AND (length(%s) < 19 OR length(%s) = 19 AND %s <= CASE WHEN %s = 1 THEN "+
		"'9223372036854775808' ELSE '9223372036854775807' END)", form, before, before, before, negative)
	parts = w.stages([]string{
		fmt.Sprintf("CASE WHEN %s = 1 THEN -%s ELSE %s END", negative, size, size),
		fmt.Sprintf("CASE WHEN %s THEN CASE WHEN %s = '' THEN 0 ELSE %s END END", inRange, before,
			d.Integer(fmt.Sprintf("CASE WHEN %s = 1 THEN '-' ELSE '' END || %s", negative, before))),
	})
	return parts[0], parts[1]
}

// firstInfinite returns the digits of the number halfway between the largest double and the next power of two. This
// number and larger ones are infinite.
func firstInfinite() string {
	x := new(big.Int).Lsh(big.NewInt(1), 1024)
	return strings.TrimRight(x.Sub(x, new(big.Int).Lsh(big.NewInt(1), 970)).String(), "0")
}

// lastZero returns the digits of half the least double. This number and smaller ones are 0.
func lastZero() string {
	x := new(big.Int).Exp(big.NewInt(5), big.NewInt(1075), nil) // 2^-1075 · 10^1075
	return x.String()
}
