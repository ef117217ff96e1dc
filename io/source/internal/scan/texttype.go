package scan

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/table"
)

// Types of columns whose values are texts in the file
//
// A CSV field and a JSON string are texts. The job gives the type of a column; a text that is not valid for this type
// is null, and marked as unparsed. Numbers may have a decimal comma and separators between groups of three digits.
// Dates may have several layouts: a text is read by the first layout in the job's list that fits.
//
// The value of a text is the value in its type: 1 and 01 are one int, yes and true one bool, and if the layout of a
// date has a time, the value is the day. Only floats and timestamps are rounded: floats to 53 bits, and timestamps down
// to microseconds. In the columns of the privacy unit, different values must stay different: there the exact form of a
// type accepts only texts that it represents exactly (exact.go).

// TextType is a column's type and how its texts are parsed.
type TextType struct {
	Type table.Type
	// Parse adds the value of a text, or returns false and adds nothing.
	Parse func(text []byte, v *table.Values) bool
	// exact is Parse without rounding; nil if Parse never rounds.
	exact func(text []byte, v *table.Values) bool
}

// Exact returns the type with a Parse under which different values stay different: a text whose value is not
// represented exactly has no value.
func (t TextType) Exact() TextType {
	if t.exact != nil {
		t.Parse = t.exact
	}
	return t
}

// Digits describes how numbers are written.
type Digits struct {
	Decimal   rune // '.' if it is 0
	Thousands rune // between groups of three digits; 0 if there is none
}

// layoutSeparator separates the layouts of dates and times.
const layoutSeparator = " | "

// NewTextType parses a type in the form that jobs have.
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

// Text is the type of a column for which the job gives none.
var Text = TextType{Type: table.Type{Kind: table.String}, Parse: func(text []byte, v *table.Values) bool {
	v.Data = append(v.Data, text...)
	v.Offsets = append(v.Offsets, uint32(len(v.Data)))
	return true
}}

// ints returns a Parse that adds the result of parse.
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

// floats returns a Parse that rewrites a number in Go's form and adds the result of parse.
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

// areUsual reports whether numbers are in Go's form.
func (d Digits) areUsual() bool { return (d.Decimal == 0 || d.Decimal == '.') && d.Thousands == 0 }

// parsePlain returns a parser that rewrites a number in Go's form and calls parse.
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

// parseFloat parses a number. One that is too large is infinite.
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

func parseDate(b []byte) (int64, bool) {
	t, err := time.Parse(time.DateOnly, string(b))
	return t.Unix() / 86400, err == nil // exact: midnight
}

// saysDay reports whether a layout has year, month and day, and no zone in letters, which do not determine an offset.
func saysDay(layout string) bool {
	probe := time.Date(2013, 11, 24, 0, 0, 0, 0, time.UTC)
	back, err := time.Parse(layout, probe.Format(layout))
	return err == nil && back.Equal(probe) && !strings.Contains(layout, "MST")
}

func zoned(layout string) bool {
	return strings.Contains(layout, "-07") || strings.Contains(layout, "Z07")
}

// dateType returns the type of dates in some layouts. It refuses a layout without the day, or with a zone: the zone
// would decide which day an instant is on.
func dateType(layouts []string) (TextType, *fault.Error) {
	for _, layout := range layouts {
		if !saysDay(layout) || zoned(layout) {
			return Text, fault.New(fault.CodeOption, "the layout of a date must say year, month and day, and no zone").
				Advise("write how 2 January 2006 looks in the file, such as date 2/1/2006; of instants the type is timestamp")
		}
	}
	return TextType{Type: table.Type{Kind: table.Date}, Parse: ints(func(b []byte) (int64, bool) {
		t, ok := parseTime(layouts, b)
		seconds := t.Unix()
		return (seconds - (seconds%86400+86400)%86400) / 86400, ok
	})}, nil
}

// timestampType returns the type of timestamps in some layouts. It refuses a layout without the day, and a mixture of
// instants and wall-clock readings.
func timestampType(layouts []string) (TextType, *fault.Error) {
	if len(layouts) == 0 {
		layouts = []string{""}
	}
	for _, layout := range layouts {
		if !saysDay(layout) {
			return Text, fault.New(fault.CodeOption, "the layout of a timestamp must say year, month and day").
				Advise("write the layout as Go does, such as timestamp 2006-01-02 15:04:05; a zone as -07:00 or Z07:00")
		}
		if zoned(layout) != zoned(layouts[0]) {
			return Text, fault.New(fault.CodeOption, "some layouts of a timestamp have a zone, and others have none").
				Advise("without a zone a time is a reading of a clock, with one it is an instant: a column is one of them")
		}
	}
	t := table.Type{Kind: table.Timestamp, Unit: 1e3, Zone: ZoneOf(zoned(layouts[0]))}
	parse := func(b []byte) (time.Time, bool) { return parseTime(layouts, b) }
	return TextType{t, ints(func(b []byte) (int64, bool) {
		at, ok := parse(b)
		return at.UnixMicro(), ok
	}), ints(func(b []byte) (int64, bool) {
		at, ok := parse(b)
		return at.UnixMicro(), ok && inMicroseconds(b, at, parse)
	})}, nil
}

// parseTime parses a text by the first layout that fits.
func parseTime(layouts []string, b []byte) (time.Time, bool) {
	for _, layout := range layouts {
		if t, err := time.Parse(layout, string(b)); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
