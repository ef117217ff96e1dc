package columns

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Column is a column of a text file, with its guessed type.
type Column struct {
	Name string
	// Type is the type as a job writes it: text, int, float, bool, or a date or timestamp with its layouts.
	Type string
	// Doubts are sentences about what is uncertain in the type. They quote no value.
	Doubts []string
	// Other is true if some texts of the column are not valid for the type.
	Other bool

	cells     []string
	bare      bool // some cells of a JSON file are numbers or booleans, not strings
	nulls     []string
	thousands rune
}

// Value is a text of a column, and how often it occurs.
type Value struct {
	Text  string
	Count int
}

// mostFrequent returns the most frequent texts, at most n of them.
func mostFrequent(count map[string]int, n int) []Value {
	all := make([]Value, 0, len(count))
	for text, k := range count {
		all = append(all, Value{text, k})
	}
	slices.SortFunc(all, func(a, b Value) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Text, b.Text))
	})
	return all[:min(n, len(all))]
}

// nullTexts are common texts for missing values.
var nullTexts = []string{"", "?", "NA", "N/A", "n/a", "na", "NULL", "null", "None", "none", "-", "--", ".", `\N`, "NaN",
	"nan", "#N/A"}

// neverText is a part of nullTexts: texts that are practically never values.
var neverText = []string{"?", "NA", "N/A", "n/a", "NULL", "null", `\N`, "#N/A"}

// judge sets the type of the column: the narrowest type that at least nine cells in ten have.
func (c *Column) judge(decimal rune) {
	var values []string
	for _, cell := range c.cells {
		if !slices.Contains(nullTexts, cell) {
			values = append(values, cell)
		} else if cell != "" && !slices.Contains(c.nulls, cell) {
			c.nulls = append(c.nulls, cell)
		}
	}
	c.Type = "text"
	if len(values) > 0 {
		c.findType(values, decimal)
	}
	if c.Type == "text" { // a dash may be a real value
		c.nulls = slices.DeleteFunc(c.nulls, func(s string) bool { return !slices.Contains(neverText, s) })
		if c.bare {
			c.Doubts = append(c.Doubts,
				"some values are numbers, booleans, lists or objects, which are not texts: they would count as missing")
		}
	}
}

func (c *Column) findType(values []string, decimal rune) {
	if leadingZeros(values) {
		c.Doubts = append(c.Doubts, "digits with leading zeros, such as codes: kept as text")
		return
	}
	if !c.bare && slices.ContainsFunc(values, longInt) {
		c.Doubts = append(c.Doubts, "integers of more digits than an int or a float holds: kept as text")
		return
	}
	isBool := func(s string) bool {
		return slices.Contains([]string{"true", "false", "yes", "no", "t", "f", "y", "n"}, strings.ToLower(s))
	}
	if c.fits(values, "int", isInt) || c.fits(values, "bool", isBool) {
		return
	}
	for _, separator := range []rune{0, '.', ',', ' ', '\''} { // 0 for none
		isFloat := func(s string) bool { return isNumber(s, decimal, separator) }
		if separator != decimal && c.fits(values, "float", isFloat) {
			c.thousands = separator
			return
		}
	}
	c.findLayouts(values)
}

// fits sets the column's type to name if it accepts at least nine of ten values, and reports whether it does.
func (c *Column) fits(values []string, name string, accepts func(string) bool) bool {
	other := 0
	for _, v := range values {
		if !accepts(v) {
			other++
		}
	}
	if other*10 > len(values) {
		return false
	}
	c.Type, c.Other = name, other > 0
	return true
}

// layouts are the known layouts of dates and times. If several fit, the first is proposed, so day before month is
// proposed before month before day.
var layouts = []struct{ kind, layout string }{
	{"date", "2006-01-02"},
	{"date", "2/1/2006"}, {"date", "1/2/2006"}, {"date", "2.1.2006"}, {"date", "2-1-2006"}, {"date", "1-2-2006"},
	{"date", "2006/1/2"}, {"date", "20060102"}, {"date", "2/1/06"}, {"date", "1/2/06"}, {"date", "2.1.06"},
	{"date", "2-Jan-2006"}, {"date", "2 Jan 2006"}, {"date", "2 January 2006"}, {"date", "Jan 2, 2006"}, {"date",
		"January 2, 2006"}, {"date", "2-Jan-06"},
	{"date", "2Jan2006"}, {"timestamp", "2Jan2006:15:04:05"}, {"timestamp", "2Jan2006 15:04:05"}, // SAS and Stata
	{"timestamp", "2006-01-02 15:04:05"}, {"timestamp", "2006-01-02T15:04:05"}, {"timestamp", "2006-01-02T15:04:05Z07:00"},
	{"timestamp", "2006-01-02 15:04:05Z07:00"}, {"timestamp", "2006-01-02 15:04:05-07"}, {"timestamp",
		"2006-01-02 15:04"}, {"timestamp", "2006-01-02T15:04"},
	{"timestamp", "2/1/2006 15:04:05"}, {"timestamp", "2/1/2006 15:04"}, {"timestamp", "1/2/2006 15:04:05"}, {"timestamp",
		"1/2/2006 15:04"},
	{"timestamp", "1/2/2006 3:04:05 PM"}, {"timestamp", "1/2/2006 3:04 PM"}, {"timestamp",
		"2.1.2006 15:04:05"}, {"timestamp", "2.1.2006 15:04"},
	{"timestamp", "2006/1/2 15:04:05"},
	{"timestamp", "2006-01-02T15:04:05Z0700"}, {"timestamp", "2006-01-02 15:04:05Z0700"}, // polars
	{"timestamp", "2006-01-02 15:04:05 -0700"}, {"timestamp", "2006-01-02 15:04:05 UTC"}, // BigQuery
}

// findLayouts proposes at most three layouts of dates or times that together fit at least nine values in ten: the
// layout of most values, then the layout of most of the rest, and so on.
func (c *Column) findLayouts(values []string) {
	rest := values
	kind := ""
	var chosen []string
	for len(rest) > 0 && len(chosen) < 3 {
		best, left := -1, rest
		for i, l := range layouts {
			if kind != "" && l.kind != kind {
				continue
			}
			if not := unparsed(rest, l.layout); len(not) < len(left) {
				best, left = i, not
			}
		}
		if best < 0 || (len(rest)-len(left))*50 < len(values) {
			break
		}
		c.doubtOrder(rest, left, layouts[best].layout)
		kind, chosen, rest = layouts[best].kind, append(chosen, layouts[best].layout), left
	}
	if kind == "" || len(rest)*10 > len(values) {
		c.Doubts = nil
		return
	}
	c.Other = len(rest) > 0
	c.Type = kind + " " + strings.Join(chosen, " | ")
	if c.Type == "date 2006-01-02" {
		c.Type = "date"
	}
}

// doubtOrder adds a doubt if day and month may also be in the other order.
func (c *Column) doubtOrder(rest, left []string, layout string) {
	swapped := strings.NewReplacer("2/1/", "1/2/", "1/2/", "2/1/", "2-1-", "1-2-", "1-2-", "2-1-").Replace(layout)
	if swapped != layout && len(unparsed(rest, swapped)) == len(left) {
		c.Doubts = append(c.Doubts, "day/month or month/day: what was seen fits both orders; ask whoever made the file")
	}
}

func unparsed(values []string, layout string) (rest []string) {
	for _, v := range values {
		if _, err := time.Parse(layout, v); err != nil {
			rest = append(rest, v)
		}
	}
	return rest
}

// leadingZeros reports whether all values consist of digits and some begin with a zero: then they are codes, not
// numbers.
func leadingZeros(values []string) bool {
	some := false
	for _, v := range values {
		if strings.Trim(v, "0123456789") != "" {
			return false
		}
		some = some || len(v) > 1 && v[0] == '0'
	}
	return some
}

func isInt(s string) bool {
	_, err := strconv.ParseInt(s, 10, 64)
	return err == nil
}

// longInt reports whether s is an integer that does not fit an int64.
func longInt(s string) bool {
	digits := strings.TrimLeft(s, "+-")
	return digits != "" && strings.Trim(digits, "0123456789") == "" && !isInt(s)
}

var plainSpaces = strings.NewReplacer("\u00a0", " ", "\u202f", " ")

// isNumber reports whether s is a decimal number with the given decimal sign. If separator is not 0, it may separate
// groups of three digits. A space also matches a no-break space.
func isNumber(s string, decimal, separator rune) bool {
	if separator == ' ' {
		s = plainSpaces.Replace(s)
	}
	s = strings.TrimLeft(s, "+-")
	if mantissa, exponent, ok := strings.Cut(strings.ToLower(s), "e"); ok && isInt(exponent) {
		s = mantissa
	}
	whole, fraction, _ := strings.Cut(s, string(decimal))
	if strings.Trim(fraction, "0123456789") != "" {
		return false
	}
	if separator != 0 {
		groups := strings.Split(whole, string(separator))
		for i, g := range groups {
			if i > 0 && len(g) != 3 || i == 0 && (len(g) == 0 || len(g) > 3) && len(groups) > 1 {
				return false
			}
		}
		whole = strings.Join(groups, "")
	}
	return strings.Trim(whole, "0123456789") == "" && whole+fraction != ""
}

// decimalSigns counts the cells that are numbers only if a comma is the decimal sign, and only if a point is.
func decimalSigns(cells []string) (comma, point int) {
	for _, cell := range cells {
		isComma := isNumber(cell, ',', 0) || isNumber(cell, ',', '.') || isNumber(cell, ',', ' ')
		isPoint := isNumber(cell, '.', 0) || isNumber(cell, '.', ',') || isNumber(cell, '.', ' ')
		switch {
		case isComma && !isPoint:
			comma++
		case isPoint && !isComma:
			point++
		}
	}
	return comma, point
}

// typed reports whether a text is a number or a date.
func typed(s string) bool {
	if isNumber(s, '.', 0) || isNumber(s, ',', 0) {
		return true
	}
	return slices.ContainsFunc(layouts, func(l struct{ kind, layout string }) bool {
		_, err := time.Parse(l.layout, s)
		return err == nil
	})
}
