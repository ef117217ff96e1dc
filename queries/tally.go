package queries

import (
	"fmt"
	"math"
	"time"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/problem"
)

// Tallies
//
// A tally counts what becomes of the rows of a query: how many have no value in a column, a text that is no value of its type, a value
// beyond the listed cells, a value that is moved into its range. Its numbers are exact and private: they are for the operator, who may
// read the input, and go nowhere else. No answer depends on them. A tally codes the columns once more, by coders of its own that tell a
// null from a value beyond the cells, so that the accumulators need not; an engine may give it some of the batches.

// Role is what a query needs a column for.
type Role string

// The roles of columns.
const (
	RoleKey    Role = "key"    // a dimension
	RoleValue  Role = "value"  // what is added up
	RoleUnit   Role = "unit"   // the privacy unit
	RoleFilter Role = "filter" // a condition of input.where
)

// InputTally is what was seen of the rows in one input of a query: a dimension, the value, the privacy unit or a filter. Each row is in
// at most one of Null, Unparsed and Outside, whatever its other inputs are.
type InputTally struct {
	Role    Role
	Columns []string
	// Field is the input's place in the query or, of units and filters, in the job.
	Field string
	// Form is the key that says what a dimension's cells are: values, edges, part, grid, nearest or keys; "" for other roles.
	Form string
	// Rows pass the filters; those of a filter are all rows.
	Rows int64
	// Null rows have no value: null, NaN, or no place on earth.
	Null int64
	// Unparsed rows have a text that is no value of the type that the query needs.
	Unparsed int64
	// Outside rows have a value in no listed cell, or that a filter turns away, or a list of another length.
	Outside int64
	// Clamped rows have a value that was moved into its range, or a vector that was shortened.
	Clamped int64
	// NullCounts and OutsideCounts: such rows count, in a cell of their own or as the centre of the range.
	NullCounts, OutsideCounts bool
}

// Inside returns the rows with a value that a listed cell, the range or the filter takes.
func (t *InputTally) Inside() int64 { return t.Rows - t.Null - t.Unparsed - t.Outside }

// Used returns the rows that the input does not keep from being counted.
func (t *InputTally) Used() int64 {
	n := t.Inside()
	if t.NullCounts {
		n += t.Null + t.Unparsed
	}
	if t.OutsideCounts {
		n += t.Outside
	}
	return n
}

// Tally counts the rows of one query, or of the filters. It is not safe for use by several goroutines.
type Tally struct {
	inputs  []tallied
	rows    int64
	counted int64
	classes []uint8
	lost    []bool
}

// tallied is an input and what classes its rows.
type tallied struct {
	InputTally
	at      []int // positions of the columns in a batch
	classer classer
}

// classer finds the class of each row of a batch that is kept.
type classer interface {
	classes(b *table.Batch, dst []uint8) error
}

// The classes of rows.
const (
	classInside uint8 = iota
	classNull
	classOutside
	classClamped
)

// Codes of coders that tell nulls from values beyond the cells.
const (
	nullCode    = -2
	outsideCode = -3
)

// Tally compiles a tally of the query against the table's schema, of which each batch will hold the columns of Columns, in that order.
// Errors are those of New.
func (q *counting) Tally(s table.Schema) (*Tally, error) {
	p := &problem.Problems{Query: q.spec.Name}
	l := domain.Layout{Schema: s, Columns: q.Columns(), Problems: p}
	t := &Tally{}
	for i := range q.spec.By {
		d := &q.spec.By[i]
		in := InputTally{Role: RoleKey, Columns: d.Columns(), Field: q.spec.dimensionField(i), Form: form(d), NullCounts: d.Null == domain.OwnCell, OutsideCounts: d.Other == domain.OwnCell}
		t.add(l, in, q.classer(i, l))
	}
	u := q.compileUnits(s, p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	if !q.spec.perRow() {
		t.add(l, InputTally{Role: RoleUnit, Columns: q.spec.Unit, Field: problem.FieldUnit}, &unitClasser{units: u})
	}
	return t, nil
}

// Tally also counts the rows by their value.
func (q *summing) Tally(s table.Schema) (*Tally, error) {
	t, err := q.counting.Tally(s)
	if err != nil {
		return nil, err
	}
	p := &problem.Problems{Query: q.spec.Name}
	l := domain.Layout{Schema: s, Columns: q.Columns(), Problems: p}
	values := q.compileVectors(l)
	if err := p.Err(); err != nil {
		return nil, err
	}
	in := InputTally{Role: RoleValue, Columns: q.spec.Value.Columns, Field: q.quantizer.field, NullCounts: q.quantizer.rows > 0, OutsideCounts: q.quantizer.rows > 0}
	t.add(l, in, newValueClasser(q.quantizer, values))
	return t, nil
}

// form is the key of the job that says what the cells of a dimension are.
func form(d *domain.Dimension) string {
	switch {
	case len(d.Labels) > 0:
		return "values"
	case len(d.Edges) > 0:
		return "edges"
	case d.TimeField != "":
		return "part"
	case d.Grid != nil:
		return "grid"
	case d.Nearest != nil:
		return "nearest"
	}
	return "keys"
}

func (t *Tally) add(l domain.Layout, in InputTally, c classer) {
	x := tallied{InputTally: in, classer: c}
	for _, column := range in.Columns {
		at, _, _ := l.Find(column, "")
		x.at = append(x.at, at)
	}
	t.inputs = append(t.inputs, x)
}

// classer makes the classer of a dimension; nil if what is wrong is reported.
func (q *counting) classer(dimension int, l domain.Layout) classer {
	d := &q.spec.By[dimension]
	field := q.spec.dimensionField(dimension)
	if d.Discover {
		at, t, _ := l.Find(d.Column, field+".column")
		return &codeClasser{coder: &domain.AxisCoder{At: at, Kind: t, Values: &keyForms{keyValues{kind: t}}, Null: nullCode}}
	}
	for i := range q.axes {
		if q.axes[i].Field == field {
			a := q.axes[i]
			a.Extra = domain.ExtraCells{Null: nullCode, Other: outsideCode}
			return &codeClasser{coder: a.Coder(l)}
		}
	}
	return nil
}

// keyForms says which values are keys that may be discovered.
type keyForms struct{ keyValues }

func (c *keyForms) Codes(v table.Values, from int, dst []int32) {
	for i := range dst {
		dst[i] = 0
		if _, ok := c.form(v, from+i); !ok {
			dst[i] = outsideCode
		}
	}
}

// codeClasser classes rows by their codes in a dimension.
type codeClasser struct{ coder domain.RowCoder }

func (c *codeClasser) classes(b *table.Batch, dst []uint8) error {
	codes, err := c.coder.OfRows(b)
	if err != nil {
		return err
	}
	for i, code := range codes[:len(dst)] {
		switch {
		case code >= 0:
			dst[i] = classInside
		case code == nullCode:
			dst[i] = classNull
		default:
			dst[i] = classOutside
		}
	}
	return nil
}

// unitClasser finds the rows without a privacy unit.
type unitClasser struct {
	units *bounding.Units
	cells []int32
}

func (c *unitClasser) classes(b *table.Batch, dst []uint8) error {
	c.cells = columnar.Resize(c.cells, b.Rows)
	clear(c.cells)
	if err := c.units.Open(b, c.cells); err != nil {
		return err
	}
	for i, cell := range c.cells {
		dst[i] = classInside
		if cell < 0 {
			dst[i] = classNull
		}
	}
	return nil
}

// valueClasser classes rows by the value that is added up.
type valueClasser struct {
	values *rowValues
	dims   int
	clip   bool
	// low and high are the range in the column's unit, a little wider: the range ends at multiples of the quantum, and a value at its end
	// that is rounded is not clamped. For vectors high is the norm.
	low, high float64
}

func newValueClasser(q *quantizer, values *rowValues) *valueClasser {
	return &valueClasser{values: values, dims: q.dims, clip: q.clip, low: q.size(q.low) - 3*q.size(1), high: q.size(q.high) + 3*q.size(1)}
}

func (c *valueClasser) classes(b *table.Batch, dst []uint8) error {
	if err := c.values.open(b); err != nil {
		return err
	}
	for i := range dst {
		dst[i] = c.class(c.values.row(i))
	}
	return nil
}

func (c *valueClasser) class(row []float64) uint8 {
	switch {
	case row == nil:
		return classNull
	case len(row) != c.dims:
		return classOutside
	}
	class, norm := classInside, 0.0
	for _, x := range row {
		switch {
		case math.IsNaN(x):
			return classNull
		case c.clip:
			norm = math.Hypot(norm, x)
		case x < c.low || x > c.high:
			class = classClamped
		}
	}
	if norm > c.high {
		class = classClamped
	}
	return class
}

// Add takes in the rows of a batch that its Keep keeps.
func (t *Tally) Add(b *table.Batch) error {
	t.classes, t.lost = columnar.Resize(t.classes, b.Rows), columnar.Resize(t.lost, b.Rows)
	for i := range t.lost {
		t.lost[i] = b.Keep != nil && !b.Keep[i]
		if !t.lost[i] {
			t.rows++
		}
	}
	for i := range t.inputs {
		if err := t.inputs[i].classer.classes(b, t.classes); err != nil {
			return err
		}
		t.inputs[i].count(b, t.classes, t.lost)
	}
	for _, lost := range t.lost {
		if !lost {
			t.counted++
		}
	}
	return nil
}

// count counts the kept rows by their classes, and marks in lost those that are not counted.
func (x *tallied) count(b *table.Batch, classes []uint8, lost []bool) {
	for row, class := range classes {
		if b.Keep != nil && !b.Keep[row] {
			continue
		}
		x.Rows++
		switch class {
		case classNull:
			if x.unparsed(b, row) {
				x.Unparsed++
			} else {
				x.Null++
			}
			lost[row] = lost[row] || !x.NullCounts
		case classOutside:
			x.Outside++
			lost[row] = lost[row] || !x.OutsideCounts
		case classClamped:
			x.Clamped++
		}
	}
}

// unparsed says whether a row without a value has a text that could not be read.
func (x *tallied) unparsed(b *table.Batch, row int) bool {
	for _, at := range x.at {
		c := &b.Columns[at]
		if c.Unparsed != nil && c.Unparsed[c.Entry(row)] || c.Type.Kind == table.String && !c.IsNull(row) {
			return true
		}
	}
	return false
}

// Merge adds what another tally of the same query has seen.
func (t *Tally) Merge(o *Tally) {
	t.rows += o.rows
	t.counted += o.counted
	for i := range t.inputs {
		a, b := &t.inputs[i].InputTally, &o.inputs[i].InputTally
		a.Rows += b.Rows
		a.Null += b.Null
		a.Unparsed += b.Unparsed
		a.Outside += b.Outside
		a.Clamped += b.Clamped
	}
}

// Rows returns the rows that passed the filters, and Counted those of them that have a cell, a value and a unit.
func (t *Tally) Rows() int64 { return t.rows }

// Counted returns the rows that the query counts, before the bounds of units.
func (t *Tally) Counted() int64 { return t.counted }

// Inputs returns what was seen of each input, in the order of dimensions, unit and value.
func (t *Tally) Inputs() []InputTally {
	out := make([]InputTally, len(t.inputs))
	for i := range t.inputs {
		out[i] = t.inputs[i].InputTally
	}
	return out
}

// TallyFilters compiles a tally of the filters, as [domain.Filters.Compile] compiles them: one input a filter. Its batches keep all rows,
// and Counted are those that pass.
func TallyFilters(f domain.Filters, s table.Schema, zone *time.Location) (*Tally, error) {
	p := &problem.Problems{}
	l := domain.Layout{Schema: s, Columns: f.Columns(), Problems: p}
	t := &Tally{}
	for i := range f.Specs {
		in := InputTally{Role: RoleFilter, Columns: []string{f.Specs[i].Column}, Field: fmt.Sprintf("input.where[%d]", i)}
		c := &filterClasser{tests: f.Specs[i].Compile(l, zone, ""), numeric: f.Specs[i].Ranged()}
		t.add(l, in, c)
	}
	return t, p.Err()
}

// filterClasser finds the rows that one filter turns away.
type filterClasser struct {
	tests   []domain.Condition
	numeric bool // texts are compared as numbers
}

func (c *filterClasser) classes(b *table.Batch, dst []uint8) error {
	clear(dst)
	for i := range c.tests {
		t := &c.tests[i]
		codes, err := t.OfRows(b)
		if err != nil {
			return err
		}
		column := &b.Columns[t.At]
		for row, code := range codes[:len(dst)] {
			switch {
			case code == t.Want || dst[row] == classNull:
			case !c.hasValue(column, row):
				dst[row] = classNull
			default:
				dst[row] = classOutside
			}
		}
	}
	return nil
}

// hasValue says whether a row has something that the filter can compare.
func (c *filterClasser) hasValue(column *table.Column, row int) bool {
	switch {
	case column.IsNull(row):
		return false
	case column.Type.Kind == table.Float:
		return !math.IsNaN(column.Values.Floats[column.Index(row)])
	case column.Type.Kind == table.String && c.numeric:
		_, ok := domain.ParseFloat(column.Values.Bytes(column.Index(row)))
		return ok
	}
	return true
}
