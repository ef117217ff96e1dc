package sqlpush

import (
	"fmt"
	"slices"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
)

// An axis (a dimension of an aggregation) gives each row a code: the index of a listed value, of an interval between
// edges, of a time field's value or of the nearest point. The codes of all axes together give the number of the row's
// cell. A row in no cell has the code NULL and is dropped. If possible, a condition that a table scan can evaluate
// drops it before its code is computed.

// dropUncoded adds conditions that drop rows without a code on an axis, before codes are computed. ok is false if such
// rows may remain, because no condition is cheap enough.
func (w *writer) dropUncoded(r *domain.Coding, columns map[string]column) (ok bool) {
	kept := 0
	for _, c := range []int32{r.Null, r.Other} {
		if c != domain.Dropped {
			kept++
		}
	}
	if r.Grid != nil && kept == 0 {
		w.filter(w.onGrid(r.Grid, columns)...)
		return true
	}
	if kept > 0 || r.Nearest != nil {
		return kept == 2
	}
	c := columns[r.Column]
	if c.Unchecked {
		return false // computing the code costs less than a condition
	}
	x := w.folded(r, &c)
	switch {
	case r.IntSteps != nil:
		s := spanOfSteps(r.IntSteps)
		if !slices.Contains(c.Within, s) {
			w.filter(x+" >= "+integer(s.Least), x+" <= "+integer(s.Most))
		}
		w.neverNull[x] = true
	case r.FloatSteps != nil && r.FloatSteps.Closed:
		return false // infinities may have cells too, and table scans cannot use such a condition
	case r.FloatSteps != nil:
		at := r.FloatSteps.At
		w.filter(x+" >= "+w.float(at[0]), x+" < "+w.float(at[len(at)-1]))
		w.neverNull[x] = true
	case r.TimeField != "":
		w.filter(x + " IS NOT NULL")
		w.neverNull[x] = true
	default:
		pairs, listed := w.listed(r, c.Binary)
		if !listed || len(pairs) > fewCases {
			return listed // lookup, a join, drops the other rows
		}
		if _, ok := w.place(r, x, pairs); ok {
			return false
		}
		w.filter(cases(x, pairs, r.Other) + " IS NOT NULL") // DuckDB evaluates this once for each entry of a dictionary
	}
	return true
}

// whenNull returns an expression: the code null if x is NULL, and rest otherwise.
func (w *writer) whenNull(x string, null int32, rest string) string {
	switch {
	case w.neverNull[x]:
		return rest
	case null == domain.Dropped:
		return "CASE WHEN " + x + " IS NOT NULL THEN " + rest + " END"
	}
	return "CASE WHEN " + x + " IS NULL THEN " + code(null) + " ELSE " + rest + " END"
}

// lookup returns the code of x in a list that is too long for a CASE, or other if x is NULL or not in the list. It
// joins the list to the rows as a table. If other is domain.Dropped, the join drops the rows whose x is not in the
// list, unless other queries need these rows.
func (w *writer) lookup(x string, pairs []pair, other int32) string {
	w.names++
	s, k, c := fmt.Sprint("s", w.names), fmt.Sprint("k", w.names), fmt.Sprint("e", w.names)
	how := "LEFT JOIN"
	if other == domain.Dropped && !w.keepsRows {
		how = "JOIN"
	}
	w.from = fmt.Sprintf("(SELECT %s.*, %s.c AS %s\n FROM %s AS %s %s %s ON %s.%s = %s.v)", s, k, c, w.from, s, how,
		w.pairs(k, pairs), s, x, k)
	if other == domain.Dropped {
		return c
	}
	return fmt.Sprintf("COALESCE(%s, %d)", c, other)
}

// folded returns the column of an axis. If the axis ignores case or white space, the column's texts are folded.
func (w *writer) folded(r *domain.Coding, c *column) string {
	table := r.FoldTable()
	if table == nil {
		return c.Expr
	}
	x, _ := w.fold(c.Expr, table) // ok is true, because tables that the dialect cannot write were refused
	return w.stage(x)
}

// axis returns the expression for a row's code on an axis.
func (w *writer) axis(r *domain.Coding, columns map[string]column) string {
	if r.Grid != nil {
		return w.grid(r, columns)
	}
	if n := r.Nearest; n != nil {
		lat, lon := w.stage(w.asDouble(columns[n.Lat])), w.stage(w.asDouble(columns[n.Lon]))
		there := onEarth(lat, lon, w.float)
		return fmt.Sprintf("CASE WHEN %s THEN COALESCE(%s, %s) ELSE %s END", there, w.nearest(n, lat, lon, there),
			code(r.Other), code(r.Null))
	}
	c := columns[r.Column]
	x := w.folded(r, &c)
	if pairs, ok := w.listed(r, c.Binary); ok {
		place, placed := w.place(r, x, pairs)
		switch {
		case placed && r.Other == domain.Dropped && r.Null == domain.Dropped:
			return place + " - 1"
		case placed && r.Other == domain.Dropped:
			return w.whenNull(x, r.Null, place+" - 1")
		case placed:
			return w.whenNull(x, r.Null, fmt.Sprintf("COALESCE(%s - 1, %d)", place, r.Other))
		case len(pairs) <= fewCases && r.Null == domain.Dropped && r.Other == domain.Dropped:
			return cases(x, pairs, r.Other)
		case len(pairs) <= fewCases:
			return w.whenNull(x, r.Null, cases(x, pairs, r.Other))
		case r.Null == domain.Dropped:
			if r.Other == domain.Dropped {
				return w.lookup(x, pairs, r.Other)
			}
			return w.whenNull(x, r.Null, w.lookup(x, pairs, r.Other))
		case r.Other == domain.Dropped: // lookup of Dropped would drop rows with NULL
			found := w.lookup(x, pairs, 0x7fffffff)
			return w.whenNull(x, r.Null, "NULLIF("+found+", 2147483647)")
		}
		return w.whenNull(x, r.Null, w.lookup(x, pairs, r.Other))
	}
	switch {
	case r.IntSteps != nil:
		if cell, ok := c.Scan.cell(r.IntSteps, x, code); ok {
			return w.whenNull(x, r.Null, cell)
		}
		return w.whenNull(x, r.Null, w.intSteps(x, r.IntSteps))
	case c.Unchecked:
		return w.uncheckedSteps(x, r)
	case r.FloatSteps != nil:
		if r.Null == domain.Dropped && r.Other == domain.Dropped {
			return w.floatSteps(x, r.FloatSteps) // floatSteps gives NULL if x is NULL
		}
		return w.whenNull(x, r.Null, w.floatSteps(x, r.FloatSteps))
	}
	field := w.timeField(r, x)
	if r.Null == domain.Dropped {
		return field // timeField gives NULL if the time is NULL
	}
	return w.whenNull(x, r.Null, field)
}

// grid returns the index of the grid cell that contains a row's coordinates.
func (w *writer) grid(r *domain.Coding, columns map[string]column) string {
	lat, lon := w.stage(w.asDouble(columns[r.Grid.Lat])), w.stage(w.asDouble(columns[r.Grid.Lon]))
	line := func(x string, edges []float64) string {
		s := domain.FloatSteps(edges, domain.Dropped, true)
		last := fmt.Sprintf("CASE WHEN %s = %s THEN %d END", x, w.float(s.Last), s.LastCode)
		if among, ok := w.evenly(x, s); ok {
			return among + " ELSE " + last + " END"
		}
		if code, ok := codeByCount(w, x, s.At, int64(s.Cells), "NULL", last); ok {
			return code
		}
		return bisection(x, s, w.float, "NULL", last)
	}
	row, col := w.stage(line(lat, r.Grid.Rows)), w.stage(line(lon, r.Grid.Cols))
	cell := fmt.Sprintf("CASE WHEN %s IS NOT NULL AND %s IS NOT NULL THEN %s * %d + %s ELSE %s END", row, col, row,
		len(r.Grid.Cols)-1, col, code(r.Other))
	return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", onEarth(lat, lon, w.float), cell, code(r.Null))
}

// onGrid returns the conditions that a row's coordinates are inside the grid.
func (w *writer) onGrid(g *domain.GridCells, columns map[string]column) []string {
	lat, lon := w.stage(w.asDouble(columns[g.Lat])), w.stage(w.asDouble(columns[g.Lon]))
	inside := func(x string, edges []float64) string {
		return fmt.Sprintf("%s >= %s AND %s <= %s", x, w.float(edges[0]), x, w.float(edges[len(edges)-1]))
	}
	return []string{inside(lat, g.Rows), inside(lon, g.Cols), onEarth(lat, lon, w.float)}
}

// asDouble returns a numeric column as a double.
func (w *writer) asDouble(c column) string {
	if c.Type.Kind == table.Float {
		return c.Expr
	}
	return w.double(c.Expr)
}
