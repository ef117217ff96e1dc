package quantize

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

// Value describes the values of rows in a sum or mean: bounded numbers or bounded vectors.
type Value struct {
	// Columns are one column of numbers, several columns that hold the components of a vector, or one column of lists.
	Columns []string
	// List is set if the column holds lists of Length numbers.
	List   bool
	Length int
	// Lo and Hi are the minimum and maximum of the clamp, as decimals. They are first moved inwards to multiples of the
	// quantum. Each component, even an infinite one, is clamped and rounded to the nearest multiple of the quantum, ties
	// to even.
	Lo, Hi string
	// ClipL2 is the largest L2 norm of a vector, as a decimal; it is set if Lo and Hi are not. A longer vector is
	// shortened and rounded towards zero. If components are infinite, the vector keeps only their direction: all finite
	// components become 0.
	ClipL2 string
	// Share is the fraction of the query's mu² that choosing the clamp costs, if it is chosen privately within the public
	// range from Lo to Hi; 0 if Lo and Hi are the clamp.
	Share float64
	// Rows is the public number of rows of a mean; 0 if it is not public. If it is set, every row counts: a row without a
	// value counts as the centre of the range, or as zero if the norm is bounded.
	Rows int64
	// Weight describes the weight of each row of a mean; nil if all rows count equally. A row without a weight does not
	// count.
	Weight *Value
}

// AllColumns returns the columns of the value and of its weight.
func (v *Value) AllColumns() []string {
	if v.Weight == nil {
		return v.Columns
	}
	return append(slices.Clone(v.Columns), v.Weight.Columns...)
}

// maxLength is the largest number of components.
const maxLength = 1 << 20

// Dims returns the number of components.
func (v *Value) Dims() int {
	if v.List {
		return v.Length
	}
	return len(v.Columns)
}

// Half returns half of Hi - Lo, or the largest norm of a vector, in the unit of the values.
func (v *Value) Half() float64 {
	if v.ClipL2 != "" {
		norm, _ := calibrate.ParseNearest(v.ClipL2) // New has checked that it can be parsed
		return norm
	}
	low, _ := calibrate.ParseNearest(v.Lo)
	high, _ := calibrate.ParseNearest(v.Hi)
	return (high - low) / 2
}

// IsVector reports whether the answer has a key column of components.
func (v *Value) IsVector() bool { return v.List || len(v.Columns) > 1 }

// ComponentLabels returns the labels of the components: column names, or numbers from 0.
func (v *Value) ComponentLabels() domain.Labels {
	if !v.List {
		return domain.Labels{Strings: v.Columns}
	}
	return domain.IntegerLabels(0, int64(v.Length), nil)
}

// columnField returns the path of a column in the job.
func (v *Value) columnField(field string, i int) string {
	if i == len(v.Columns) {
		return field + ".weight.column"
	}
	if len(v.Columns) == 1 {
		return field + ".column"
	}
	return fmt.Sprintf("%s.columns[%d]", field, i)
}

func (v *Value) checkColumns(field string, p *problem.Problems) {
	switch {
	case len(v.Columns) == 0:
		p.Add(field, problem.CodeBadSpec, "there is no column to add up", "")
	case v.List && len(v.Columns) > 1:
		p.Add(field+".columns", problem.CodeBadSpec, "lists come from one column", "")
	case v.List && v.Length < 1, !v.List && v.Length != 0:
		p.Add(field+".length", problem.CodeBadSpec,
			"a column of lists needs the public length of its lists, and no other column has one", "")
	}
	if v.Dims() > maxLength {
		p.Add(field, problem.CodeTooManyCells, fmt.Sprintf("more than 2^20 = %d components", maxLength), "")
	}
	seen := make(map[string]bool, len(v.Columns))
	for i, c := range v.Columns {
		switch {
		case c == "":
			p.Add(v.columnField(field, i), problem.CodeBadSpec, "a column has no name", "")
		case seen[c]:
			p.Add(v.columnField(field, i), problem.CodeDuplicate, fmt.Sprintf("column %q is there twice", c), "")
		}
		seen[c] = true
	}
}

// minMax returns the range of a component, or minus and plus the largest norm of a vector. It reports problems of the
// bounds.
func (v *Value) minMax(field string, p *problem.Problems) (low, high *big.Rat) {
	if (v.ClipL2 != "") == (v.Lo != "" || v.Hi != "") {
		p.Add(field, problem.CodeBadSpec, "a value needs clamp or clip_l2, one of them",
			"add clamp: [lo, hi] from what you know about the column, never from the data")
		return nil, nil
	}
	if v.ClipL2 != "" {
		r, ok := domain.Number(v.ClipL2)
		if !ok || r.Sign() <= 0 {
			p.Add(field+".clip_l2", problem.CodeBadValue, fmt.Sprintf("%q is not a positive decimal number", v.ClipL2), "")
			return nil, nil
		}
		return new(big.Rat).Neg(r), r
	}
	low, ok1 := domain.Number(v.Lo)
	high, ok2 := domain.Number(v.Hi)
	switch {
	case !ok1 || !ok2:
		p.Add(field+".clamp", problem.CodeBadValue, fmt.Sprintf("%q and %q are not two decimal numbers", v.Lo, v.Hi), "")
	case low.Cmp(high) >= 0:
		p.Add(field+".clamp", problem.CodeBadValue, fmt.Sprintf("%s is not below %s", v.Lo, v.Hi),
			"write [lo, hi] with lo < hi")
	}
	return low, high
}
