package sqlpush

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

// A query is refused, before anything is charged, if the database cannot answer it exactly or if its statement would be
// too large.

// maxComponents is the largest number of components of a value that is added up in a database.
const maxComponents = 64

// maxPoints is the largest number of points among which a database finds the nearest. A statement contains each point
// twice.
const maxPoints = 1000

// CodeNotPushed is the error code of a query that a database cannot answer.
const CodeNotPushed = "not-in-sql"

// HintLocal is the remedy that such an error suggests.
const HintLocal = "write engine: local, so that this program reads the rows and adds them up"

// hintUnits is a second remedy, for discovered keys.
const hintUnits = "; or write min_units: 2 or more in the histogram that discovers the keys (without optimize: " +
	"keys), so that no key leaves the database that only one unit has"

// refusals collects the reasons why the database cannot compute an aggregation exactly.
type refusals struct {
	*input
	plan  *pipeline.Plan
	of    *aggregation.Aggregation
	found *problem.Problems
}

// refuses returns the reasons why the database cannot compute the aggregation of a query exactly; nil if it can. Errors
// are of type *problem.Error; see [problem.Errors].
func (in *input) refuses(p *pipeline.Plan, query string, of *aggregation.Aggregation) error {
	c := &refusals{in, p, of, &problem.Problems{Query: query}}
	if len(of.Keys) > 0 && of.MinUnits < 2 {
		c.found.Add(of.By, CodeNotPushed, "keys that are discovered are private, and those of one unit would leave the "+
			"database before they are selected", HintLocal+hintUnits)
		return c.found.Err()
	}
	c.value()
	for i := range of.Axes {
		c.axis(&of.Axes[i])
	}
	c.keys()
	c.unit()
	c.filters()
	c.events()
	return c.found.Err()
}

// events refuses logical columns that read texts for one event of a row and bytes for another: a UNION ALL cannot have
// both in one column.
func (c *refusals) events() {
	names := c.of.ColumnNames()
	for i := range c.of.Filters {
		names = append(names, c.of.Filters[i].Column)
	}
	for _, name := range names {
		forms := map[bool]bool{}
		for _, view := range c.plan.EventColumns() {
			forms[c.columns[c.plan.Columns()[view[slices.Index(c.plan.Logical(), name)]]].Binary] = true
		}
		if len(forms) > 1 {
			c.found.List = append(c.found.List, &problem.Error{Field: "input.events", Code: CodeNotPushed,
				Message: "column " + name + " has texts in one event and bytes in another", Hint: HintLocal})
			return
		}
	}
}

func (c *refusals) refuse(field, message string) {
	c.found.Add(field, CodeNotPushed, message, HintLocal)
}

// typeOf returns the type of a column of the aggregation.
func (c *refusals) typeOf(name string) (t table.Type) {
	for _, f := range c.of.Columns {
		if f.Name == name {
			t = f.Type
		}
	}
	return t
}

// filters refuses conditions that are inexact. An error about a condition of the whole job (input.where) names no
// query.
func (c *refusals) filters() {
	shared := c.plan.Filters().Columns()
	for i := range c.of.Filters {
		switch f := &c.of.Filters[i]; {
		case !inexact(&f.Coding):
		case !slices.Contains(shared, f.Column):
			c.refuse("where", "a database cannot evaluate a condition of this form exactly")
		default:
			c.found.List = append(c.found.List, &problem.Error{Field: "input.where", Code: CodeNotPushed,
				Message: "a database cannot evaluate a filter of this form exactly", Hint: HintLocal})
		}
	}
}

func (c *refusals) value() {
	v := c.of.Value
	if v == nil {
		return
	}
	switch {
	case c.of.Weighted && c.of.CellPerAxis:
		c.refuse(c.of.By, "marginals of a table of counts are not added up in a database")
	case v.Value.List:
		c.refuse(v.Field+".column", "lists are not added up in a database")
	case v.Dims > maxComponents:
		c.refuse(v.Field+".columns", fmt.Sprintf("more than %d components are not added up in a database", maxComponents))
	}
	c.numbers(v.Field, v.Value.AllColumns())
}

// numbers refuses columns of texts that the job reads as numbers. The plan refuses them in tables of databases, but a
// job about CSV files can be run on a database too.
func (c *refusals) numbers(field string, columns []string) {
	for _, name := range columns {
		if c.typeOf(name).Kind == table.String {
			c.refuse(field, "column "+name+" holds texts, which a database does not read as numbers")
		}
	}
}

func (c *refusals) axis(r *domain.Coding) {
	if n := r.Nearest; n != nil && len(n.Points) > maxPoints {
		c.refuse(c.of.By, fmt.Sprintf("a database is not asked for distances to more than %d points", maxPoints))
	}
	if r.Nearest != nil || r.Grid != nil {
		c.numbers(c.of.By, r.Columns())
	}
	ofFilter := r.IntRange != nil || r.FloatRange != nil || r.NotNull // writer.axis has no expression for these forms
	if inexact(r) || ofFilter {
		c.refuse(c.of.By, "dimension "+strings.Join(r.Columns(), ", ")+" has a form that a database cannot evaluate exactly")
		return
	}
	if table := r.FoldTable(); table != nil && !(c.folds(table) && c.characters(c.plan, r.Column)) {
		c.refuse(c.of.By, "differences between texts that do not count are not left out in this database, or column "+
			""+r.Column+" is of bytes")
	}
}

// inexact reports whether a database cannot compute a coding exactly: unsigned integers can exceed a BIGINT, texts are
// not read as numbers, and removing accents needs Unicode tables, of which databases have other versions.
func inexact(r *domain.Coding) bool {
	known := r.Ints != nil || r.Floats != nil || r.Texts != nil || r.IntSteps != nil || r.FloatSteps != nil ||
		r.IntRange != nil || r.FloatRange != nil || r.NotNull || r.TimeField != "" || r.Grid != nil || r.Nearest != nil
	return !known || r.Numerals() || r.Type.Kind == table.Uint && !r.NotNull || r.Texts != nil && r.Fold.Accents
}

// keys refuses discovered keys that the database cannot compute or must not return.
func (c *refusals) keys() {
	for i := range c.of.Keys {
		switch k := &c.of.Keys[i]; {
		case k.Axis >= 0:
		case k.Fold.Any():
			c.refuse(c.of.By, "differences between texts that do not count are not left out of keys that a database "+
				"discovers: column "+k.Column)
		case k.Type.Kind == table.Uint || k.Type.Kind == table.String && !c.characters(c.plan, k.Column):
			c.refuse(c.of.By, fmt.Sprintf("column %s is of type %s and of bytes, of which a database does not tell whether "+
				"they are characters", k.Column, k.Type))
		}
	}
}

func (c *refusals) unit() {
	c.texts(problem.FieldUnit, "of the privacy unit", c.of.Unit)
	c.texts(problem.FieldBounds+".sample_by", "of sample_by", c.of.SampleBy)
}

// texts refuses columns whose texts are not the same in all databases.
func (c *refusals) texts(field, what string, names []string) {
	for _, name := range names {
		t := c.typeOf(name)
		switch t.Kind {
		case table.Int, table.Bool, table.String, table.Date, table.Timestamp:
		default:
			c.refuse(field, fmt.Sprintf("column %s %s is of type %s, whose text databases do not agree on", name, what, t))
		}
	}
}

// folds reports whether the dialect can write a table by which texts are folded.
func (c *refusals) folds(f *domain.FoldTable) bool {
	_, ok := c.fold("x", f)
	return ok
}

// characters reports whether a logical column reads only texts of valid UTF-8, for all events of a row.
func (in *input) characters(p *pipeline.Plan, name string) bool {
	for _, view := range p.EventColumns() {
		if !in.columns[p.Columns()[view[slices.Index(p.Logical(), name)]]].Characters {
			return false
		}
	}
	return true
}
