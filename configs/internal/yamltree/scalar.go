package yamltree

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/dprelease/dprelease/configs/internal/wording"
)

// scalar decodes a string, a number or a boolean.
func (d *Decoder) scalar(v reflect.Value, s Spot) {
	switch v.Kind() {
	case reflect.String:
		d.str(v, s)
	case reflect.Bool:
		d.boolean(v, s)
	default:
		d.Integer(v, s)
	}
}

// Text returns the text of a scalar. References are replaced.
func (d *Decoder) Text(s Spot, want string) (string, bool) {
	if s.Node.Kind != yaml.ScalarNode || IsNull(s.Node) {
		d.RefuseType(s, want, textHint(s))
		return "", false
	}
	return d.expand(s, s.Node.Value)
}

func (d *Decoder) str(v reflect.Value, s Spot) {
	text, ok := d.Text(s, "a text")
	if !ok {
		return
	}
	v.SetString(text)
	if text == "" {
		d.Refuse(s, CodeBadValue, "the text is empty", "give a value, or remove the key")
		return
	}
	if known := words(s.tag.Get("enum")); len(known) > 0 && !slices.Contains(known, text) {
		d.Refuse(s, CodeBadValue, "unknown value "+d.Show(s.Path, text), wording.DidYouMean(text, known))
	}
}

// Number returns the text of a number that a float64 can hold. A zero has no minus sign.
func (d *Decoder) Number(s Spot) (string, bool) {
	text, ok := d.Text(s, "a number")
	if !ok {
		return "", false
	}
	r, ok := ParseDecimal(text)
	switch {
	case !ok:
		d.Refuse(s, CodeWrongType, "expected a number, found "+d.Show(s.Path, text), numberHint(s))
	case r.Abs(r).Cmp(largest) > 0:
		d.Refuse(s, CodeBadValue, "the number is out of range", "numbers go up to 1e300")
	case r.Sign() == 0:
		return strings.TrimPrefix(text, "-"), true
	default:
		return text, true
	}
	return "", false
}

func (d *Decoder) boolean(v reflect.Value, s Spot) {
	s.example = cmp.Or(s.example, "true")
	if s.Node.Kind == yaml.SequenceNode {
		d.RefuseType(s, "true or false", exampleHint(s))
		return
	}
	text, ok := d.Text(s, "true or false")
	switch {
	case !ok:
	case !d.plain(s) || text != "true" && text != "false":
		d.Refuse(s, CodeWrongType, "expected true or false, found "+d.found(s, text), "write true or false, without quotes")
	default:
		v.SetBool(text == "true")
	}
}

// Integer decodes an integer. It must not be less than the number in the field's tag min.
func (d *Decoder) Integer(v reflect.Value, s Spot) {
	text, ok := d.Text(s, "a whole number")
	if !ok {
		return
	}
	n, err := strconv.ParseInt(text, 10, 64)
	digits := strings.TrimPrefix(text, "-")
	least, hasLeast := s.tag.Lookup("min")
	switch {
	case !d.plain(s) || strings.Trim(digits, "0123456789") != "" || len(digits) == 0 || len(digits) > 1 &&
		digits[0] == '0':
		d.Refuse(s, CodeWrongType, "expected an integer, found "+d.found(s, text),
			"write digits such as 5, without quotes, point, _ and leading zeros")
	case err != nil || v.OverflowInt(n):
		d.Refuse(s, CodeBadValue, "the number is out of range", "")
	case hasLeast && below(n, least):
		d.Refuse(s, CodeBadValue, fmt.Sprintf("must be at least %s, is %s", least, d.Show(s.Path, strconv.FormatInt(n, 10))),
			"")
	default:
		v.SetInt(n)
	}
}

func below(n int64, least string) bool {
	m, err := strconv.ParseInt(least, 10, 64)
	return err == nil && n < m
}

// found returns the text of a scalar for a message, in quotes if it is quoted in the file.
func (d *Decoder) found(s Spot, text string) string {
	if shown := d.Show(s.Path, text); d.plain(s) || strings.HasPrefix(shown, `"`) {
		return shown
	}
	return wording.Quote(text)
}

// plain reports whether a number or boolean is written without quotes. A value with a reference in it may have quotes.
func (d *Decoder) plain(s Spot) bool {
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	return s.Node.Style&quoted == 0 || strings.Contains(s.Node.Value, "${")
}
