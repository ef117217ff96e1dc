package sqlpush

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/domain"
)

// If each row is a unit, rows can be grouped before their cells are computed, by any columns that determine the cell.
// Then the cell is computed once for each group instead of each row. This is done for long lists of values, and on
// DuckDB for integers, days and hours if they take few values (duckdbscan.go).

// maxTogether is the largest number of combinations of cells for which the rows of several marginals are grouped by
// all of their dimensions at once.
const maxTogether = 1 << 20

// groupsFirst reports whether the statement groups rows before it computes their cells.
func (c *contents) groupsFirst() bool {
	if !c.inGroups() {
		return false
	}
	for i := range c.Axes {
		if _, keyed := c.key(&c.Axes[i]); keyed || c.long(&c.Axes[i]) && !c.CellPerAxis {
			return true
		}
	}
	return false
}

// inGroups reports whether the statement can be computed from counts and sums of groups, because no step needs single
// rows.
func (c *contents) inGroups() bool {
	return len(c.Unit) == 0 && c.Bins == nil && c.Steps == nil && len(c.Keys) == 0 &&
		!(c.CellPerAxis && c.cellsInAll() > maxTogether)
}

// long reports whether a dimension lists too many texts or integers for a CASE.
func (c *contents) long(r *domain.Coding) bool { return max(len(r.Texts), len(r.Ints)) > fewCases }

// key returns the group key of a dimension of integers, dates or times. ok is false if it has none.
func (c *contents) key(r *domain.Coding) (k groupKey, ok bool) {
	column := c.columns[r.Column]
	s, spanned := spanOf(r)
	within := spanned && (column.Type.Kind == table.Bool || slices.Contains(column.Within, s))
	if !column.Grouped {
		return k, false
	}
	return column.Scan.key(r, column.Expr, within)
}

// cellsOf returns a key by which aggregations share a statement, so that the database reads the rows once: it is equal
// for aggregations with the same rows and cells, or with the same sample of rows. ok is false if the aggregation needs
// a statement of its own.
func (in *input) cellsOf(o *aggregation.Aggregation) (cells string, ok bool) {
	v := o.Value
	if o.CellPerAxis || o.Bins != nil || v != nil && (v.Clip || v.Factors != nil || len(v.Value.Columns) > 1) {
		return "", false
	}
	if o.SampleBy != nil {
		return o.StoreKey(), true
	}
	if !in.together() || !(&contents{Aggregation: o}).inGroups() {
		return "", false
	}
	same := aggregation.Aggregation{Filters: o.Filters, Axes: o.Axes, Sizes: o.Sizes, Tables: o.Tables}
	return same.String(), true
}

// rowsOfAll returns an aggregation that reads the rows of all these aggregations, including rows without a value, and
// each column that one of them reads.
func rowsOfAll(all []*aggregation.Aggregation) *aggregation.Aggregation {
	o := *all[0]
	o.Value, o.Second, o.AllRows, o.Columns = nil, nil, false, columnsOfAll(all)
	return &o
}

// contentsOf returns the contents of each of several queries in one statement; the prefixes q0, q1, … keep their
// columns apart.
func contentsOf(all []*aggregation.Aggregation, w *writer, columns map[string]column) (parts []*contents) {
	for i, o := range all {
		parts = append(parts, &contents{writer: w, Aggregation: o, columns: columns, times: map[int]int64{},
			prefix: fmt.Sprint("q", i)})
	}
	return parts
}

// groupedFirst returns a statement that groups rows by group keys and listed values, then computes the cell of each
// group. Each row is a unit. The queries have the same cells.
func groupedFirst(queries []*contents) string {
	c := queries[0]
	var values []string
	for _, q := range queries {
		q.quantizeValues()
		values = append(values, q.values...)
	}
	var names, list, found []string
	groups := make([][]string, len(c.Axes))
	for i := range c.Axes {
		r := &c.Axes[i]
		var by []string
		if k, keyed := c.key(r); keyed {
			by = k.By
		} else if c.long(r) {
			by = []string{c.columns[r.Column].Expr}
		} else {
			if !c.dropUncoded(r, c.columns) {
				found = append(found, fmt.Sprintf("g%dk0 IS NOT NULL", i))
			}
			by = []string{c.alias(fmt.Sprint("code", i), c.axis(r, c.columns))}
		}
		for k, x := range by {
			name := fmt.Sprintf("g%dk%d", i, k)
			groups[i], names, list = append(groups[i], name), append(names, name), append(list, x+" AS "+name)
		}
	}
	inner := "(SELECT " + strings.Join(append(list, values...), ", ") + " FROM " + c.from + " AS a)"
	sums, totals := names, []string{"cell"}
	for _, q := range queries {
		rows, number := q.rowCount(), q.prefix+"n"
		sums = append(sums, rows+" AS "+number)
		totals = append(totals, c.integer("SUM("+number+")")+" AS "+number)
		for i, s := range q.sums(rows) {
			part := fmt.Sprint(q.prefix, "p", i)
			sums = append(sums, c.sum(s.x, s.max)+" AS "+part)
			totals = append(totals, q.sumText(s, part, 0, "SUM("+number+")")+fmt.Sprint(" AS ", q.prefix, "sum", i))
		}
	}
	grouped := ""
	if len(names) > 0 {
		grouped = " GROUP BY " + strings.Join(names, ", ")
	}
	w := newWriter(c.dialect, fmt.Sprintf("(SELECT %s FROM %s AS b%s%s)", strings.Join(sums, ", "), inner, grouped,
		having(found)))
	codes := make([]string, len(c.Axes))
	for i := range c.Axes {
		r := &c.Axes[i]
		grouped := c.columns[r.Column]
		k, keyed := c.key(r)
		switch {
		case keyed:
			grouped.Expr = w.stage(k.Value(groups[i]))
		case c.long(r):
			grouped.Expr = groups[i][0]
		default:
			codes[i] = groups[i][0]
			continue
		}
		codes[i] = w.axis(r, map[string]column{r.Column: grouped})
	}
	if c.CellPerAxis {
		return c.tablesOf(w, codes)
	}
	w.push(c.radix(codes, c.Tables[0]) + " AS cell")
	w.filterFound("cell IS NOT NULL")
	return fmt.Sprintf("SELECT 0 AS t, %s\nFROM %s AS x\nGROUP BY cell", strings.Join(totals, ", "), w.from)
}

// tablesOf returns a statement that counts the rows of the groups in w, in one table per marginal.
func (c *contents) tablesOf(w *writer, codes []string) string {
	for i, code := range codes {
		c.cells = append(c.cells, fmt.Sprint("cell", i))
		w.push(code + " AS " + c.cells[i])
	}
	w.filterFound(notNull(c.cells)...)
	return c.totals(w.from, c.integer("SUM(n)"))
}

// spans returns, by column, the ranges by which a table scan can drop rows: the ranges of filters and of dimensions.
// All columns that the logical column reads, one per event, must allow that.
func (in *input) spans(p *pipeline.Plan, o *aggregation.Aggregation) map[string][]domain.Span[int64] {
	all := map[string][]domain.Span[int64]{}
	add := func(name string, s domain.Span[int64]) {
		for _, view := range p.EventColumns() {
			c := in.columns[p.Columns()[view[slices.Index(p.Logical(), name)]]]
			if _, ok := c.Scan.within(s); !ok {
				return
			}
		}
		if !slices.Contains(all[name], s) {
			all[name] = append(all[name], s)
		}
	}
	for i := range o.Filters {
		if r := &o.Filters[i]; r.IntRange != nil {
			add(r.Column, *r.IntRange)
		}
	}
	for i := range o.Axes {
		if s, ok := spanOf(&o.Axes[i]); ok {
			add(o.Axes[i].Column, s)
		}
	}
	return all
}

// grouped reports whether a column is read in the form by which DuckDB groups rows (scanColumn.Grouped). The statement
// may then only group by it, or only add it up.
func (in *input) grouped(p *pipeline.Plan, o *aggregation.Aggregation, name string,
	spans []domain.Span[int64]) bool {
	var by []*domain.Coding
	for i := range o.Axes {
		if slices.Contains(o.Axes[i].Columns(), name) {
			by = append(by, &o.Axes[i])
		}
	}
	value := o.Value != nil && slices.Contains(o.Value.Value.AllColumns(), name)
	isKey := slices.ContainsFunc(o.Keys, func(k aggregation.KeyPart) bool { return k.Column == name })
	if slices.Contains(o.Unit, name) || isKey || value == (len(by) > 0) || value && o.Value.Factors != nil || !value &&
		!(&contents{Aggregation: o}).inGroups() {
		return false
	}
	for i := range o.Filters {
		if r := &o.Filters[i]; r.Column == name && (r.IntRange == nil || !slices.Contains(spans, *r.IntRange)) {
			return false
		}
	}
	for _, view := range p.EventColumns() {
		c := in.columns[p.Columns()[view[slices.Index(p.Logical(), name)]]]
		if c.Scan == nil || value && c.Type.Kind != table.Int {
			return false
		}
		for _, r := range by {
			s, spanned := spanOf(r)
			if _, ok := c.Scan.key(r, name, spanned && (c.Type.Kind == table.Bool || slices.Contains(spans, s))); !ok {
				return false
			}
		}
	}
	return true
}

// sum is the description of one sum: times · SUM(x) - less · rows, for an expression x with values from -max to max.
type sum struct {
	x                string
	max, times, less int64
}

// sums returns the sums of a query. The expression rows counts the rows of a group. On DuckDB the centre of the clamp
// is subtracted once from the sum, by the number of rows, instead of from each value.
func (c *contents) sums(rows string) (all []sum) {
	_, afterwards := c.try("x", 64)
	afterwards = afterwards && !c.AllRows && (rows == c.rowCount() || rows == countRows) && rows != noRows &&
		len(c.Keys) == 0
	for i, v := range c.values {
		low, high := c.Value.Range(i)
		s := sum{v, max(high-c.Value.Centre, c.Value.Centre-low), max(1, c.times[i]), c.Value.Centre}
		if !afterwards || c.Second != nil {
			s.x, s.less = c.term(less(v, s.less)), 0
		}
		all = append(all, s)
	}
	if c.Second != nil {
		x := less(c.values[0], c.Value.Centre)
		limit := all[0].max * all[0].max
		if s := (sum{fmt.Sprintf("(%s) * (%s)", x, x), limit, 1, c.Second.Less}); afterwards {
			all = append(all, s)
		} else {
			all = append(all, sum{c.term(fmt.Sprintf("%s - %d", s.x, s.less)), max(limit-s.less, s.less), 1, 0})
		}
	}
	return all
}

// sumText returns the sum s as text, with the expression x in place of s.x. The values of x are from -limit to limit;
// if limit is 0, x is itself a sum. The expression rows counts the rows.
func (c *contents) sumText(s sum, x string, limit int64, rows string) string {
	if s.times == 1 && s.less == 0 {
		return c.digits(c.sum(x, limit))
	}
	return movedSum("SUM("+x+")", s.times, rows, s.less)
}

// clamped returns the clamped value of an integer column in its stored form. ok is false if the column is not read in
// this form.
func (c *contents) clamped(name string) (v string, ok bool) {
	column, q := c.columns[name], c.Value
	if !column.Grouped || q.Clip || c.AllRows {
		return "", false
	}
	v, times, ok := column.Scan.clamped(column.Expr, q.Exponent, q.Min, q.Max)
	switch {
	case !ok:
		return "", false
	case c.inGroups() && c.Second == nil && (q.Centre == 0 || c.rowCount() != noRows): // multiply only the sum
		c.times[len(c.values)] = times
	default:
		v = fmt.Sprintf("CAST(%s AS BIGINT) * %d", v, times)
	}
	return v, true
}
