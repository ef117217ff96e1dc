package configs

import (
	"math/big"
	"regexp"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
)

// Scalar is the source text of a scalar: NO, 02139 and 2013-01-01 stay as written.
type Scalar string

// Decimal is the source text of a number. It is empty if the key is absent. A budget is rounded down to a float64.
type Decimal string

// maxDecimal is the largest number of characters of a number.
const maxDecimal = 64

var (
	// leadingZero matches the start of a number that YAML 1.1 would read as octal.
	leadingZero = regexp.MustCompile(`^[+-]?0[0-9]`)
	// longExponent matches an exponent of four or more digits, which the schema does not allow either.
	longExponent = regexp.MustCompile(`[eE][+-]?[0-9]{4}`)
	// largest keeps every number within the range of float64, so that every reader of the manifest can parse it.
	largest = new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(300), nil))
)

// Down returns the largest float64 that is not above the number. So a budget is never rounded up.
func (d Decimal) Down() (float64, error) { return calibrate.ParseDown(string(d)) }

// rat returns the number. ok is false if d is not a number.
func (d Decimal) rat() (r *big.Rat, ok bool) {
	if leadingZero.MatchString(string(d)) {
		return nil, false
	}
	return Scalar(d).number()
}

// number returns the scalar as a number. It allows leading zeros. ok is false if the text is not a number.
func (s Scalar) number() (r *big.Rat, ok bool) {
	if len(s) > maxDecimal || longExponent.MatchString(string(s)) {
		return nil, false
	}
	x, err := calibrate.ParseDecimal(string(s))
	return x.Rat(), err == nil
}

// literal returns the number for JSON, digit for digit. It returns "" if the text is not a number.
func (d Decimal) literal() string {
	if _, ok := d.rat(); !ok {
		return ""
	}
	s := strings.TrimPrefix(string(d), "+")
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	mantissa, exponent := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent = s[:i], "e"+s[i+1:]
	}
	whole, fraction, dotted := strings.Cut(mantissa, ".")
	if whole == "" {
		whole = "0"
	}
	if dotted && fraction != "" {
		whole += "." + fraction
	}
	return sign + whole + exponent
}
