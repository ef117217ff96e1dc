package domain

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/dprelease/dprelease/queries/problem"
)

// KeyColumn is one key column of an answer: the label of cell c is Labels[(c / Stride) % number of labels].
type KeyColumn struct {
	Name   string
	Stride int
	Labels Labels
}

// Labels are the labels of one key column; exactly one slice is set.
type Labels struct {
	Strings []string
	Ints    []int64
	Floats  []float64
}

// Text returns the label of a cell as a table of text shows it.
func (k *KeyColumn) Text(cell int) string {
	at := cell / max(k.Stride, 1)
	switch l := k.Labels; {
	case len(l.Strings) > 0:
		return l.Strings[at%len(l.Strings)]
	case len(l.Ints) > 0:
		return strconv.FormatInt(l.Ints[at%len(l.Ints)], 10)
	default:
		return FloatText(l.Floats[at%len(l.Floats)])
	}
}

// FloatText returns the shortest text that reads back as v, with an exponent only below 1e-6 and from 1e21 on: how tables of text show numbers.
func FloatText(v float64) string {
	form := byte('f')
	if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e21) {
		form = 'g'
	}
	return strconv.FormatFloat(v, form, -1, 64)
}

// KeyColumns returns the key columns of all axes; the last axis changes from cell to cell.
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

// AxisStrides returns the distance, in cells of the vector, between neighbouring cells of each axis.
func AxisStrides(axes []Axis) []int {
	strides := make([]int, len(axes))
	stride := 1
	for i := len(axes) - 1; i >= 0; i-- {
		strides[i] = stride
		stride *= axes[i].Size
	}
	return strides
}

// Name is the name of the axis' key column, or what several are called after.
func (a *Axis) Name() string {
	switch {
	case a.As != "":
		return a.As
	case a.Nearest != nil:
		return a.Nearest.Name
	}
	return a.Column
}

// checkKeys reports key columns that share a name with each other or with what was seen before.
func checkKeys(axes []Axis, seen []string, p *problem.Problems) {
	for _, a := range axes {
		for _, k := range a.Domain.Keys(a.Name(), a.Extra.Names) {
			if slices.Contains(seen, k.Name) {
				p.Add(a.Field, problem.CodeDuplicate, fmt.Sprintf("the answer would have two columns %q", k.Name), "name this one with as: NAME")
			}
			seen = append(seen, k.Name)
		}
	}
}

// Keys are the two columns <name>_from and <name>_to, or <name>_before if the last cell is open, as all others are: integers or floats if
// all edges are and no cell is added, else source texts, with the name of an added cell in both.
func (d EdgeDomain) Keys(name string, extra []string) []KeyColumn {
	from, to := d.bounds(extra)
	end := "_to"
	if d.open {
		end = "_before"
	}
	return []KeyColumn{{Name: name + "_from", Labels: from}, {Name: name + end, Labels: to}}
}

func (d EdgeDomain) bounds(extra []string) (from, before Labels) {
	n := d.size()
	if d.Numbers == nil || len(extra) > 0 {
		return Labels{Strings: slices.Concat(d.texts[:n], extra)}, Labels{Strings: slices.Concat(d.texts[1:], extra)}
	}
	if ints, ok := wholeNumbers(d.Numbers); ok {
		return Labels{Ints: ints[:n]}, Labels{Ints: ints[1:]}
	}
	floats := make([]float64, len(d.Numbers))
	for i, x := range d.Numbers {
		floats[i], _ = x.Float64()
	}
	return Labels{Floats: floats[:n]}, Labels{Floats: floats[1:]}
}

// wholeNumbers returns the numbers as int64 if all of them are.
func wholeNumbers(numbers []*big.Rat) ([]int64, bool) {
	ints := make([]int64, len(numbers))
	for i, x := range numbers {
		if !x.IsInt() || !x.Num().IsInt64() {
			return nil, false
		}
		ints[i] = x.Num().Int64()
	}
	return ints, true
}
