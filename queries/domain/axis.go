package domain

import (
	"fmt"
	"slices"
	"time"

	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/problem"
)

// Axis is a dimension that was checked and whose cells are known.
type Axis struct {
	Dimension
	Domain domain
	Field  string // path of the dimension in the job's query, for errors
	Size   int    // number of cells, including null cell and other cell
	Extra  ExtraCells
}

// NewAxes checks the dimensions whose keys are listed and returns their axes. zone is the time zone of times without an
// offset; nil is UTC. field is the path of the dimensions in the query. columns holds the names of the answer's other
// columns, which key columns must not have.
func NewAxes(by []Dimension, zone *time.Location, field string, columns []string, p *problem.Problems) []Axis {
	var axes []Axis
	for i, d := range by {
		if !d.Discover {
			axes = append(axes, newAxis(d, zone, fmt.Sprintf("%s[%d]", field, i), p))
		}
	}
	if len(p.List) == 0 {
		checkKeys(axes, columns, p)
	}
	return axes
}

func newAxis(d Dimension, zone *time.Location, field string, p *problem.Problems) Axis {
	a := Axis{Dimension: d, Field: field}
	CheckForm(d, field, p)
	checkPolicy(d.Null, field+".null", p)
	checkPolicy(d.Other, field+".other", p)
	if a.Domain = newDomain(d, zone, field, p); a.Domain == nil {
		return a
	}
	a.Size, a.Extra = addExtraCells(a.Domain.size(), d)
	if c, ok := a.Domain.(interface {
		checkNames(extra []string, field string, p *problem.Problems)
	}); ok {
		c.checkNames(a.Extra.Names, field, p)
	}
	return a
}

// addExtraCells adds the null cell and the other cell to size cells, if the policies of d ask for them. It returns the
// new number of cells, and the codes of these two cells.
func addExtraCells(size int, d Dimension) (int, ExtraCells) {
	b := ExtraCells{Null: columnar.Dropped, Other: columnar.Dropped}
	if d.Null == OwnCell {
		b.Null = int32(size + len(b.Names))
		b.Names = append(b.Names, nullLabel)
	}
	if d.Other == OwnCell {
		b.Other = int32(size + len(b.Names))
		b.Names = append(b.Names, otherLabel)
	}
	return size + len(b.Names), b
}

// Codings returns for each axis how its columns map to cells, and how many cells it has. l describes the columns of
// batches. If a column does not fit, it is added to l.Problems.
func Codings(axes []Axis, l BatchColumns) (codings []Coding, sizes []int) {
	for i := range axes {
		c, _ := axes[i].Coding(l)
		codings, sizes = append(codings, c), append(sizes, axes[i].Size)
	}
	return codings, sizes
}

// KeyColumns returns the key columns of all axes. Cells are numbered so that the last axis changes fastest.
func KeyColumns(axes []Axis) []KeyColumn {
	var columns []KeyColumn
	strides := AxisStrides(axes)
	for i, a := range axes {
		for _, k := range a.Domain.Keys(a.Name(), a.Extra.Names) {
			k.Stride = strides[i] * max(k.Stride, 1)
			columns = append(columns, k)
		}
	}
	return columns
}

// AxisStrides returns the stride of each axis: two neighbouring cells along the axis are that many cells apart in the
// vector of all cells. Axes of 3 and 4 cells have the strides 4 and 1.
func AxisStrides(axes []Axis) []int {
	strides := make([]int, len(axes))
	stride := 1
	for i := len(axes) - 1; i >= 0; i-- {
		strides[i] = stride
		stride *= axes[i].Size
	}
	return strides
}

// checkKeys reports key columns that have the same name as another key column, or a name in seen.
func checkKeys(axes []Axis, seen []string, p *problem.Problems) {
	for _, a := range axes {
		for _, k := range a.Domain.Keys(a.Name(), a.Extra.Names) {
			if slices.Contains(seen, k.Name) {
				p.Add(a.Field, problem.CodeDuplicate, fmt.Sprintf("the answer would have two columns %q", k.Name),
					"name this one with as: NAME")
			}
			seen = append(seen, k.Name)
		}
	}
}
