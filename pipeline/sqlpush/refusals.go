package sqlpush

import (
	"fmt"
	"slices"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries"
	"github.com/dprelease/dprelease/queries/problem"
)

// mostComponents is the largest number of components of a value that is added up in a database.
const mostComponents = 64

// mostPoints is the largest number of points of which a database finds the nearest: a statement has each of them twice.
const mostPoints = 1000

// fits reports what a dialect cannot do exactly.
func (in *input) fits(plan *pipeline.Plan, name string, o *queries.Outline, s table.Schema) error {
	p := &problem.Problems{Query: name}
	refuse := func(field, message string) { p.Add(field, queries.CodeNotPushed, message, queries.HintLocal) }
	if v := o.Value; v != nil {
		switch {
		case v.Clip && in.integers().Wide == "":
			refuse(v.Field+".clip_l2", "vectors are shortened with integers of 128 bits, which this database was not tried with")
		case v.Value.List:
			refuse(v.Field+".column", "lists are not added up in a database")
		case v.Dims > mostComponents:
			refuse(v.Field+".columns", fmt.Sprintf("more than %d components are not added up in a database", mostComponents))
		}
		for _, c := range v.Value.Columns {
			if f, _ := s.Lookup(c); f.Type.Kind == table.String {
				refuse(v.Field, "texts are not read as numbers in a database: column "+c+" holds texts")
			}
		}
	}
	for i := range o.Axes {
		r := &o.Axes[i]
		if columns := r.Columns(); len(columns) > 1 {
			for _, c := range columns {
				if f, _ := s.Lookup(c); f.Type.Kind == table.String {
					refuse("histogram.by", "texts are not read as numbers in a database: column "+c+" holds texts")
				}
			}
		}
		if n := r.Nearest; n != nil {
			switch {
			case !in.doubles():
				refuse("histogram.by", "distances are computed in doubles, and this database was not seen to compute with them as this program does")
			case len(n.Points) > mostPoints:
				refuse("histogram.by", fmt.Sprintf("a database is not asked for distances to more than %d points", mostPoints))
			}
		}
		if f := o.Axes[i].Fold; f != nil {
			if _, ok := in.fold("x", f); !ok || !in.characters(plan, o.Axes[i].Column) {
				refuse("histogram.by", "differences between texts that do not count are not left out in this database, or column "+o.Axes[i].Column+" is of bytes")
			}
		}
	}
	in.fitKeys(plan, o, refuse)
	if o.Limits.Rows > 1 || len(o.Columns) > 0 {
		for _, c := range o.Columns {
			f, _ := s.Lookup(c)
			switch kind := f.Type.Kind; {
			case kind == table.Int, kind == table.Bool, kind == table.String, kind == table.Date:
			case kind == table.Timestamp && in.unitOfTimes():
			default:
				refuse(problem.FieldUnit, fmt.Sprintf("column %s of the privacy unit is of type %s, whose text databases do not agree on", c, f.Type))
			}
		}
	}
	return p.Err()
}

// characters says that a column has texts of characters.
func (in *input) characters(p *pipeline.Plan, name string) bool {
	for _, view := range p.Views() {
		if !in.columns[p.Columns()[view[slices.Index(p.Logical(), name)]]].Characters {
			return false
		}
	}
	return true
}
