package pipeline

import (
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
)

// This file has arithmetic on decimals as jobs write them, such as "1e-6".

// tenthOf returns a tenth of a decimal, exactly: "1e-6" becomes "1e-7".
func tenthOf(d string) string {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(d), "e")
	e, err := strconv.Atoi(exponent)
	if err != nil {
		e = 0
	}
	return mantissa + "e" + strconv.Itoa(e-1)
}

// largerDecimal returns the larger of two decimals.
func largerDecimal(a, b string) string {
	x, err1 := calibrate.ParseDecimal(a)
	y, err2 := calibrate.ParseDecimal(b)
	if err1 == nil && err2 == nil && x.Cmp(y) < 0 {
		return b
	}
	return a
}

// roundedUp returns x as a decimal of about 12 digits, rounded up.
func roundedUp(x float64) string {
	text := strconv.FormatFloat(x, 'g', 12, 64)
	for y, _ := strconv.ParseFloat(text, 64); y < x; y, _ = strconv.ParseFloat(text, 64) {
		text = strconv.FormatFloat(y*(1+1e-12), 'g', 13, 64)
	}
	return text
}
