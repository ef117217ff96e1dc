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

// If columns of the job choose the rows of a unit (queries/bounding/sampleby.go), the choice needs neither cells nor
// values. So the statement chooses rows first, and then is the statement of a table in which each row is a unit. One
// statement answers all queries with the same sample: it groups the kept rows by the cells of each query (GROUPING
// SETS).
//
// The first window numbers the rows of a unit by digest. A filter keeps the first k + 1, so that Spark drops the others
// before rows are exchanged. The second window counts the rows at or below each digest: at most k if the row is kept.

// sample returns the kept rows of units, and the columns that some aggregations with the same sample read.
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
	most := min(o.Limits.Rows, math.MaxInt64-1)
	w.filter(fmt.Sprintf("r <= %d", most+1))
	w.push("COUNT(*) OVER (PARTITION BY " + unit + " ORDER BY d) AS below")
	w.filter(fmt.Sprintf("below <= %d", most))
	return w, columns
}

// sampleDigest adds the column d, the digest of a row's values. The first units columns are the unit's, without NULL.
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

// numericDigest is sampleDigest for columns of numbers. The column p is the value of the polynomial.
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

// ofRows returns an aggregation of a sample, in which each row is a unit.
func ofRows(o *aggregation.Aggregation) *aggregation.Aggregation {
	rows := *o
	rows.Filters, rows.Unit, rows.SampleBy = nil, nil, nil
	return &rows
}

// sampledAlone returns the statement for one aggregation.
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

// sampled returns the statement for several aggregations with the same sample. Its first column is the number of the
// grouping set, and sets[i] that of aggregation i.
func (in *input) sampled(p *pipeline.Plan, all []*aggregation.Aggregation) (text string, sets []int) {
	w, columns := in.sample(p, all)
	w.keepsRows = true
	var cells, totals, which, groups []string
	byCells := map[string]int{}
	for i, o := range all {
		c := &contents{writer: w, Aggregation: ofRows(o), columns: columns, times: map[int]int64{},
			among: fmt.Sprint("q", i)}
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
		rows := c.counted()
		totals = append(totals, rows+fmt.Sprintf(" AS %sn", c.among))
		for k, s := range c.sums(rows) {
			totals = append(totals, c.sumText(s, s.of, s.most, rows)+fmt.Sprintf(" AS %ssum%d", c.among, k))
		}
	}
	list := strings.Join(totals, ", ")
	if len(cells) == 1 {
		return fmt.Sprintf("SELECT 0 AS t, %[1]s AS cell, %s\nFROM %s AS x\nGROUP BY %[1]s", cells[0], list, w.from) +
			having(notNull(cells)), sets
	}
	return fmt.Sprintf("SELECT * FROM (SELECT CASE %s END AS t, COALESCE(%s) AS cell, %s\nFROM %s AS x\nGROUP BY GROUPING "+
		"SETS (%s)) AS y\nWHERE cell IS NOT NULL", strings.Join(which, " "), strings.Join(cells, ", "), list, w.from,
		strings.Join(groups, ", ")), sets
}

// columnsOfAll returns the columns that some aggregations read, each once.
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
