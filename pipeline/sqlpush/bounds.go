package sqlpush

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/queries/bounding"
)

// Contribution bounds are applied as in queries/bounding/sampler.go. For each unit, the statement keeps the L cells
// with the smallest digests, then in each of these cells the m rows with the smallest digests, then of all these rows
// the k with the smallest digests. The rows are read once and numbered by window functions over their unit. Digests are
// computed only for units that exceed a bound.

// limit has a flag for each of the three bounds (cells of a unit, rows in a cell of a unit, rows of a unit), which is
// set if the bound can drop a row.
type limit struct{ cells, inCell, rows bool }

func (c *contents) binding() limit {
	l := c.Limits
	rows := c.Steps != nil || l.Rows < product(min(l.Cells, c.cellsInAll()), l.RowsPerCell)
	return limit{cells: l.Cells < c.cellsInAll(), inCell: l.RowsPerCell < math.MaxInt64 &&
		(l.RowsPerCell < l.Rows || !rows),
		rows: rows}
}

// boundedCounts returns a statement that counts the rows of each unit and cell first, and bounds the counts. It is used
// if no bound on all rows of a unit can drop a row: then it does not matter which rows of a unit and cell are kept.
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

// ofActive returns an expression that computes the digest only if the column active, the number of the unit's rows, is
// above a number. Other units keep all of their rows, so their digests are not needed.
func ofActive(rows int64, digest string) string {
	return fmt.Sprintf("CASE WHEN active > %d THEN %s END", rows, digest)
}

// withTables returns a statement that first defines tables in a WITH clause, among them kept, and then adds up the rows
// of kept.
func (c *contents) withTables(rows string, tables ...string) string {
	totals := c.totals("kept", rows)
	if rest, nested := strings.CutPrefix(totals, "WITH "); nested {
		totals = ",\n" + rest
	} else {
		totals = "\n" + totals
	}
	return "WITH " + strings.Join(tables, ",\n") + totals
}

// rank returns a column with the name as: the number of the row, from 1 on, among the rows with equal values in the
// columns of, by ascending digest.
func (c *contents) rank(digest string, of []string, as string) string {
	return "ROW_NUMBER() OVER (PARTITION BY " + strings.Join(of, ", ") + " ORDER BY " + digest + ") AS " + as
}

// boundedRows returns a statement that bounds rows one by one. One window per unit, ordered by cell and value, gives
// two columns: active, the number of the unit's rows, and occurrence, which numbers equal rows from 0 on (row number
// minus rank).
func (c *contents) boundedRows() string {
	l := c.binding()
	few := min(c.Limits.Rows, c.Limits.Cells, c.Limits.RowsPerCell)
	if !l.cells {
		few = min(c.Limits.Rows, c.Limits.RowsPerCell)
	}
	if c.Steps != nil { // with Steps, each row needs its rank, so each needs a digest
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
	return c.withTables(countRows, fmt.Sprintf("kept AS (SELECT %s FROM %s AS b)", kept, w.from))
}

// beginning returns the parts with which all digest messages about a unit begin.
func (c *contents) beginning(order byte) []part {
	parts := []part{{Bytes: append([]byte(bounding.BoundKey), order)}}
	for _, name := range c.Unit {
		column := c.columns[name]
		parts = append(parts, part{Unit: &column})
	}
	return append(parts, part{Bytes: []byte{0, 0, 0, 0}})
}

// digestOfCell and digestOfRow return the expressions for the digests that queries/bounding/messages.go defines.
func (c *contents) digestOfCell() string { return c.digest(c.bytes(c.message(bounding.CellOrder))) }

func (c *contents) digestOfRow() string {
	parts := c.message(bounding.RowOrder)
	for _, v := range c.values {
		parts = append(parts, part{Number: v, Width: 8})
	}
	return c.digest(c.bytes(append(parts, part{Number: "occurrence", Width: 8})))
}

// message returns the parts with which all digest messages about a unit and a cell begin.
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
