package configs

import (
	"math/big"
	"regexp"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
)

// Scalar is a scalar's source text: NO, 02139 and 2013-01-01 stay what was written.
type Scalar string

// Decimal is a number's source text; it is rounded down to float64 if it is a budget. "" if the key is absent.
type Decimal string

// maxDecimal is the most characters of a number.
const maxDecimal = 64

var (
	// leadingZero begins a number that YAML 1.1 would read as an octal one.
	leadingZero = regexp.MustCompile(`^[+-]?0[0-9]`)
	// longExponent is beyond what a job may say; the job's schema has the same limit.
	longExponent = regexp.MustCompile(`[eE][+-]?[0-9]{4}`)
	// largest keeps every number within float64: a reader of the manifest must be able to parse it.
	largest = new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(300), nil))
)

// Down returns the largest float64 that is not above the number: budgets are never rounded up.
func (d Decimal) Down() (float64, error) { return calibrate.ParseDown(string(d)) }

// rat is the number itself; ok is false if d is not a number.
func (d Decimal) rat() (r *big.Rat, ok bool) {
	if leadingZero.MatchString(string(d)) {
		return nil, false
	}
	return Scalar(d).number()
}

// number is the scalar as a number, leading zeros allowed; ok is false if it is another text.
func (s Scalar) number() (r *big.Rat, ok bool) {
	if len(s) > maxDecimal || longExponent.MatchString(string(s)) {
		return nil, false
	}
	x, err := calibrate.ParseDecimal(string(s))
	return x.Rat(), err == nil
}

// literal is the number as JSON writes it, digit for digit; a text that is no number is "".
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
