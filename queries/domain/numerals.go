package domain

import (
	"bytes"
	"math"
	"strconv"
)

// Text columns that are read as numbers
//
// A text of any length is read as the nearest float64 (ties to even). Package strconv does so unless the digits or the
// exponent are very long. So a long text is first replaced by a short one that rounds to the same float64.

// maxNumeral is the length in bytes of the longest text that is read as a number.
const maxNumeral = 1 << 20

const (
	shortNumeral = 400      // bytes; strconv reads texts up to this length correctly
	keptDigits   = 800      // a float64, and a midpoint between two neighbours, has fewer digits
	farExponent  = 10 << 20 // no text has enough digits to make a number with such an exponent finite and not 0
)

// ParseFloat parses a decimal number, or "inf" or "infinity" in upper or lower case. A number beyond float64's range
// becomes infinite, as in a column of floats.
func ParseFloat(text []byte) (float64, bool) {
	if len(text) > maxNumeral || bytes.ContainsAny(text, "xX_") { // strconv accepts hexadecimal numbers and underscores
		return 0, false
	}
	if len(text) > shortNumeral {
		var ok bool
		if text, ok = shorten(text); !ok {
			return 0, false
		}
	}
	x, err := strconv.ParseFloat(string(text), 64)
	return x, err == nil || math.IsInf(x, 0)
}

// shorten rewrites a decimal number as 0.ddd… with an exponent. It keeps at most 801 digits. The last of these stands
// for all further digits: it is not 0 if one of them is not 0.
func shorten(text []byte) (short []byte, ok bool) {
	if text[0] == '+' || text[0] == '-' {
		short, text = append(short, text[0]), text[1:]
	}
	short = append(short, "0."...)
	first := len(short)
	power, point, digits, more := 0, false, false, false
	for len(text) > 0 && (text[0] >= '0' && text[0] <= '9' || text[0] == '.' && !point) {
		c := text[0]
		text = text[1:]
		if c == '.' {
			point = true
			continue
		}
		digits = true
		switch n := len(short) - first; {
		case n == 0 && c == '0': // a leading zero
			if point {
				power--
			}
			continue
		case n < keptDigits:
			short = append(short, c)
		default:
			more = more || c != '0'
		}
		if !point {
			power++
		}
	}
	if more {
		short = append(short, '1')
	}
	exponent, ok := readExponent(text)
	if !digits || !ok {
		return nil, false
	}
	if len(short) == first {
		return append(short, '0'), true
	}
	return strconv.AppendInt(append(short, 'e'), int64(max(-9999, min(power+exponent, 9999))), 10), true
}

// readExponent parses the exponent after the digits of a number.
func readExponent(text []byte) (exponent int, ok bool) {
	if len(text) == 0 {
		return 0, true
	}
	if text[0] != 'e' && text[0] != 'E' {
		return 0, false
	}
	text = text[1:]
	sign := 1
	if len(text) > 0 && (text[0] == '+' || text[0] == '-') {
		if text[0] == '-' {
			sign = -1
		}
		text = text[1:]
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		exponent = min(10*exponent+int(c-'0'), farExponent)
	}
	return sign * exponent, len(text) > 0
}
