package sqlpush

import (
	"fmt"
	"strconv"
	"strings"
)

// What is chosen from noisy values later, and units
//
// A clamp or a bound on rows may be chosen after all rows are read, from noisy histograms. Then a statement adds rows up in more tables than one: by the bin of
// their value, or by the step of their rank among the rows of their unit. Which rows are kept does not depend on what is chosen. Numbers of units are tables
// of their own. All of these are totals, as others are.

// bin is the table of a quantized value: its bin, or the table after the last one if there is no value.
func (c *contents) bin(x string) string {
	var tree func(from, to int) string // of the bins from from to to
	tree = func(from, to int) string {
		switch middle := (from + to) / 2; {
		case from == to:
			return strconv.Itoa(from)
		case c.Bins[middle] > c.Value.Max:
			return tree(from, middle)
		case c.Bins[middle] <= c.Value.Min:
			return tree(middle+1, to)
		default:
			return "CASE WHEN " + x + " < " + integer(c.Bins[middle]) + " THEN " + tree(from, middle) + " ELSE " + tree(middle+1, to) + " END"
		}
	}
	bin := tree(0, len(c.Bins))
	if !c.AllRows {
		return bin
	}
	return fmt.Sprintf("CASE WHEN %s IS NULL THEN %d ELSE %s END", x, len(c.Bins)+1, bin)
}

// step is the table of a rank, an expression.
func (c *contents) step(rank string) string {
	var b strings.Builder
	b.WriteString("CASE")
	for i, most := range c.Steps {
		fmt.Fprintf(&b, " WHEN %s <= %d THEN %d", rank, most, i)
	}
	return b.String() + " END"
}

// countUnits are the tables of units, if there are any: of all that have a row, each of which keeps one, or of the step of their last row.
func (c *contents) countUnits() string {
	units, none := strings.Join(c.units, ", "), strings.Repeat(", '0'", len(c.values))
	if c.Squared {
		none += ", '0'"
	}
	if c.Steps != nil {
		return fmt.Sprintf("\nUNION ALL\nSELECT %d AS t, cell, COUNT(*) AS n%s\nFROM (SELECT MAX(tab) AS cell FROM kept AS p GROUP BY %s) AS q\nGROUP BY cell", len(c.Steps), none, units)
	}
	if !c.Units {
		return ""
	}
	return fmt.Sprintf("\nUNION ALL\nSELECT 1 AS t, 0 AS cell, COUNT(*) AS n%s\nFROM (SELECT 1 AS one FROM %s AS p GROUP BY %s) AS q", none, c.from, units)
}
