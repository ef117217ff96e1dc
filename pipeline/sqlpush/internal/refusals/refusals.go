// Package refusals says which queries a database is not asked, because it could not answer them exactly.
package refusals

import (
	"fmt"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

// mostComponents is the largest number of components of a value that is added up in a database.
const mostComponents = 64

// mostPoints is the largest number of points of which a database finds the nearest: a statement has each of them twice.
const mostPoints = 1000

// Abilities are what a database was seen to do exactly.
type Abilities struct {
	// Exactly: it was seen to compute with wide integers, which shorten vectors, with doubles, which find nearest points, and with texts of numbers. Times are units; Keys are
	// discovered.
	Exactly, Times, Keys bool
	// Folds says whether it folds texts so.
	Folds func(*domain.FoldRule) bool
	// Characters says whether a column has texts of characters.
	Characters func(column string) bool
}

// check is a check in progress.
type check struct {
	can     Abilities
	schema  table.Schema
	outline *queries.Outline
	found   *problem.Problems
}

// Check reports what a database cannot do exactly of a query. Errors are of type *problem.Error; see [problem.Errors].
func Check(name string, o *queries.Outline, s table.Schema, can Abilities) error {
	c := &check{can, s, o, &problem.Problems{Query: name}}
	c.value()
	for i := range o.Axes {
		c.axis(&o.Axes[i])
	}
	c.keys()
	c.unit()
	return c.found.Err()
}

func (c *check) refuse(field, message string) {
	c.found.Add(field, queries.CodeNotPushed, message, queries.HintLocal)
}

// text refuses a column of texts that are to be read as numbers.
func (c *check) text(field, column string) {
	if f, _ := c.schema.Lookup(column); f.Type.Kind == table.String && !c.can.Exactly {
		c.refuse(field, "texts are not read as numbers in this database, which was not tried with that: column "+column+" holds texts")
	}
}

func (c *check) value() {
	v := c.outline.Value
	if v == nil {
		return
	}
	switch {
	case v.Clip && !c.can.Exactly:
		c.refuse(v.Field+".clip_l2", "vectors are shortened with integers of 128 bits, which this database was not tried with")
	case v.Value.List:
		c.refuse(v.Field+".column", "lists are not added up in a database")
	case v.Dims > mostComponents:
		c.refuse(v.Field+".columns", fmt.Sprintf("more than %d components are not added up in a database", mostComponents))
	}
	for _, name := range v.Value.Columns {
		c.text(v.Field, name)
	}
}

// dimension is the place of all dimensions.
const dimension = "histogram.by"

func (c *check) axis(r *domain.Rule) {
	if r.Grid != nil || r.Nearest != nil || r.Numerals() {
		for _, name := range r.Columns() {
			c.text(dimension, name)
		}
	}
	if n := r.Nearest; n != nil {
		switch {
		case !c.can.Exactly:
			c.refuse(dimension, "distances are computed in doubles, and this database was not seen to compute with them as this program does")
		case len(n.Points) > mostPoints:
			c.refuse(dimension, fmt.Sprintf("a database is not asked for distances to more than %d points", mostPoints))
		}
	}
	if r.Fold != nil && !(c.can.Folds(r.Fold) && c.can.Characters(r.Column)) {
		c.refuse(dimension, "differences between texts that do not count are not left out in this database, or column "+r.Column+" is of bytes")
	}
}

// keys looks at the parts of keys that are discovered.
func (c *check) keys() {
	if len(c.outline.Keys) > 0 && !c.can.Keys {
		c.refuse(dimension, "keys are not discovered in this database, which was not tried with them")
		return
	}
	for i := range c.outline.Keys {
		switch k := &c.outline.Keys[i]; {
		case k.Axis >= 0:
		case k.Fold:
			c.refuse(dimension, "differences between texts that do not count are not left out of keys that a database discovers: column "+k.Column)
		case k.Type.Kind == table.Uint || k.Type.Kind == table.String && !c.can.Characters(k.Column):
			c.refuse(dimension, fmt.Sprintf("column %s is of type %s and of bytes, of which a database does not tell whether they are characters", k.Column, k.Type))
		}
	}
}

func (c *check) unit() {
	for _, name := range c.outline.Columns {
		f, _ := c.schema.Lookup(name)
		switch kind := f.Type.Kind; {
		case kind == table.Int, kind == table.Bool, kind == table.String, kind == table.Date:
		case kind == table.Timestamp && c.can.Times:
		default:
			c.refuse(problem.FieldUnit, fmt.Sprintf("column %s of the privacy unit is of type %s, whose text databases do not agree on", name, f.Type))
		}
	}
}
