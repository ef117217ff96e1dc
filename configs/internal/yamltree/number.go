package yamltree

import (
	"math/big"
	"regexp"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
)

// maxDecimal is the largest number of characters of a number.
const maxDecimal = 64

var (
	// leadingZero matches the start of a number that YAML 1.1 would read as octal.
	leadingZero = regexp.MustCompile(`^[+-]?0[0-9]`)
	// longExponent matches an exponent of four or more digits, which the schema does not allow either.
	longExponent = regexp.MustCompile(`[eE][+-]?[0-9]{4}`)
	// largest is 1e300, the largest absolute value of a number: every reader of the manifest can parse it as a float64.
	largest = new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(300), nil))
)

// ParseDecimal parses a number. ok is false if the text is not a number or has leading zeros.
func ParseDecimal(text string) (r *big.Rat, ok bool) {
	if leadingZero.MatchString(text) {
		return nil, false
	}
	return ParseNumber(text)
}

// ParseNumber is ParseDecimal for texts that may have leading zeros.
func ParseNumber(text string) (r *big.Rat, ok bool) {
	if len(text) > maxDecimal || longExponent.MatchString(text) {
		return nil, false
	}
	x, err := calibrate.ParseDecimal(text)
	return x.Rat(), err == nil
}

// Literal returns a number with the same digits in the form that JSON requires. It returns "" if the text is not a
// number.
func Literal(text string) string {
	if _, ok := ParseDecimal(text); !ok {
		return ""
	}
	s := strings.TrimPrefix(text, "+")
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
