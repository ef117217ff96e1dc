package calibrate

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/calibrate/internal/argument"
)

// Jobs and ledgers hold decimal numbers, most of which no float64 equals. A Decimal keeps the text, so that each use
// can round in the safe direction: epsilon and delta down, a sensitivity up.

// Limits on decimal text. They are far beyond any meaningful number, and keep evaluation cheap.
const (
	maxDecimalLength  = 1200
	maxExponentDigits = 4
)

// Decimal is an exact decimal number. The zero value is 0. Use Cmp to compare: == distinguishes "0.1" from "0.10".
type Decimal struct{ text string }

// ParseDecimal reads decimal text, such as "1e-6" or "0.1": an optional sign, digits with at most one point, and an
// optional exponent of at most four digits, at most 1200 bytes in all. Spaces, NaN, infinities, hexadecimal digits and
// underscores are errors; numbers beyond the range of float64 are not. Errors are *ArgumentError and do not quote the
// text.
func ParseDecimal(text string) (Decimal, error) {
	if !isDecimal(text) {
		return Decimal{}, argument.New("number", "must be a decimal number, such as 0.1 or 1e-6")
	}
	return Decimal{text}, nil
}

// String returns the text that was parsed, or "0" for the zero value.
func (d Decimal) String() string {
	if d.text == "" {
		return "0"
	}
	return d.text
}

// Rat returns the exact number as a new big.Rat.
func (d Decimal) Rat() *big.Rat {
	r, ok := new(big.Rat).SetString(d.String())
	if !ok { // cannot happen: Rat accepts all text that ParseDecimal accepts
		return new(big.Rat)
	}
	return r
}

// Cmp returns -1 if d < e, 0 if d = e, and +1 if d > e.
func (d Decimal) Cmp(e Decimal) int { return d.Rat().Cmp(e.Rat()) }

// Down returns the largest float64 that is at most d, or -Inf if there is none. Epsilon and delta are read with Down,
// so that a guarantee is never weaker than asked.
func (d Decimal) Down() float64 { return d.directed(-1) }

// Up returns the least float64 that is at least d, or +Inf if there is none. Sensitivities are read with Up.
func (d Decimal) Up() float64 { return d.directed(1) }

// Nearest returns the nearest float64, or an infinity if the number is beyond the range of float64. It is for
// numbers that a program wrote with 17 digits, or as the shortest text of a float64: the result is the float64 that was
// written.
func (d Decimal) Nearest() float64 {
	// the only possible error is a number out of range, which gives an infinity
	near, _ := strconv.ParseFloat(d.String(), 64)
	return near + 0 // -0 becomes 0
}

// directed returns the float64 next to the number in the direction, -1 (down) or +1 (up), or the number itself if a
// float64 equals it.
func (d Decimal) directed(direction int) float64 {
	near := d.Nearest()
	wrong := math.IsInf(near, -direction) // +Inf is on the wrong side if the direction is down, -Inf if it is up
	if !math.IsInf(near, 0) {
		wrong = new(big.Rat).SetFloat64(near).Cmp(d.Rat()) == -direction
	}
	if wrong {
		near = math.Nextafter(near, math.Inf(direction))
	}
	return near + 0
}

// ParseDown parses the text and returns Decimal.Down. A number beyond the range of float64 is an *ArgumentError.
func ParseDown(text string) (float64, error) { return parse(text, Decimal.Down) }

// ParseUp parses the text and returns Decimal.Up. A number beyond the range of float64 is an *ArgumentError.
func ParseUp(text string) (float64, error) { return parse(text, Decimal.Up) }

// ParseNearest parses the text and returns Decimal.Nearest. A number beyond the range of float64 is an *ArgumentError.
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

// RoundDown returns the largest float64 that is at most x, or -Inf if there is none.
func RoundDown(x *big.Rat) float64 {
	f, _ := x.Float64()
	if exact := new(big.Rat).SetFloat64(f); exact == nil || exact.Cmp(x) > 0 {
		return math.Nextafter(f, math.Inf(-1))
	}
	return f
}

// isDecimal reports whether the text has the form [+-]digits[.digits][e[+-]digits], with a digit before the exponent,
// and is within the limits.
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

// unsigned returns text without a leading sign.
func unsigned(text string) string {
	if text != "" && (text[0] == '-' || text[0] == '+') {
		return text[1:]
	}
	return text
}

// digits reports whether all characters are decimal digits. It returns true for empty text.
func digits(text string) bool {
	return strings.Trim(text, "0123456789") == ""
}

// FormatExact returns decimal text whose value is exactly x, for ledgers. Every reader gets x back, whether it rounds
// up, down or to nearest. (ParseDown or ParseUp of the shortest text of strconv can be the neighbour of x.) The text
// has an exponent if |x| is outside of [1e-5, 1e21), and has at most 776 bytes. NaN and infinities become "NaN", "+Inf"
// and "-Inf", which ParseDecimal rejects.
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

// trimFraction removes trailing zeros, and the point if nothing follows it.
func trimFraction(text string) string {
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
