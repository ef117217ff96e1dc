package scan

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Values that are not rounded
//
// Many decimals have the same nearest float64. The exact form of a float accepts only one of them: the shortest that
// reads back as that float64, in any spelling (0.1, 1e-1 and 0.10 are one number). So two numbers never become one
// float, and every number that was written from a float is accepted. All other texts have no value: decimals of too
// many digits or beyond the range, hexadecimal numbers, infinities and NaN.

// parseExactFloat parses a decimal if it is the shortest one of its float64.
func parseExactFloat(text []byte) (float64, bool) {
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return 0, false
	}
	digits, exponent, ok := decimalOf(string(text))
	shortest, power, _ := decimalOf(strconv.FormatFloat(f, 'e', -1, 64))
	if !ok || digits != shortest || exponent != power {
		return 0, false
	}
	return f + 0, true // + 0 turns -0 into 0, since both are the same number
}

// decimalOf returns the absolute value of a decimal number as digits times a power of ten, without zeros at either end;
// zero has no digits. ok is false if the text has other characters than a decimal number. ParseFloat must accept the
// text.
func decimalOf(text string) (digits string, exponent int, ok bool) {
	text = strings.TrimLeft(text, "+-")
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.Atoi(text[i+1:]); err != nil {
			return "", 0, false
		}
		text = text[:i]
	}
	whole, fraction, _ := strings.Cut(text, ".")
	if digits = whole + fraction; strings.Trim(digits, "0123456789") != "" {
		return "", 0, false
	}
	exponent -= len(fraction)
	digits = strings.TrimLeft(digits, "0")
	short := strings.TrimRight(digits, "0")
	if short == "" {
		return "", 0, true
	}
	return short, exponent + len(digits) - len(short), true
}

// inMicroseconds reports whether a time has no part finer than a microsecond. Package time reads nine digits of a
// fraction and drops all others. So the other digits after a point or comma must be zeros, if they belong to a
// fraction. parse is the function that read the time.
func inMicroseconds(text []byte, at time.Time, parse func([]byte) (time.Time, bool)) bool {
	if at.Nanosecond()%1000 != 0 {
		return false
	}
	for i, b := range text {
		if b != '.' && b != ',' {
			continue
		}
		digits := text[i+1:]
		digits = digits[:len(digits)-len(bytes.TrimLeft(digits, "0123456789"))]
		if len(digits) <= 9 || len(bytes.Trim(digits[9:], "0")) == 0 {
			continue
		}
		cut := slices.Concat(text[:i+10], text[i+1+len(digits):])
		if same, ok := parse(cut); ok && same.Equal(at) {
			return false
		}
	}
	return true
}
