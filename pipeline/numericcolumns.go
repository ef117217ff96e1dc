package pipeline

import (
	"fmt"
	"slices"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
)

// A query may use a string column as numbers. In CSV files this is usual, because their columns are strings unless the
// job gives them a type. Every other string column got its type from a schema or from the job. If a query uses such a
// column as numbers, the column's type has changed, or the job names the wrong column, and the release would be only
// noise. So this file refuses such columns. It looks at types alone, so that no row's value decides (docs/adr/0058).

// checkNumbers reports string columns that queries or filters use as numbers, except columns of CSV files without a
// type.
func (p *Plan) checkNumbers(schema table.Schema) (diags configs.Diagnostics) {
	check := func(path, column, use string) {
		if f, ok := schema.Lookup(column); ok && f.Type.Kind == table.String && !p.mayHoldNumbers(column) {
			diags = append(diags, p.textNumber(path, column, use))
		}
	}
	ranges := func(path string, where []configs.Filter) {
		for i, f := range where {
			ends := []*configs.Scalar{f.From, f.Before, f.Min, f.Max}
			if slices.ContainsFunc(ends, func(end *configs.Scalar) bool { return end != nil && isNumber(*end) }) {
				check(fmt.Sprintf("%s[%d].column", path, i), f.Column, "a range")
			}
		}
	}
	ranges("input.where", p.job.Input.Where)
	for i := range p.job.Queries {
		if p.queries[i].overUnits {
			continue // the types of these columns are checked with the units that the job states
		}
		path := p.queries[i].path
		ranges(path+".where", p.job.Queries[i].Where)
		if w, kind := p.job.Queries[i].RowWeight(); w != nil {
			check(path+"."+kind+".weight.column", w.Column, "a weight")
		}
		for kind, a := range p.job.Queries[i].Aggregates() {
			check(path+"."+kind+".column", a.Column, "a "+kind)
			for k, column := range a.Columns {
				check(fmt.Sprintf("%s.%s.columns[%d]", path, kind, k), column, "a "+kind)
			}
		}
		for kind, by := range p.job.Queries[i].Dimensions() {
			for k, d := range by {
				at := fmt.Sprintf("%s.%s.by[%d]", path, kind, k)
				if e := d.FirstEdge(); e != nil && isNumber(*e) {
					check(at+".column", d.Column, "a dimension with edges")
				}
				if n := d.Nearest; n != nil {
					check(at+".nearest.lat", n.Lat, "a latitude")
					check(at+".nearest.lon", n.Lon, "a longitude")
				}
				if g := d.Grid; g != nil {
					check(at+".grid.lat", g.Lat, "a latitude")
					check(at+".grid.lon", g.Lon, "a longitude")
				}
			}
		}
	}
	return diags
}

func isNumber(s configs.Scalar) bool {
	_, ok := domain.Number(string(s))
	return ok
}

// textNumber returns the error for a string column that is used as numbers.
func (p *Plan) textNumber(path, column, use string) configs.Diagnostic {
	if of, name := p.origin(column); slices.Contains(of.job.ExactColumns(), name) {
		return p.job.Diagnose(path, "column-type", fmt.Sprintf("column %q is read as text, and %s is of numbers", column,
			use),
			"decimals are texts in columns of the privacy unit, of privacy.unit.distinct and of discovered keys, so that no "+
				"two become one: store the number in a column of its own")
	}
	hint := "if the texts are numbers, write them as such, give the column a type in input.csv.types or " +
		"input.jsonl.columns, or derive a number: input.derive: {number: float(" + column + ")}"
	if of, name := p.origin(column); of.job.Input.SQL != nil {
		hint = "if the texts are numbers, read the column in input.sql.query by an expression that is null for other " +
			"texts: " + numberOfText(of.job.Input.SQL.Driver, name)
	}
	return p.job.Diagnose(path, "column-type", fmt.Sprintf("column %q holds text, and %s is of numbers", column, use),
		"has the table changed? in Parquet and Arrow files of pandas a column of nulls alone has no type and counts as text: "+
			"give it one when the file is written; "+hint)
}

// numberOfText returns an SQL expression that parses a string column as a number. It fails for no string.
func numberOfText(driver, column string) string {
	if driver == "postgres" {
		return fmt.Sprintf("CASE WHEN pg_input_is_valid(%s, 'double precision') THEN CAST(%s AS double precision) END",
			column,
			column)
	}
	return fmt.Sprintf("TRY_CAST(%s AS double)", column)
}

// origin returns the plan of the table that a column comes from, and the column's name there.
func (p *Plan) origin(column string) (of *Plan, name string) {
	for i := range p.input.joins {
		j := &p.input.joins[i]
		if k := slices.Index(j.As, column); k >= 0 {
			return j.Side.origin(j.Add[k])
		}
	}
	return p, column
}

// mayHoldNumbers reports whether a string column may be parsed as numbers: a column of a CSV file to which neither the
// job nor a folder name gives a type. A logical name stands for its column in the first event. A joined column is
// judged in the table that it comes from.
func (p *Plan) mayHoldNumbers(column string) bool {
	p, column = p.origin(column)
	in := &p.job.Input
	if len(in.Events) > 0 {
		column = source(in.Events[0], column)
	}
	return in.IsDelimited() && in.CSV.Types[column] == "" && in.Folders[column] == "" &&
		!slices.Contains(p.input.derived.Names(), column)
}
