// Package sensitivity computes sensitivities: the largest distance between the exact answers of neighbouring tables,
// given the bounds on privacy units. It has the L2 sensitivity of counts (counts.go) and of sums (sums.go), and their
// L1 sensitivity (manhattan.go). It computes with integers and rounds up once.
package sensitivity

import (
	"fmt"
	"math"
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/problem"
)

// Adjacency describes which tables are neighbours.
type Adjacency string

// The adjacencies. Neighbours differ in one privacy unit: one table lacks all its rows (add-remove), or each table has
// any rows of the unit, possibly none (replace-one). If each row is a unit, replace-one changes one row into another
// and the number of rows is public.
const (
	AddRemove  Adjacency = "add-remove"
	ReplaceOne Adjacency = "replace-one"
)

// Check reports an unknown adjacency.
func (adj Adjacency) Check(p *problem.Problems) {
	if adj != AddRemove && adj != ReplaceOne {
		p.Add("privacy.adjacency", problem.CodeBadValue, fmt.Sprintf("%q is not an adjacency", adj),
			"adjacencies: add-remove, replace-one")
	}
}

// LargestNorm returns g(a), the largest squared L2 norm of a unit's row counts, if the unit has at most k rows, in at
// most a cells, at most m in each:
//
//	g(a) = f·m² + r²,  f = min(a, floor(k/m)),  r = k − f·m if f < a, else 0
//
// The norm is convex, so it is largest at a corner of the set of allowed row counts: m rows in as many cells as
// possible, and the remaining r rows in one more cell.
func LargestNorm(l bounding.Limits, a int64) *big.Int {
	full, rest := Filled(l, a)
	m := big.NewInt(l.RowsPerCell)
	sum := new(big.Int).Mul(m, m)
	sum.Mul(sum, big.NewInt(full))
	r := big.NewInt(rest)
	return sum.Add(sum, r.Mul(r, r))
}

// Filled returns how many of a cells a unit can fill with RowsPerCell rows each, and how many of its rows then remain
// for one more of these cells.
func Filled(l bounding.Limits, a int64) (full, rest int64) {
	if full = min(a, l.Rows/l.RowsPerCell); full < a {
		rest = l.Rows - full*l.RowsPerCell
	}
	return full, rest
}

// SquaredCounts returns the squared L2 sensitivity of the row counts in a domain with this number of cells.
//
// Under add-remove it is g(L); see LargestNorm. Under replace-one it is the largest ‖c − c′‖² for two vectors c and c′
// of row counts within the limits. Counts are not negative, so it is largest if no cell has rows in both vectors. If c
// uses b cells, it is g(min(b, L)) + g(min(cells − b, L)). g is concave (its steps are m², …, m², r², 0, …), so this is
// largest if b is half the cells.
func SquaredCounts(l bounding.Limits, adj Adjacency, cells int) *big.Int {
	if adj == AddRemove {
		return LargestNorm(l, l.Cells)
	}
	half := int64(cells) / 2
	one, other := LargestNorm(l, min(half, l.Cells)), LargestNorm(l, min(int64(cells)-half, l.Cells))
	return one.Add(one, other)
}

// RootUp returns the smallest float64 that is not below the square root of x ≥ 0.
func RootUp(x *big.Int) float64 {
	root := new(big.Float).SetPrec(256).SetInt(x)
	root.Sqrt(root)
	up, _ := new(big.Float).SetPrec(53).SetMode(big.ToPositiveInf).Set(root).Float64()
	for (calibrate.Sensitivity{L2: up}).Squared().Cmp(new(big.Rat).SetInt(x)) < 0 {
		up = math.Nextafter(up, math.Inf(1))
	}
	return up
}

// RootUpRat returns a float64 that is not below the square root of x ≥ 0. At most two float64s lie between them.
func RootUpRat(x *big.Rat) float64 {
	f, _ := x.Float64()
	up := math.Sqrt(f)
	for (calibrate.Sensitivity{L2: up}).Squared().Cmp(x) < 0 {
		up = math.Nextafter(up, math.Inf(1))
	}
	return up
}

// RootText formats the square root of x, with a comma between thousands: as an integer if it is one, else as "sqrt(x)".
func RootText(x *big.Int) string {
	root := new(big.Int).Sqrt(x)
	if new(big.Int).Mul(root, root).Cmp(x) == 0 {
		return spelling.Grouped(root.String())
	}
	return "sqrt(" + spelling.Grouped(x.String()) + ")"
}
