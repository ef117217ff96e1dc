// Package perunit makes a table with one row for each privacy unit. Its columns are computed from the unit's rows, for
// example their number, their sum, or the value of the last row.
//
// A row of this table of units is a function of the rows of one unit and of public facts. So neighbouring input tables,
// which differ in the rows of one unit, give tables of units that differ in at most one row. Queries over the table of
// units have the bound max_rows: 1.
//
// A [Builder] keeps a state of bounded size for each unit and column: a number, the smallest value so far, or up to
// [MaxDistinct] different values. The order of the rows does not matter. Each worker has a builder, and the states of a
// unit in all builders are merged at the end. A hash divides units into 256 partitions, which are merged one at a time.
// If states exceed the memory, the builder writes them to the [bounding.Spill].
package perunit

import (
	"fmt"
	"slices"
	"time"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/internal/units"
	"github.com/dprelease/dprelease/queries/problem"
)

// Kind is the function that computes a column's value from a unit's rows.
type Kind string

// The kinds of columns.
const (
	Count         Kind = "count"          // the number of rows
	CountDistinct Kind = "count_distinct" // the number of different values, at most MaxDistinct
	Sum           Kind = "sum"            // the sum of the clamped values; null without a value
	Min           Kind = "min"            // the smallest value; null without a value
	Max           Kind = "max"            // the largest value
	Any           Kind = "any"            // whether a row fulfils all conditions
	All           Kind = "all"            // whether every row fulfils all conditions
	// First is the value of the row with the smallest By. If several rows have this By, it is the smallest of their
	// values.
	First Kind = "first"
	// Last is the value of the row with the largest By. If several rows have this By, it is the largest of their values.
	Last Kind = "last"
)

// MaxDistinct is the largest result of CountDistinct: further different values are not counted.
const MaxDistinct = 64

// maxText is the largest length in bytes of a text that a state keeps. A longer text counts as null.
const maxText = 1024

// Column is a column of the table of units.
type Column struct {
	// Name is the column's name, Field the path of its definition in the job.
	Name, Field string
	Kind        Kind
	// Of is the column of the input; empty for Count, Any and All.
	Of string
	// By is the column whose values order the rows, for First and Last: numbers, dates or times.
	By string
	// Lo and Hi are the minimum and maximum to which values of a Sum are clamped, as decimals.
	Lo, Hi string
	// Where holds the conditions of Any and All: for each column, the value that it must have.
	Where map[string]string
}

// reads returns the names of the input columns from which the column is computed.
func (c *Column) reads() (names []string) {
	for _, name := range []string{c.Of, c.By} {
		if name != "" {
			names = append(names, name)
		}
	}
	for name := range c.Where {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Table describes a table of units: the columns of the privacy unit, and columns computed from the unit's rows.
type Table struct {
	Unit      []string
	FloatUnit bool
	Columns   []Column
	// Zone is the time zone of conditions on instants; nil means UTC.
	Zone *time.Location
}

// Reads returns the names of the input columns that the table needs, each once. The columns of the unit come first.
func (t *Table) Reads() []string {
	names := slices.Clone(t.Unit)
	for i := range t.Columns {
		for _, name := range t.Columns[i].reads() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Compiled is a [Table] for an input with known column types.
type Compiled struct {
	// Schema is the schema of the table of units.
	Schema table.Schema
	input  table.Schema
	of     *Table
	plans  []plan
}

// plan describes how a column is computed, for an input with known column types.
type plan struct {
	kind       Kind
	typ        table.Type // the type of the values that are compared or counted
	at, by     int        // the indexes of Of and By in Table.Reads; -1 if there is none
	sum        quantum
	conditions []domain.Coding
}

// Bind checks the columns against the schema of an input. It reports all problems at once, with paths from the root of
// the job; see [problem.Errors].
func (t *Table) Bind(input table.Schema) (*Compiled, error) {
	p := &problem.Problems{}
	reads := t.Reads()
	b := &Compiled{of: t, input: input}
	units.New(t.Unit, t.FloatUnit, reads, input, p) // to report columns that do not fit; the result is not used
	for _, name := range t.Unit {
		f, _ := input.Lookup(name)
		b.Schema.Fields = append(b.Schema.Fields, f)
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		if b.Schema.Index(c.Name) >= 0 {
			p.Add(c.Field, problem.CodeDuplicate, fmt.Sprintf("%q is a column of the privacy unit", c.Name),
				"give the column another name")
		}
		made, typ := c.plan(reads, input, t.Zone, p)
		b.plans = append(b.plans, made)
		b.Schema.Fields = append(b.Schema.Fields, table.Field{Name: c.Name, Type: typ})
	}
	return b, p.Err()
}

// plan checks a column against the input's schema. It returns the plan, and the type of the column in the table of
// units.
func (c *Column) plan(reads []string, input table.Schema, zone *time.Location, p *problem.Problems) (made plan,
	typ table.Type) {
	made = plan{kind: c.Kind, at: -1, by: -1}
	find := func(name string) (int, table.Type) {
		f, ok := input.Lookup(name)
		switch {
		case !ok:
			problem.UnknownColumn(name, c.Field, input, p)
		case !columnar.HasCanonicalForm(f.Type):
			e := problem.BadType(f.Type)
			p.Add(c.Field, e.Code, "column "+name+": "+e.Message, e.Hint)
		}
		return slices.Index(reads, name), f.Type
	}
	if c.Of != "" {
		made.at, made.typ = find(c.Of)
	}
	if c.By != "" {
		var by table.Type
		if made.by, by = find(c.By); by.Kind == table.String || by.Kind == table.Bool {
			p.Add(c.Field, problem.CodeColumnType, fmt.Sprintf("rows are ordered by numbers, dates or times, and column %s is "+
				"%s",
				c.By, by), "")
		}
	}
	for _, name := range c.reads() {
		value, ok := c.Where[name]
		if !ok {
			continue
		}
		at, t := find(name)
		coding, read, err := domain.KeyCoding(name, t, []string{value}, zone)
		if err == nil && read == 0 {
			err = &problem.Error{Code: problem.CodeBadValue, Message: fmt.Sprintf("%q is not a value of column %s, which is %s",
				value,
				name, t)}
		}
		if err != nil && at >= 0 && t.Kind != table.Invalid {
			p.Add(c.Field, err.Code, err.Message, err.Hint)
		}
		made.conditions = append(made.conditions, coding)
	}
	switch c.Kind {
	case Count, CountDistinct:
		return made, table.Type{Kind: table.Int}
	case Any, All:
		return made, table.Type{Kind: table.Bool}
	case Sum:
		if made.typ.Kind != table.Int && made.typ.Kind != table.Uint && made.typ.Kind != table.Float {
			p.Add(c.Field, problem.CodeColumnType, fmt.Sprintf("a sum is of numbers, and column %s is %s", c.Of, made.typ), "")
		}
		made.sum = c.quantum(made.typ.Kind != table.Float, p)
		return made, table.Type{Kind: table.Float}
	}
	return made, made.typ
}

// quantum returns the clamp and the rounding of a Sum's values. If whole is set, the values are integers.
func (c *Column) quantum(whole bool, p *problem.Problems) quantum {
	lo, err1 := calibrate.ParseNearest(c.Lo)
	hi, err2 := calibrate.ParseNearest(c.Hi)
	if err1 != nil || err2 != nil || lo > hi {
		p.Add(c.Field, problem.CodeBadValue, "clamp needs two numbers, the smaller one first", "clamp: [0, 500]")
	}
	return newQuantum(lo, hi, whole)
}
