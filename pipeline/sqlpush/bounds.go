package sqlpush

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/queries/bounding"
)

// The bounds of units are those of queries/bounding/sample.go: of all cells of a unit the L of smallest digest
// are kept, in each the m rows of smallest digest, and of these the k of smallest digest. Digests are computed for
// units over a bound alone: all others are counted as they come.

// limit describes which bounds can leave a row out.
type limit struct{ cells, inCell, rows bool }

func (c *contents) binding() limit {
	l := c.Limits
	rows := c.Steps != nil || l.Rows < product(min(l.Groups, c.cellsInAll()), l.PerGroup)
	return limit{cells: l.Groups < c.cellsInAll(), inCell: l.PerGroup < math.MaxInt64 && (l.PerGroup < l.Rows || !rows),
		rows: rows}
}

// boundedCounts bounds rows that are counted if no bound on rows in all binds: then rows of a unit in one cell are
// alike, and are counted before they are bounded.
func (c *contents) boundedCounts() string {
	l := c.binding()
	by := strings.Join(slices.Concat(c.units, c.cells), ", ")
	groups := fmt.Sprintf("(SELECT %s, COUNT(*) AS n FROM %s AS g GROUP BY %s)", by, c.from, by)
	n := "n"
	if most := c.Limits.PerGroup; most < math.MaxInt64 {
		n = fmt.Sprintf("CASE WHEN n > %d THEN %d ELSE n END", most, most)
	}
	number := c.integer("SUM(" + n + ")")
	if !l.cells {
		return c.totals(groups, number)
	}
	w := newWriter(c.dialect, "coded")
	c.joinOveractive(w, unitInCell)
	w.push(c.digestOfCell() + " AS d")
	w.push(c.rank("d", c.units, "r"))
	w.filter(fmt.Sprintf("r <= %d", c.Limits.Groups))
	kept := strings.Join(append(slices.Clone(c.cells), "n"), ", ")
	return c.with(number,
		"coded AS (SELECT "+by+", n\n FROM "+groups+" AS z)",
		c.overactive(c.Limits.Groups, unitInCell),
		keptOf(kept, kept, c.sameUnit("c"), w.from))
}

// overactive is the units with more rows than some, each with the beginnings of its messages.
func (c *contents) overactive(rows int64, messages ...beginning) string {
	units := strings.Join(c.units, ", ")
	columns := units
	for _, m := range messages {
		columns += ", " + c.bytes(c.beginning(m.order)) + " AS " + m.name
	}
	return fmt.Sprintf("overactive AS (SELECT %s FROM coded AS a GROUP BY %s HAVING COUNT(*) > %d)", columns, units, rows)
}

// joinOveractive leaves the rows of other units out, and adds the beginnings of messages. Windows that do not need them
// come first: they would move them.
func (c *contents) joinOveractive(w *writer, messages ...beginning) {
	list := "s.*"
	for _, m := range messages {
		list += ", o." + m.name
	}
	w.from = fmt.Sprintf("(SELECT %s FROM %s AS s JOIN overactive AS o ON %s)", list, w.from, c.sameUnit("s"))
}

// keptOf is the rows of units that are over no bound, and what is kept of the others.
func keptOf(ofFew, columns, on, bounded string) string {
	return fmt.Sprintf("kept AS (SELECT %s FROM coded AS c WHERE NOT EXISTS (SELECT 1 FROM overactive AS o WHERE %s)\n "+
		"UNION ALL SELECT %s FROM %s AS b)", ofFew, on, columns, bounded)
}

// sameUnit says that a row is of a unit o.
func (c *contents) sameUnit(row string) string {
	match := make([]string, len(c.units))
	for i, u := range c.units {
		match[i] = "o." + u + " = " + row + "." + u
	}
	return strings.Join(match, " AND ")
}

// with adds up what is kept, of tables that are named before.
func (c *contents) with(rows string, tables ...string) string {
	totals := c.totals("kept", rows)
	if rest, nested := strings.CutPrefix(totals, "WITH "); nested {
		totals = ",\n" + rest
	} else {
		totals = "\n" + totals
	}
	return "WITH " + strings.Join(tables, ",\n") + totals
}

// rank numbers rows by their digests in the groups of some columns.
func (c *contents) rank(digest string, of []string, as string) string {
	return "ROW_NUMBER() OVER (PARTITION BY " + strings.Join(of, ", ") + " ORDER BY " + digest + ") AS " + as
}

// boundedRows bounds rows one by one. Units that are over no bound are found first, and take part in no window.
func (c *contents) boundedRows() string {
	l := c.binding()
	columns := slices.Concat(c.units, c.cells, c.values)
	list, units := strings.Join(columns, ", "), strings.Join(c.units, ", ")
	var messages []beginning
	few := min(c.Limits.Rows, c.Limits.Groups, c.Limits.PerGroup)
	if !l.cells {
		few = min(c.Limits.Rows, c.Limits.PerGroup)
	}
	if c.Steps != nil { // of each row its rank is needed
		few = 1
	}
	if !l.cells && !l.inCell && !l.rows {
		return c.totals(c.from, countRows)
	}
	w := newWriter(c.dialect, "coded")
	if l.cells {
		messages = append(messages, unitInCell)
	}
	c.joinOveractive(w, messages...)
	if l.cells {
		w.push(c.digestOfCell() + " AS cd")
		w.push("DENSE_RANK() OVER (PARTITION BY " + units + " ORDER BY cd) AS cr")
		w.filter(fmt.Sprintf("cr <= %d", c.Limits.Groups))
	}
	inCell, alike := slices.Concat(c.units, c.cells), slices.Concat(c.units, c.cells, c.values)
	if l.inCell || l.rows {
		w.push("ROW_NUMBER() OVER (PARTITION BY " + strings.Join(alike, ", ") + " ORDER BY " + alike[len(alike)-1] +
			") - 1 AS occurrence")
		c.joinOveractive(w, unitInRow)
		messages = append(messages, unitInRow)
		w.push(c.digestOfRow() + " AS d")
	}
	if l.inCell {
		w.push(c.rank("d", inCell, "rc"))
		w.filter(fmt.Sprintf("rc <= %d", c.Limits.PerGroup))
	}
	if l.rows {
		w.push(c.rank("d", c.units, "r"))
		w.filter(fmt.Sprintf("r <= %d", c.Limits.Rows))
	}
	kept := strings.Join(slices.Concat(c.cells, c.values), ", ")
	if kept == "" {
		kept = "1 AS one"
	}
	ofFew := kept
	if c.Steps != nil {
		kept = strings.Join(slices.Concat(c.units, c.cells, c.values), ", ")
		kept, ofFew = kept+", "+step("r", c.Steps)+" AS tab", kept+", 0 AS tab"
	}
	return c.with(countRows,
		"coded AS (SELECT "+list+"\n FROM "+c.from+" AS z)",
		c.overactive(few, messages...),
		keptOf(ofFew, kept, c.sameUnit("c"), w.from))
}

// beginning is a column of a unit: how its messages of an order begin.
type beginning struct {
	order byte
	name  string
}

var unitInCell, unitInRow = beginning{bounding.CellOrder, "uc"}, beginning{bounding.RowOrder, "ur"}

// beginning is how all messages of a unit begin, of which its digests are.
func (c *contents) beginning(order byte) []part {
	parts := []part{{Bytes: append([]byte(bounding.BoundKey), order)}}
	for _, name := range c.Unit {
		column := c.columns[name]
		parts = append(parts, part{Unit: &column})
	}
	return append(parts, part{Bytes: []byte{0, 0, 0, 0}})
}

// digestOfCell and digestOfRow are the digests of queries/bounding/sample.go.
func (c *contents) digestOfCell() string { return c.digest(c.bytes(c.message(unitInCell))) }

func (c *contents) digestOfRow() string {
	parts := c.message(unitInRow)
	for _, v := range c.values {
		parts = append(parts, part{Number: v, Width: 8})
	}
	return c.digest(c.bytes(append(parts, part{Number: "occurrence", Width: 8})))
}

// message is how all messages of a unit and a cell begin.
func (c *contents) message(b beginning) []part {
	parts := []part{{Column: b.name}}
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
