package scan

import (
	"bytes"
	"strings"

	"github.com/dprelease/dprelease/io/table"
)

// Digits describes how numbers are written in a text file.
type Digits struct {
	Decimal   rune // the decimal sign; 0 means a point
	Thousands rune // the separator between groups of three digits; 0 if there is none
}

// floats returns a function for TextType.Parse. The function rewrites a number from the file's form, such as 1.000,5,
// into Go's form, 1000.5, and adds the number that parse reads from it.
func (d Digits) floats(parse func([]byte) (float64, bool)) func([]byte, *table.Values) bool {
	return func(text []byte, v *table.Values) bool {
		plain, ok := bytes.TrimSpace(text), true
		if !d.areUsual() {
			plain, ok = d.rewrite(plain)
		}
		if !ok {
			return false
		}
		f, ok := parse(plain)
		if ok {
			v.Floats = append(v.Floats, f)
		}
		return ok
	}
}

// areUsual reports whether numbers have a decimal point and no separators, as in Go.
func (d Digits) areUsual() bool { return (d.Decimal == 0 || d.Decimal == '.') && d.Thousands == 0 }

// parsePlain returns a function that rewrites a number in Go's form and then calls parse.
func (d Digits) parsePlain(parse func([]byte) (int64, bool)) func([]byte) (int64, bool) {
	if d.areUsual() {
		return parse
	}
	return func(text []byte) (int64, bool) {
		b, ok := d.rewrite(text)
		if !ok {
			return 0, false
		}
		return parse(b)
	}
}

// rewrite returns a number in Go's form. ok is false if a separator is not between groups of three digits, or if a
// point is not a decimal sign.
func (d Digits) rewrite(text []byte) (plain []byte, ok bool) {
	whole, fraction, decimal := string(text), "", false
	if d.Decimal != 0 {
		whole, fraction, decimal = strings.Cut(whole, string(d.Decimal))
	} else {
		whole, fraction, decimal = strings.Cut(whole, ".")
	}
	if strings.ContainsRune(fraction, '.') || d.Decimal != 0 && d.Decimal != '.' && d.Thousands != '.' &&
		strings.ContainsRune(whole, '.') {
		return nil, false
	}
	if d.Thousands != 0 {
		if whole, ok = d.ungroup(whole); !ok {
			return nil, false
		}
	}
	if decimal {
		whole += "." + fraction
	}
	return []byte(whole), true
}

// ungroup removes the separators from the digits before the decimal sign. A separator that is a space also matches a
// no-break space.
func (d Digits) ungroup(whole string) (string, bool) {
	if d.Thousands == ' ' {
		whole = strings.NewReplacer("\u00a0", " ", "\u202f", " ").Replace(whole)
	}
	groups := strings.Split(whole, string(d.Thousands))
	if len(groups) == 1 {
		return whole, true
	}
	for i, g := range groups {
		digits := strings.TrimLeft(g, "+-")
		if i > 0 && (len(g) != 3 || digits != g) || i == 0 && (digits == "" || len(digits) > 3) {
			return "", false
		}
	}
	return strings.Join(groups, ""), true
}
