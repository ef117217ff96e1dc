package tally

import (
	"math"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/internal/keyselection"
	"github.com/dprelease/dprelease/queries/internal/units"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/quantize"
)

// nullCode is the code of nulls, and outsideCode the code of values outside of the cells.
const (
	nullCode    = -2
	outsideCode = -3
)

// codeClasser classifies rows by their codes in a dimension.
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

// unitClasser puts rows without a privacy unit in the class null, and other rows in the class inside.
type unitClasser struct {
	units *units.Reader
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

// valueClasser finds the class of each row by the value that is added up: null (also NaN), outside (a vector of the
// wrong length), clamped (a number beyond the clamp, or a vector whose norm is above its limit), else inside.
type valueClasser struct {
	values *quantize.RowValues
	dims   int
	clip   bool
	// low and high are the minimum and maximum of the clamp, in the column's unit, or for vectors high is the largest
	// norm. The range is a few quanta wider than the clamp, so that a value that is only rounded does not count as
	// clamped.
	low, high float64
}

func (c *valueClasser) classes(b *table.Batch, dst []uint8) error {
	if err := c.values.Open(b); err != nil {
		return err
	}
	for i := range dst {
		dst[i] = c.class(c.values.Row(i))
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

// AddDimension adds a dimension with listed cells to the inputs, or reports problems to l.Problems. l describes the
// columns of batches.
func (t *Tally) AddDimension(a domain.Axis, l domain.BatchColumns) {
	a.Extra = domain.ExtraCells{Null: nullCode, Other: outsideCode}
	c := &codeClasser{}
	if coding, ok := a.Coding(l); ok {
		c.coder = coding.Coder(l)
	}
	t.addInput(l, keyInput(&a.Dimension, a.Field), c)
}

// AddDiscovered adds a dimension that discovers its keys to the inputs.
func (t *Tally) AddDiscovered(d *domain.Dimension, field string, l domain.BatchColumns) {
	at, kind, _ := l.Find(d.Column, field+".column")
	coder := &domain.AxisCoder{At: at, Kind: kind, Values: keyselection.NewChecker(kind, outsideCode), Null: nullCode}
	t.addInput(l, keyInput(d, field), &codeClasser{coder: coder})
}

func keyInput(d *domain.Dimension, field string) Input {
	return Input{
		Role: RoleKey, Columns: d.Columns(), Field: field, Form: d.Forms()[0],
		NullCounts: d.Null == domain.OwnCell, OutsideCounts: d.Other == domain.OwnCell,
	}
}

// AddUnit adds the privacy unit to the inputs.
func (t *Tally) AddUnit(columns []string, units *units.Reader, l domain.BatchColumns) {
	t.addInput(l, Input{Role: RoleUnit, Columns: columns, Field: problem.FieldUnit}, &unitClasser{units: units})
}

// AddValue adds the value that is summed to the inputs, or reports problems to l.Problems.
func (t *Tally) AddValue(q *quantize.Quantizer, l domain.BatchColumns) {
	all := q.Value.Rows > 0
	in := Input{Role: RoleValue, Columns: q.Value.Columns, Field: q.Field, NullCounts: all, OutsideCounts: all}
	t.addInput(l, in, &valueClasser{
		values: q.Compile(l), dims: q.Dims, clip: q.Clip,
		low: q.Real(q.Min) - 3*q.Real(1), high: q.Real(q.Max) + 3*q.Real(1),
	})
}
