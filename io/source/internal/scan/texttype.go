package scan

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/table"
)

// Types of columns whose values are texts in the file
//
// A CSV field and a JSON string are texts. The job gives the type of a column; a text that is not valid for this type
// is null, and marked as unparsed. Numbers may have a decimal comma and separators between groups of three digits.
// Dates may have several layouts: a text is read by the first layout in the job's list that fits.
//
// Texts are compared by their values: 1 and 01 are the same int, and yes and true the same bool. If the layout of a
// date has a time, the value is the day. Only floats and timestamps are rounded: floats to 53 bits, and timestamps down
// to microseconds. In the columns of the privacy unit, different values must stay different: there the exact form of a
// type accepts only texts that it represents exactly (exacttext.go).

// TextType is the type of a column, and the function that parses its texts.
type TextType struct {
	Type table.Type
	// Parse adds the value of a text, or returns false and adds nothing.
	Parse func(text []byte, v *table.Values) bool
	// exact is Parse without rounding: it refuses a text whose value it cannot represent exactly. nil if Parse never
	// rounds.
	exact func(text []byte, v *table.Values) bool
}

// NewTextType parses a type as a job writes it, such as "date 2/1/2006".
func NewTextType(s string, d Digits) (TextType, *fault.Error) {
	name, rest, _ := strings.Cut(s, " ")
	var layouts []string
	if rest != "" {
		layouts = strings.Split(rest, layoutSeparator)
	}
	switch {
	case name == "timestamp":
		return timestampType(layouts)
	case name == "date" && len(layouts) > 0:
		return dateType(layouts)
	case len(layouts) > 0:
	case name == "text":
		return Text, nil
	case name == "int":
		return TextType{Type: table.Type{Kind: table.Int}, Parse: ints(d.parsePlain(parseInt))}, nil
	case name == "float":
		return TextType{table.Type{Kind: table.Float}, d.floats(parseFloat), d.floats(parseExactFloat)}, nil
	case name == "bool":
		return TextType{Type: table.Type{Kind: table.Bool}, Parse: ints(parseBool)}, nil
	case name == "date":
		return TextType{Type: table.Type{Kind: table.Date}, Parse: ints(parseDate)}, nil
	}
	return Text, fault.New(fault.CodeOption, "%q is not a type", s).
		Advise("the types are text, int, float, bool, date, date LAYOUT and timestamp LAYOUT; several layouts are " +
			"separated by \" | \"")
}

// TextTypes parses the types of columns, by name, and reports all problems. In the columns of exact, two different
// texts never become the same value.
func TextTypes(written map[string]string, d Digits, exact []string) (map[string]TextType, fault.Errors) {
	types := map[string]TextType{}
	var wrong fault.Errors
	for _, name := range slices.Sorted(maps.Keys(written)) {
		t, e := NewTextType(written[name], d)
		if e != nil {
			wrong = append(wrong, e.OfColumn(name))
		}
		if slices.Contains(exact, name) && t.exact != nil {
			t.Parse = t.exact
		}
		types[name] = t
	}
	return types, wrong
}

// Text is the type of a column for which the job states no type.
var Text = TextType{Type: table.Type{Kind: table.String}, Parse: func(text []byte, v *table.Values) bool {
	v.Data = append(v.Data, text...)
	v.Offsets = append(v.Offsets, uint32(len(v.Data)))
	return true
}}

// ints returns a Parse that adds the integer that parse returns.
func ints(parse func([]byte) (int64, bool)) func([]byte, *table.Values) bool {
	return func(text []byte, v *table.Values) bool {
		i, ok := parse(bytes.TrimSpace(text))
		if ok {
			v.Ints = append(v.Ints, i)
		}
		return ok
	}
}

func parseInt(b []byte) (int64, bool) {
	i, err := strconv.ParseInt(string(b), 10, 64)
	return i, err == nil
}

// parseFloat parses a number. A number that is too large becomes infinite.
func parseFloat(text []byte) (float64, bool) {
	f, err := strconv.ParseFloat(string(text), 64)
	return f, err == nil || errors.Is(err, strconv.ErrRange)
}

func parseBool(b []byte) (int64, bool) {
	switch strings.ToLower(string(b)) {
	case "true", "t", "yes", "y", "1":
		return 1, true
	case "false", "f", "no", "n", "0":
		return 0, true
	}
	return 0, false
}
