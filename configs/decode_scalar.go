package configs

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// scalar decodes a text, a number or a truth value.
func (d *decoder) scalar(v reflect.Value, s spot) {
	switch v.Kind() {
	case reflect.String:
		d.str(v, s)
	case reflect.Bool:
		d.boolean(v, s)
	default:
		d.integer(v, s)
	}
}

// text returns the text of a scalar. References are replaced.
func (d *decoder) text(s spot, want string) (string, bool) {
	if s.node.Kind != yaml.ScalarNode || isNull(s.node) {
		d.expected(s, want, nullHint(s.node))
		return "", false
	}
	return d.expand(s, s.node.Value)
}

func nullHint(n *yaml.Node) string {
	if isNull(n) {
		return "give a value, or remove the key; quote the word null where it is meant as text"
	}
	return ""
}

func (d *decoder) str(v reflect.Value, s spot) {
	text, ok := d.text(s, "a text")
	if !ok {
		return
	}
	v.SetString(text)
	if text == "" {
		d.wrong(s, codeBadValue, "the text is empty", "give a value, or remove the key")
		return
	}
	if known := words(s.tag.Get("enum")); len(known) > 0 && !slices.Contains(known, text) {
		d.wrong(s, codeBadValue, "unknown value "+d.show(s.at, text), didYouMean(text, known))
	}
}

// number returns the text of a number that a float64 can hold.
func (d *decoder) number(s spot) (string, bool) {
	text, ok := d.text(s, "a number")
	if !ok {
		return "", false
	}
	r, ok := decimal(text)
	switch {
	case !ok:
		d.wrong(s, codeWrongType, "expected a number, found "+d.show(s.at, text), "write digits such as 0.5 or 1e-6, without _ and without leading zeros")
	case r.Abs(r).Cmp(largest) > 0:
		d.wrong(s, codeBadValue, "the number is out of range", "numbers go up to 1e300")
	default:
		return text, true
	}
	return "", false
}

func (d *decoder) boolean(v reflect.Value, s spot) {
	text, ok := d.text(s, "true or false")
	switch {
	case !ok:
	case !d.plain(s) || text != "true" && text != "false":
		d.wrong(s, codeWrongType, "expected true or false, found "+d.found(s, text), "write true or false, without quotes")
	default:
		v.SetBool(text == "true")
	}
}

func (d *decoder) integer(v reflect.Value, s spot) {
	text, ok := d.text(s, "a whole number")
	if !ok {
		return
	}
	n, err := strconv.ParseInt(text, 10, 64)
	digits := strings.TrimPrefix(text, "-")
	least, hasLeast := s.tag.Lookup("min")
	switch {
	case !d.plain(s) || strings.Trim(digits, "0123456789") != "" || len(digits) == 0 || len(digits) > 1 && digits[0] == '0':
		d.wrong(s, codeWrongType, "expected a whole number, found "+d.found(s, text), "write digits such as 5, without quotes, point, _ and leading zeros")
	case err != nil || v.OverflowInt(n):
		d.wrong(s, codeBadValue, "the number is out of range", "")
	case hasLeast && below(n, least):
		d.wrong(s, codeBadValue, fmt.Sprintf("must be at least %s, is %s", least, d.show(s.at, text)), "")
	default:
		v.SetInt(n)
	}
}

func below(n int64, least string) bool {
	m, err := strconv.ParseInt(least, 10, 64)
	return err == nil && n < m
}

// found returns the text of a scalar for a message, with the quotes that it has in the file.
func (d *decoder) found(s spot, text string) string {
	if shown := d.show(s.at, text); d.plain(s) || strings.HasPrefix(shown, `"`) {
		return shown
	}
	return quote(text)
}

// plain reports whether a number or truth value is written without quotes. A value with a reference in it may have
// quotes.
func (d *decoder) plain(s spot) bool {
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	return s.node.Style&quoted == 0 || strings.Contains(s.node.Value, "${")
}
