package spelling

import (
	"math"
	"math/big"
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

// Up returns x like [Short], but rounded away from zero: use it for privacy losses and errors, neither of which may look
// smaller than it is.
func Up(x float64, digits int) string { return directed(x, digits, true) }

// Down returns x like [Short], but rounded towards zero: use it for noise from which a privacy loss follows, and for
// what is left.
func Down(x float64, digits int) string { return directed(x, digits, false) }

// directed formats x with at most 15 significant digits, rounded away from zero if up is set, else towards zero.
func directed(x float64, digits int, up bool) string {
	size := new(big.Rat).SetFloat64(math.Abs(x))
	if size == nil {
		return Number(x, digits)
	}
	return Number(math.Copysign(rounded(size, digits, up), x), digits)
}

// rounded returns x, which is at least 0, rounded to a number of significant digits.
func rounded(x *big.Rat, digits int, up bool) float64 {
	near, _ := x.Float64()
	_, exponent, _ := strings.Cut(strconv.FormatFloat(near, 'e', -1, 64), "e")
	first, _ := strconv.Atoi(exponent) // it always parses, as does the step
	step, _ := new(big.Rat).SetString("1e" + strconv.Itoa(first-digits+1))
	steps := new(big.Rat).Quo(x, step)
	n, rest := new(big.Int).QuoRem(steps.Num(), steps.Denom(), new(big.Int))
	if up && rest.Sign() > 0 {
		n.Add(n, big.NewInt(1))
	}
	result, _ := step.Mul(step, new(big.Rat).SetInt(n)).Float64()
	return result
}

// Percent returns a share of at least 0 in percent, with three significant digits, rounded up if up is set, else down:
// 12.4 % or under 0.01 %. A share of 0.1 is 10 %, though no float64 is 1/10. Rounded down, less than a millionth of a
// percent is 0 %: it is what rounding left.
func Percent(share float64, up bool) string {
	switch {
	case share == 0 || !up && share < 1e-8:
		return "0 %"
	case share < 1e-4:
		return "under 0.01 %"
	case share > 1e4:
		return "more than a million %"
	}
	stated, _ := new(big.Rat).SetString(strconv.FormatFloat(share, 'e', -1, 64)) // it always parses
	return Number(rounded(stated.Mul(stated, big.NewRat(100, 1)), 3, up), 3) + " %"
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
