package configs

import (
	"maps"
	"slices"

	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

// UnitColumn is a column of the table of privacy units. It has exactly one key other than by and clamp.
type UnitColumn struct {
	// Count is the number of rows of the unit.
	Count *UnitRows `yaml:"count,omitempty" example:"{}"`
	// CountDistinct is the number of different values of a column, at most 64.
	CountDistinct string `yaml:"count_distinct,omitempty" example:"borough"`
	// Sum is the sum of a column's values, each clamped; null if the unit has none.
	Sum string `yaml:"sum,omitempty" example:"fare"`
	// Clamp is the range to which the values of a sum are clamped.
	Clamp []Decimal `yaml:"clamp,omitempty" example:"[0, 100]"`
	// Min is the smallest value of a column. A text longer than 1,024 bytes counts as null.
	Min string `yaml:"min,omitempty" example:"pickup"`
	// Max is the largest value of a column.
	Max string `yaml:"max,omitempty" example:"pickup"`
	// Any is true if at least one row of the unit has all these values. The keys are names of columns.
	Any map[string]Scalar `yaml:"any,omitempty" example:"{payment: cash}"`
	// All is true if every row of the unit has all these values.
	All map[string]Scalar `yaml:"all,omitempty" example:"{payment: cash}"`
	// First is the value of a column in the row with the smallest `by`; of several such rows, the smallest value.
	First string `yaml:"first,omitempty" example:"borough"`
	// Last is the value of a column in the row with the largest `by`; of several such rows, the largest value.
	Last string `yaml:"last,omitempty" example:"borough"`
	// By is the column of numbers, dates or times that orders the rows for first and last.
	By string `yaml:"by,omitempty" example:"pickup"`
}

// UnitRows is the rows of a unit. It has no keys.
type UnitRows struct{}

// Kind returns the key that defines the column, such as sum, and the input column that it names. It returns "" if the
// column has no such key or more than one.
func (u *UnitColumn) Kind() (kind, of string) {
	n := 0
	for _, k := range []struct {
		kind, of string
		set      bool
	}{
		{"count", "", u.Count != nil}, {"count_distinct", u.CountDistinct, u.CountDistinct != ""},
		{"sum", u.Sum, u.Sum != ""},
		{"min", u.Min, u.Min != ""}, {"max", u.Max, u.Max != ""}, {"any", "", len(u.Any) > 0}, {"all", "", len(u.All) > 0},
		{"first", u.First, u.First != ""}, {"last", u.Last, u.Last != ""},
	} {
		if k.set {
			kind, of = k.kind, k.of
			n++
		}
	}
	if n != 1 {
		return "", ""
	}
	return kind, of
}

// units checks the columns of the table of units.
func (c *checker) units(at *yamltree.Path) {
	if len(c.job.Units) > 0 && len(c.job.Privacy.Unit.Columns) == 0 && c.job.Privacy.Unit.Upstream == nil {
		c.bad(at, CodeContradiction, "with unit: row, each row is a unit: there is nothing to put together",
			"name the columns that identify the privacy unit: unit: [user_id]")
	}
	for _, name := range slices.Sorted(maps.Keys(c.job.Units)) {
		u, at := c.job.Units[name], at.At(name)
		kind, _ := u.Kind()
		switch {
		case kind == "":
			c.bad(at, CodeMissing, "a column of units is one of count, count_distinct, sum, min, max, any, all, first and last",
				"for example "+name+": {count: {}}")
		case (kind == "sum") != (len(u.Clamp) > 0) || kind == "sum" && len(u.Clamp) != 2:
			c.bad(at, CodeMissing, "clamp, the range of a value, goes with sum", "write {sum: fare, clamp: [0, 100]}")
		case (kind == "first" || kind == "last") != (u.By != ""):
			c.bad(at, CodeMissing, "by, the column that orders the rows, goes with first and last",
				"write {last: borough, by: pickup}")
		}
	}
}

// overUnits checks the keys of a query over units. The query's margins must be over units too.
func (c *checker) overUnits(at *yamltree.Path, q *Query) {
	for i, name := range q.Margins {
		for k := range c.job.Queries {
			if m := &c.job.Queries[k]; m.Name == name && m.OverUnits() != q.OverUnits() {
				c.bad(at.At("margins").Item(i), CodeContradiction, "one query counts rows and the other one units",
					"cells of rows do not add up to numbers of units: name queries of the same rows")
			}
		}
	}
	if !q.OverUnits() {
		return
	}
	if len(c.job.Units) == 0 {
		c.bad(at.At("over"), CodeMissing, "the job has no columns of units", "add units: {trips: {count: {}}}")
	}
	if q.PerUnit != nil {
		c.bad(at.At("per_unit"), CodeContradiction, "each unit is one row of the query", "remove per_unit")
	}
	if q.CountsUnits() {
		c.bad(at.At("count").At("measure"), CodeContradiction, "no bound cuts a unit of one row", "remove measure")
	}
}
