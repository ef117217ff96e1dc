package calibrate

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/calibrate/internal/argument"
)

// Numbers of a job and of a ledger are decimals, and a float64 holds most decimals only rounded. A Decimal keeps the
// text, so that each use rounds to its own safe side: an epsilon or a delta down, a sensitivity up.

// Limits on decimal text: far beyond any number that has a meaning here, and cheap to evaluate.
const (
	maxDecimalLength  = 1200
	maxExponentDigits = 4
)

// Decimal is a decimal number, exactly. The zero value is 0. Compare with Cmp: == compares the spelling.
type Decimal struct{ text string }

// ParseDecimal reads decimal text, such as "1e-6" or "0.1": digits with at most one point, with an optional sign and an
// optional exponent of at most four digits, at most 1200 bytes in all; no spaces, NaN, infinities, hexadecimal digits
// or underscores. Text beyond the range of float64 is an error. Errors are *ArgumentError and do not quote the text.
func ParseDecimal(text string) (Decimal, error) {
	if !isDecimal(text) {
		return Decimal{}, argument.New("number", "must be a decimal number, such as 0.1 or 1e-6")
	}
	return Decimal{text}, nil
}

// String returns the text as it was read; "0" for the zero value.
func (d Decimal) String() string {
	if d.text == "" {
		return "0"
	}
	return d.text
}

// Rat returns the number itself, as a new big.Rat.
func (d Decimal) Rat() *big.Rat {
	r, ok := new(big.Rat).SetString(d.String())
	if !ok { // ParseDecimal took it
		return new(big.Rat)
	}
	return r
}

// Cmp returns -1, 0 or +1 as d is below, equal to or above e.
func (d Decimal) Cmp(e Decimal) int { return d.Rat().Cmp(e.Rat()) }

// Down returns the largest float64 that is not above the number, or -Inf if there is none. An epsilon or a delta is
// read so: it never promises less privacy than was asked.
func (d Decimal) Down() float64 { return d.directed(-1) }

// Up returns the least float64 that is not below the number, or +Inf if there is none. A sensitivity is read so.
func (d Decimal) Up() float64 { return d.directed(1) }

// Nearest returns the nearest float64, infinite if the number is beyond the range of float64. Text that a program wrote
// is read so: the 17 digits or the shortest text of a float64 give that very float64.
func (d Decimal) Nearest() float64 {
	near, _ := strconv.ParseFloat(d.String(), 64) // its only error is the range, and then it returns the infinity
	return near + 0                               // -0 becomes 0
}

// directed rounds to nearest, and moves to the next float64 in the direction if the result lies on the wrong side of
// the number.
func (d Decimal) directed(direction int) float64 {
	near := d.Nearest()
	wrong := math.IsInf(near, -direction) // an infinity is on the outer side of every number
	if !math.IsInf(near, 0) {
		wrong = new(big.Rat).SetFloat64(near).Cmp(d.Rat()) == -direction
	}
	if wrong {
		near = math.Nextafter(near, math.Inf(direction))
	}
	return near + 0
}

// ParseDown is ParseDecimal and Decimal.Down, for numbers within the range of float64: others are an *ArgumentError.
func ParseDown(text string) (float64, error) { return parse(text, Decimal.Down) }

// ParseUp is ParseDecimal and Decimal.Up, for numbers within the range of float64: others are an *ArgumentError.
func ParseUp(text string) (float64, error) { return parse(text, Decimal.Up) }

// ParseNearest is ParseDecimal and Decimal.Nearest, for numbers within the range of float64: others are an
// *ArgumentError.
func ParseNearest(text string) (float64, error) { return parse(text, Decimal.Nearest) }

func parse(text string, rounded func(Decimal) float64) (float64, error) {
	d, err := ParseDecimal(text)
	if err != nil {
		return 0, err
	}
	if x := rounded(d); !math.IsInf(x, 0) && !math.IsInf(d.Nearest(), 0) {
		return x, nil
	}
	return 0, argument.New("number", "is beyond the range of a float64")
}

// RoundDown returns the largest float64 that is not above x, or -Inf if there is none.
func RoundDown(x *big.Rat) float64 {
	f, _ := x.Float64()
	if exact := new(big.Rat).SetFloat64(f); exact == nil || exact.Cmp(x) > 0 {
		return math.Nextafter(f, math.Inf(-1))
	}
	return f
}

// isDecimal says whether the text is [+-]digits[.digits][e[+-]digits], with a digit before the exponent, within the
// limits.
func isDecimal(text string) bool {
	if len(text) > maxDecimalLength {
		return false
	}
	mantissa, exponent, scientific := cutExponent(text)
	whole, fraction, _ := strings.Cut(unsigned(mantissa), ".")
	if !digits(whole) || !digits(fraction) || whole+fraction == "" {
		return false
	}
	exponent = unsigned(exponent)
	return !scientific || (exponent != "" && len(exponent) <= maxExponentDigits && digits(exponent))
}

func cutExponent(text string) (mantissa, exponent string, found bool) {
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		return text[:i], text[i+1:], true
	}
	return text, "", false
}

// unsigned is the text without one sign.
func unsigned(text string) string {
	if text != "" && (text[0] == '-' || text[0] == '+') {
		return text[1:]
	}
	return text
}

// digits says whether all of the text, which may be empty, is decimal digits.
func digits(text string) bool {
	return strings.Trim(text, "0123456789") == ""
}

// FormatExact returns the decimal text whose value is exactly x, for ledgers: each reader gets x back, whichever way it
// rounds. (The shortest text that strconv writes comes back one float64 off if it is read with ParseDown or ParseUp.)
// The text has an exponent if |x| lies outside of [1e-5, 1e21), and at most 776 bytes. NaN and infinities are "NaN",
// "+Inf" and "-Inf", which no parser here takes.
func FormatExact(x float64) string {
	const allDigits = 767 // no float64 has more significant digits
	size := math.Abs(x)
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return strconv.FormatFloat(x, 'g', -1, 64)
	case size == 0:
		return "0"
	case size >= 1e-5 && size < 1e21:
		return trimFraction(strconv.FormatFloat(x, 'f', 80, 64)) // 2^-69 has 69 decimals
	}
	mantissa, exponent, _ := cutExponent(strconv.FormatFloat(x, 'e', allDigits, 64))
	return trimFraction(mantissa) + "e" + exponent
}

// trimFraction drops the zeros at the end of a fraction.
func trimFraction(text string) string {
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
