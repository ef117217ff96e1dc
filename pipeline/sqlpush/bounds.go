package sqlpush

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/queries/bounding"
)

// The bounds of units follow queries/bounding/sampler.go. Of a unit's cells, the L cells of smallest digest are kept; in
// each cell, the m rows of smallest digest; and of all these rows, the k of smallest digest. Rows are read once and
// numbered by window functions over their unit. Digests are computed only for units that exceed a bound.

// limit tells which bounds can drop a row.
type limit struct{ cells, inCell, rows bool }

func (c *contents) binding() limit {
	l := c.Limits
	rows := c.Steps != nil || l.Rows < product(min(l.Cells, c.cellsInAll()), l.RowsPerCell)
	return limit{cells: l.Cells < c.cellsInAll(), inCell: l.RowsPerCell < math.MaxInt64 && (l.RowsPerCell < l.Rows || !rows),
		rows: rows}
}

// boundedCounts bounds rows by their counts. It needs that no bound on all rows of a unit binds: then the rows of a
// unit in one cell are interchangeable, and are counted before they are bounded.
func (c *contents) boundedCounts() string {
	l := c.binding()
	by := strings.Join(slices.Concat(c.units, c.cells), ", ")
	groups := fmt.Sprintf("(SELECT %s, COUNT(*) AS n FROM %s AS g GROUP BY %s)", by, c.from, by)
	n := "n"
	if most := c.Limits.RowsPerCell; most < math.MaxInt64 {
		n = fmt.Sprintf("CASE WHEN n > %d THEN %d ELSE n END", most, most)
	}
	number := c.integer("SUM(" + n + ")")
	if !l.cells {
		return c.totals(groups, number)
	}
	w := newWriter(c.dialect, groups)
	w.push("COUNT(*) OVER (PARTITION BY " + strings.Join(c.units, ", ") + ") AS active")
	w.layer(ofActive(c.Limits.Cells, c.digestOfCell()) + " AS d")
	w.push(c.rank("d", c.units, "r"))
	w.filter(fmt.Sprintf("r <= %d", c.Limits.Cells))
	return c.totals(w.from, number)
}

// ofActive returns a digest that is computed only for units with more than rows rows: other units keep all rows, in any
// order.
func ofActive(rows int64, digest string) string {
	return fmt.Sprintf("CASE WHEN active > %d THEN %s END", rows, digest)
}

// with adds up the kept rows, in a statement whose tables are named first.
func (c *contents) with(rows string, tables ...string) string {
	totals := c.totals("kept", rows)
	if rest, nested := strings.CutPrefix(totals, "WITH "); nested {
		totals = ",\n" + rest
	} else {
		totals = "\n" + totals
	}
	return "WITH " + strings.Join(tables, ",\n") + totals
}

// rank numbers the rows by their digest, within each group of rows that are equal in the columns of.
func (c *contents) rank(digest string, of []string, as string) string {
	return "ROW_NUMBER() OVER (PARTITION BY " + strings.Join(of, ", ") + " ORDER BY " + digest + ") AS " + as
}

// boundedRows bounds rows one by one. One window function counts the rows of a unit and finds its equal rows. Equal
// rows are neighbours in the order, so that the row number less the rank counts them.
func (c *contents) boundedRows() string {
	l := c.binding()
	few := min(c.Limits.Rows, c.Limits.Cells, c.Limits.RowsPerCell)
	if !l.cells {
		few = min(c.Limits.Rows, c.Limits.RowsPerCell)
	}
	if c.Steps != nil { // the rank of each row is needed
		few = 1
	}
	if !l.cells && !l.inCell && !l.rows {
		return c.totals(c.from, countRows)
	}
	w := newWriter(c.dialect, fmt.Sprintf("(SELECT %s\n FROM %s AS z)",
		strings.Join(slices.Concat(c.units, c.cells, c.values), ", "), c.from))
	alike := slices.Concat(c.cells, c.values)
	if len(alike) == 0 {
		alike = c.units[len(c.units)-1:]
	}
	ordered := "PARTITION BY " + strings.Join(c.units, ", ") + " ORDER BY " + strings.Join(alike, ", ")
	found := []string{"COUNT(*) OVER (" + ordered + " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS active"}
	if l.inCell || l.rows {
		found = append(found, fmt.Sprintf("ROW_NUMBER() OVER (%[1]s) - RANK() OVER (%[1]s) AS occurrence", ordered))
	}
	w.push(found...)
	if l.cells {
		w.layer(ofActive(few, c.digestOfCell()) + " AS cd")
		w.push("DENSE_RANK() OVER (PARTITION BY " + strings.Join(c.units, ", ") + " ORDER BY cd) AS cr")
		w.filter(fmt.Sprintf("cr <= %d", c.Limits.Cells))
	}
	if l.inCell || l.rows {
		w.layer(ofActive(few, c.digestOfRow()) + " AS d")
	}
	if l.inCell {
		w.push(c.rank("d", slices.Concat(c.units, c.cells), "rc"))
		w.filter(fmt.Sprintf("rc <= %d", c.Limits.RowsPerCell))
	}
	if l.rows {
		w.push(c.rank("d", c.units, "r"))
		w.filter(fmt.Sprintf("r <= %d", c.Limits.Rows))
	}
	if c.Steps == nil {
		return c.totals(w.from, countRows)
	}
	kept := strings.Join(slices.Concat(c.units, c.cells, c.values), ", ") + ", " + step("r", c.Steps) + " AS tab"
	return c.with(countRows, fmt.Sprintf("kept AS (SELECT %s FROM %s AS b)", kept, w.from))
}

// beginning returns the parts with which all messages of a unit begin; digests are made from messages.
func (c *contents) beginning(order byte) []part {
	parts := []part{{Bytes: append([]byte(bounding.BoundKey), order)}}
	for _, name := range c.Unit {
		column := c.columns[name]
		parts = append(parts, part{Unit: &column})
	}
	return append(parts, part{Bytes: []byte{0, 0, 0, 0}})
}

// digestOfCell and digestOfRow return the digests of queries/bounding/messages.go.
func (c *contents) digestOfCell() string { return c.digest(c.bytes(c.message(bounding.CellOrder))) }

func (c *contents) digestOfRow() string {
	parts := c.message(bounding.RowOrder)
	for _, v := range c.values {
		parts = append(parts, part{Number: v, Width: 8})
	}
	return c.digest(c.bytes(append(parts, part{Number: "occurrence", Width: 8})))
}

// message returns the parts with which all messages of a unit and a cell begin.
func (c *contents) message(order byte) []part {
	parts := c.beginning(order)
	if len(c.Keys) > 0 {
		return append(parts, c.cellOfKey()...)
	}
	if len(c.Axes) == 0 {
		return append(parts, part{Bytes: []byte{0, 0, 0, 0}})
	}
	for _, cell := range c.cells {
		parts = append(parts, part{Number: cell, Width: 4})
	}
	return parts
}
