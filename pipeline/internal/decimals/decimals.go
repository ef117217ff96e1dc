// Package decimals has arithmetic on numbers as jobs write them.
package decimals

import (
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
)

// Tenth is a tenth of a decimal.
func Tenth(d string) string {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(d), "e")
	e, err := strconv.Atoi(exponent)
	if err != nil {
		e = 0
	}
	return mantissa + "e" + strconv.Itoa(e-1)
}

// Larger is the larger of two decimals.
func Larger(a, b string) string {
	x, err1 := calibrate.ParseDecimal(a)
	y, err2 := calibrate.ParseDecimal(b)
	if err1 == nil && err2 == nil && x.Cmp(y) < 0 {
		return b
	}
	return a
}

// Up is a decimal of about 12 digits that is not below x.
func Up(x float64) string {
	text := strconv.FormatFloat(x, 'g', 12, 64)
	for y, _ := strconv.ParseFloat(text, 64); y < x; y, _ = strconv.ParseFloat(text, 64) {
		text = strconv.FormatFloat(y*(1+1e-12), 'g', 13, 64)
	}
	return text
}
