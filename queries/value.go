package queries

import (
	"fmt"
	"math/big"

	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

// Value is what a sum or mean adds up: a bounded number of each row, or a bounded vector.
//
// Numbers are read as the nearest float64, in text columns too; true is 1 and false 0. A row has no value, and is left out
// of the query, if a component is null, NaN or no number, or a list does not have Length elements.
//
// Bounds and values are held as integers, in units of u, the power of two with V·2^-40 <= u < V·2^-39, V the larger of
// |Lo| and |Hi|, or ClipL2. Whole numbers are exact up to V = 2^40.
type Value struct {
	// Columns are one column of numbers, several that are the components of a vector, or one column of lists.
	Columns []string
	// List says that the column holds lists of Length numbers.
	List   bool
	Length int
	// Lo and Hi are decimal numbers, ends of a range: each component is moved into it, also an infinite one, and rounded to
	// the nearest multiple of u, ties to even. The range itself ends at multiples of u within Lo and Hi.
	Lo, Hi string
	// ClipL2 is a decimal number, set if Lo and Hi are not: a vector that is longer is shortened, and rounded towards zero.
	// If components are infinite, it takes their direction and the others are lost.
	ClipL2 string
	// Rows is the public number of terms of a mean; 0: none. All rows are terms, and those without a value count as the
	// centre of the range, or as zero.
	Rows int64
}

// maxLength is the largest number of components.
const maxLength = 1 << 20

// dims is the number of components.
func (v *Value) dims() int {
	if v.List {
		return v.Length
	}
	return len(v.Columns)
}

// vector says that the answer has a key column of components.
func (v *Value) vector() bool { return v.List || len(v.Columns) > 1 }

// columnField is the place of a column in the job.
func (v *Value) columnField(field string, i int) string {
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
		p.Add(field+".length", problem.CodeBadSpec, "a column of lists needs the public length of its lists, and no other column has one", "")
	}
	if v.dims() > maxLength {
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

// checkRows reports a public number of terms if the number is not public.
func (v *Value) checkRows(s Spec, p *problem.Problems) {
	field := string(s.Kind) + ".rows"
	switch {
	case v.Rows == 0:
	case v.Rows < 0 || v.Rows > rowCapacity:
		p.Add(field, problem.CodeBadValue, "a number of rows is at least 1 and at most 2^48", "")
	case s.Kind != Mean:
		p.Add(field, problem.CodeBadSpec, "only a mean has a public number of terms", "leave rows out")
	case !s.perRow() || len(s.By) > 0 || s.Filtered:
		p.Add(field, problem.CodeBadSpec, "the number of terms is public only where each row is a unit, and no dimension and no filter takes rows away",
			"leave rows out: the mean is then made of a noisy sum and a noisy count")
	}
}

// ends reads the range that holds the components, or the ball's.
func (v *Value) ends(field string, p *problem.Problems) (low, high *big.Rat) {
	if (v.ClipL2 != "") == (v.Lo != "" || v.Hi != "") {
		p.Add(field, problem.CodeBadSpec, "a value needs clamp or clip_l2, one of them", "add clamp: [lo, hi] from what you know about the column, never from the data")
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
		p.Add(field+".clamp", problem.CodeBadValue, fmt.Sprintf("%s is not below %s", v.Lo, v.Hi), "write [lo, hi] with lo < hi")
	}
	return low, high
}
