package sqlpush

import (
	"fmt"
	"strings"
)

// A clamp or a bound on rows may be chosen after all rows are read, from noisy histograms. Then a statement adds rows
// up in more tables than one: by the bin of their value, or by the step of their rank among the rows of their unit.
// Which rows are kept does not depend on what is chosen. Numbers of units are tables of their own. All of these are
// totals, as others are.

// countUnits are the tables of units, if there are any: of all that have a row, each of which keeps one, or of the step
// of their last row.
func (c *contents) countUnits() string {
	units, none := strings.Join(c.units, ", "), strings.Repeat(", '0'", len(c.values))
	if c.Second != nil {
		none += ", '0'"
	}
	if c.Steps != nil {
		return fmt.Sprintf("\nUNION ALL\nSELECT %d AS t, cell, COUNT(*) AS n%s\nFROM (SELECT MAX(tab) AS cell FROM kept AS "+
			"p GROUP BY %s) AS q\nGROUP BY cell", len(c.Steps), none, units)
	}
	if !c.Units {
		return ""
	}
	return fmt.Sprintf("\nUNION ALL\nSELECT 1 AS t, 0 AS cell, COUNT(*) AS n%s\nFROM (SELECT 1 AS one FROM %s AS p "+
		"GROUP BY %s) AS q", none, c.from, units)
}
