package sqlpush

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/bounding"
)

// With sample_by, digests of a row's columns decide which rows of a unit are kept (queries/bounding/sampleby.go),
// whatever their cells and values. So the statement keeps rows first, and the rest of it is as if each kept row were a
// unit. One statement answers all queries with the same sample: it groups the kept rows by the cells of each query
// (GROUPING SETS).
//
// A row is kept if at most k rows of its unit have its digest or a smaller one, which the second window counts; so rows
// with equal digests are kept or dropped together. The first window numbers the rows of a unit by digest, and a filter
// keeps the first k + 1, so that Spark drops the others before it exchanges rows.

// sample returns a writer over the kept rows, and the columns that the aggregations read. All aggregations have the
// same sample.
func (in *input) sample(p *pipeline.Plan, all []*aggregation.Aggregation) (*writer, map[string]column) {
	o := all[0]
	rows := &aggregation.Aggregation{Filters: o.Filters, Unit: o.Unit, Columns: columnsOfAll(all)}
	w, columns := in.rows(p, rows)
	var values []column
	for _, name := range slices.Concat(o.Unit, o.SampleBy) {
		values = append(values, columns[name])
	}
	var units []string
	for _, c := range values[:len(o.Unit)] {
		units = append(units, c.Expr)
	}
	unit := strings.Join(units, ", ")
	w.sampleDigest(values, len(units))
	w.push("ROW_NUMBER() OVER (PARTITION BY " + unit + " ORDER BY d) AS r")
	limit := min(o.Limits.Rows, math.MaxInt64-1)
	w.filter(fmt.Sprintf("r <= %d", limit+1))
	w.push("COUNT(*) OVER (PARTITION BY " + unit + " ORDER BY d) AS below")
	w.filter(fmt.Sprintf("below <= %d", limit))
	return w, columns
}

// sampleDigest adds the column d, the digest of a row's values. The first values, as many as units, are those of the
// privacy unit, which are never NULL.
func (w *writer) sampleDigest(values []column, units int) {
	var types []table.Type
	for i := range values {
		types = append(types, values[i].Type)
	}
	if bounding.Numeric(types) {
		w.numericDigest(values, units)
		return
	}
	var message []part
	for i := range values {
		if i > 0 {
			message = append(message, part{Bytes: []byte{0}})
		}
		message = append(message, part{Text: &values[i], NeverNull: i < units})
	}
	w.layer(w.first8(w.digest(w.bytes(message))) + " AS d")
}

// numericDigest does the same as sampleDigest for columns that all hold numbers: the column p is a polynomial of the
// values modulo a prime, and d is the cube of p.
func (w *writer) numericDigest(values []column, units int) {
	at := "0"
	for i := range values {
		n := fmt.Sprintf("%s %% %d", values[i].Expr, bounding.SamplePrime)
		if of := values[i].Type; of.Kind == table.Timestamp {
			n = fmt.Sprintf("%s * %d %% %d", n, of.Unit, bounding.SamplePrime)
		}
		if i >= units {
			n = fmt.Sprintf("COALESCE(%s, %d)", n, bounding.SampleNull)
		}
		at = fmt.Sprintf("(%s + %s) * %d %% %d", at, n, bounding.SampleBase, bounding.SamplePrime)
	}
	w.layer(fmt.Sprintf("(%s + %[2]d) %% %[2]d AS p", at, bounding.SamplePrime))
	w.layer(fmt.Sprintf("p * p %% %[1]d * p %% %[1]d AS d", bounding.SamplePrime))
}

// ofRows returns the aggregation of kept rows: each row is a unit, and all filters have been applied.
func ofRows(o *aggregation.Aggregation) *aggregation.Aggregation {
	rows := *o
	rows.Filters, rows.Unit, rows.SampleBy = nil, nil, nil
	return &rows
}

// sampledAlone returns the statement for one aggregation with sample_by.
func (in *input) sampledAlone(p *pipeline.Plan, o *aggregation.Aggregation) string {
	w, columns := in.sample(p, []*aggregation.Aggregation{o})
	c := &contents{writer: w, Aggregation: ofRows(o), columns: columns, times: map[int]int64{}}
	var conditions []string
	for name, needs := range presenceOf(c.Aggregation) {
		if needs == needsCondition && !w.neverNull[columns[name].Expr] {
			conditions = append(conditions, columns[name].Expr+" IS NOT NULL")
		}
	}
	slices.Sort(conditions)
	w.filter(conditions...)
	return c.statement()
}

// sampled returns the statement for several aggregations with the same sample, and their grouping sets as in
// Statement.sets.
func (in *input) sampled(p *pipeline.Plan, all []*aggregation.Aggregation) (text string, sets []int) {
	w, columns := in.sample(p, all)
	w.keepsRows = true
	var cells, totals, which, groups []string
	byCells := map[string]int{}
	for i, o := range all {
		c := &contents{writer: w, Aggregation: ofRows(o), columns: columns, times: map[int]int64{},
			prefix: fmt.Sprint("q", i)}
		same := (&aggregation.Aggregation{Axes: o.Axes, Sizes: o.Sizes, Tables: o.Tables}).String()
		set, found := byCells[same]
		if !found {
			set = len(cells)
			byCells[same] = set
			codes := make([]string, len(c.Axes))
			for k := range c.Axes {
				codes[k] = c.axis(&c.Axes[k], columns)
			}
			cells = append(cells, c.alias(fmt.Sprint("cell", set), c.radix(codes, c.Tables[0])))
			which = append(which, fmt.Sprintf("WHEN %s IS NOT NULL THEN %d", cells[set], set))
			groups = append(groups, "("+cells[set]+")")
		}
		sets = append(sets, set)
		c.quantizeValues()
		rows := c.rowCount()
		totals = append(totals, rows+fmt.Sprintf(" AS %sn", c.prefix))
		for k, s := range c.sums(rows) {
			totals = append(totals, c.sumText(s, s.x, s.max, rows)+fmt.Sprintf(" AS %ssum%d", c.prefix, k))
		}
	}
	list := strings.Join(totals, ", ")
	if len(cells) == 1 {
		return fmt.Sprintf("SELECT 0 AS t, %[1]s AS cell, %s\nFROM %s AS x\nGROUP BY %[1]s", cells[0], list, w.from) +
			having(notNull(cells)), sets
	}
	return fmt.Sprintf("SELECT * FROM (SELECT CASE %s END AS t, COALESCE(%s) AS cell, %s\nFROM %s AS x\nGROUP BY "+
		"GROUPING SETS (%s)) AS y\nWHERE cell IS NOT NULL", strings.Join(which, " "), strings.Join(cells, ", "), list, w.from,
		strings.Join(groups, ", ")), sets
}

// columnsOfAll returns each column that at least one of the aggregations reads.
func columnsOfAll(all []*aggregation.Aggregation) (columns []table.Field) {
	for _, o := range all {
		for _, f := range o.Columns {
			if !slices.ContainsFunc(columns, func(g table.Field) bool { return g.Name == f.Name }) {
				columns = append(columns, f)
			}
		}
	}
	return columns
}
