package sqlpush

import (
	"fmt"
	"strings"
)

// A clamp or a row bound may be chosen from noisy histograms after all rows are read. So that any choice can be applied
// later, the statement returns totals in several tables: one for each bin of the value, or one for each step of a row's
// rank within its unit. The kept rows do not depend on the choice. One more table counts units.

// countUnits returns the end of a statement, which adds a table of units; "" if the aggregation needs none. It counts
// all units that have a row or, for a chosen row bound, the units by the step of their last row.
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
