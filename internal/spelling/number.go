package spelling

import (
	"math"
	"strconv"
	"strings"
)

// This file writes numbers for people. Numbers for programs (JSON, CSV) have no commas.

// Number returns x with a number of significant digits, and with a comma between thousands: 1,200,000 or 0.25. It keeps
// all digits before the decimal point. Only numbers below 0.0001 and from 1e12 on have an exponent. A zero has no sign.
func Number(x float64, digits int) string {
	size := math.Abs(x)
	switch {
	case size == 0:
		return "0"
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "–"
	case size < 1e-4 || size >= 1e12:
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', digits-1, 64), "e")
		if strings.Contains(mantissa, ".") {
			mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
		}
		n, _ := strconv.Atoi(exponent) // it always parses
		return mantissa + "e" + strconv.Itoa(n)
	}
	decimals := max(0, digits-1-int(math.Floor(math.Log10(size))))
	text := strconv.FormatFloat(x, 'f', decimals, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return Grouped(text)
}

// Short returns x rounded to a number of significant digits, like [Number]: 382,900 for 382,911.2 and four digits.
func Short(x float64, digits int) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	if err != nil {
		rounded = x // it rounds to infinity
	}
	return Number(rounded, digits)
}

// Exact returns x with the fewest digits that parse back to x, in the form of [Number]: 1,234,567.25 or 5e-8.
func Exact(x float64) string {
	mantissa, _, _ := strings.Cut(strconv.FormatFloat(math.Abs(x), 'e', -1, 64), "e")
	return Number(x, len(strings.Replace(mantissa, ".", "", 1)))
}

// Integer returns n with a comma between thousands: 1,234,567.
func Integer[N int | int64](n N) string { return Grouped(strconv.FormatInt(int64(n), 10)) }

// Count returns n and the noun of n things, in the plural unless n is 1: 1 file, 2 entries, 12,000 rows.
func Count[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "ry"); ok {
		return Integer(n) + " " + stem + "ries"
	}
	return Integer(n) + " " + noun + "s"
}

// Grouped puts a comma between the thousands of a decimal number: 1234567.5 becomes 1,234,567.5. Other texts, such as
// 1e+21, are returned as they are.
func Grouped(number string) string {
	whole, fraction, isDecimal := strings.Cut(number, ".")
	digits := strings.TrimPrefix(whole, "-")
	if strings.Trim(digits+fraction, "0123456789") != "" {
		return number
	}
	sign := whole[:len(whole)-len(digits)]
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	if isDecimal {
		return sign + digits + "." + fraction
	}
	return sign + digits
}
