package domain

import (
	"bytes"
	"math"
	"strconv"
)

// Numerals: texts that are read as numbers
//
// A text is the double nearest to it, ties to even, whatever its length: package strconv rounds like that as long as
// neither the digits nor the exponent are very many. So long texts are put into a short form first, with the same
// number or one that is rounded alike. Databases are told the same rule: see pipeline/sqlpush/numerals.go.

// MostNumeral is the largest number of bytes of a text that is read as a number.
const MostNumeral = 1 << 20

const (
	shortNumeral = 400      // bytes; strconv reads such texts right
	keptDigits   = 800      // more than a double, or a number halfway between two, has
	farExponent  = 10 << 20 // far more than digits can make up for
)

// ParseFloat reads a decimal number, "inf" or "infinity" in any case; a number beyond float64's range is infinite, as
// in a column of floats.
func ParseFloat(text []byte) (float64, bool) {
	if len(text) > MostNumeral || bytes.ContainsAny(text, "xX_") { // hexadecimal and grouped digits
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

// shorten writes a decimal number as 0.ddd…, with at most 801 digits, and an exponent. The last digit stands for all
// that were left out.
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
		case n == 0 && c == '0': // before all others
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

// readExponent reads what is after the digits of a number.
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
