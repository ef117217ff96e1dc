package stabilitytest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Limits of filters and edges of cells, ascending. Many of them are values of the tables too.
var (
	numberTexts = []string{"-9223372036854775808", "-1e308", "-5", "0", "5", "10", "39.5", "40", "50", "100", "2147483647",
		"9007199254740993", "9223372036854775807", "1e308"}
	wholeTexts = []string{"-5", "0", "1", "5", "10", "30", "40", "50", "100"}
	dayTexts   = []string{"1969-12-31", "2013-01-01", "2013-01-02", "2013-01-31", "2013-02-01", "2014-01-01"}
	timeTexts  = []string{"1970-01-01T00:00:00", "2013-01-01T00:00:00", "2013-01-01T01:00:00", "2013-03-10T02:30:00",
		"2013-11-03T01:30:00", "2014-01-01T00:00:00"}
)

// thresholds returns the limits for a column's kind.
func (d *drawing) thresholds(k Kind) []string {
	switch k {
	case Date:
		return dayTexts
	case Instant, Clock:
		return timeTexts
	}
	return numberTexts
}

// listed returns the texts of values from which a list for a column's kind is drawn.
func (d *drawing) listed(k Kind) []string {
	switch k {
	case Date:
		return []string{"2013-01-01", "2013-01-02", "1970-01-01", "1969-12-31"}
	case Instant, Clock:
		return []string{"2013-01-01T00:00:00", "1970-01-01T00:00:00", "2013-03-10T02:30:00"}
	case Bool:
		return []string{"true", "false"}
	case Text:
		return []string{"a", "b", "red", "blue", "", "null", "40", "aaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaab", "é", "a\x00b",
			" "}
	}
	return append(slices.Clone(wholeTexts), "0.1", "39.5", "9223372036854775807", "-9223372036854775808")
}

// filter draws one condition on one column.
func (d *drawing) filter() string {
	name := d.one("f", "f", "f", "h", "g", "i", "i", "n", "k", "s", "s", "c", "b", "d", "d", "t", "l", "m", "o")
	k := d.kind(name)
	var parts []string
	switch d.IntN(8) {
	case 0:
		parts = append(parts, "not_null: true")
	case 1:
		parts = append(parts, "in: ["+d.list(k)+"]")
	case 2:
		parts = append(parts, "not_in: ["+d.list(k)+"]")
	case 3:
		parts = append(parts, d.ranged(k), "in: ["+d.list(k)+"]")
	default:
		parts = append(parts, d.ranged(k))
	}
	return "{column: " + name + ", " + strings.Join(parts, ", ") + "}"
}

func (d *drawing) list(k Kind) string { return quoted(some(d.Rand, 1+d.IntN(3), d.listed(k))) }

// ranged draws one or both limits of a range, in any of the forms that jobs allow.
func (d *drawing) ranged(k Kind) string {
	if k == Bool {
		return "not_null: true"
	}
	of := d.thresholds(k)
	if len(of) == len(numberTexts) && d.chance(0.7) {
		of = wholeTexts
	}
	ends := some(d.Rand, 2, of)
	low, high := strconv.Quote(ends[0]), strconv.Quote(ends[1])
	times := k == Date || k == Instant || k == Clock
	switch d.IntN(6) {
	case 0:
		return "min: " + low
	case 1:
		return "max: " + high
	case 2:
		return "min: " + low + ", max: " + high
	case 3:
		if times {
			return fmt.Sprintf("from: %s, for: %s", low, pick(d.Rand, []string{"1d", "2w", "36h", "90m", "1s"}))
		}
		return "max: " + low
	case 4:
		return "from: " + low + ", before: " + high
	}
	return pick(d.Rand, []string{"from: " + low, "before: " + high})
}
