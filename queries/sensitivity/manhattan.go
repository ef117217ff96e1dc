package sensitivity

import (
	"math"
	"math/big"

	"github.com/dprelease/dprelease/queries/bounding"
)

// L1 sensitivities
//
// The noise of a release with delta 0 depends on the L1 sensitivity: the largest sum of absolute differences. It is
// found like the L2 sensitivity (counts.go, sums.go): the L1 norm is convex too and grows with each row, so it is
// largest at the same corners of the set that the bounds allow.

// L1Counts returns the L1 sensitivity of the row counts in a domain with this number of cells.
//
// Under add-remove it is the largest number of rows of a unit, min(k, L·m). Under replace-one, the difference is
// largest if the unit's rows in the two tables are in different cells. If the rows in one table use b cells, it is
// h(min(b, L)) + h(min(cells − b, L)) with h(a) = min(k, a·m). h is concave, so this is largest if b is half the cells.
func L1Counts(l bounding.Limits, adj Adjacency, cells int) *big.Int {
	if adj == AddRemove {
		return maxUnitRows(l, l.Cells)
	}
	half := int64(cells) / 2
	one, other := maxUnitRows(l, min(half, l.Cells)), maxUnitRows(l, min(int64(cells)-half, l.Cells))
	return one.Add(one, other)
}

// maxUnitRows returns h(a) = min(k, a·m), the largest number of rows of a unit in at most a cells.
func maxUnitRows(l bounding.Limits, a int64) *big.Int {
	rows := new(big.Int).Mul(big.NewInt(a), big.NewInt(l.RowsPerCell))
	if most := big.NewInt(l.Rows); rows.Cmp(most) > 0 {
		return most
	}
	return rows
}

// AbsoluteNorm returns the L1 sensitivity of sums of values with this reach, in a domain with this number of cells,
// rounded up.
func (r *Reach) AbsoluteNorm(l bounding.Limits, adj Adjacency, cells int) float64 {
	return math.Ldexp(CeilingOf(r.absolute(l, adj, cells)), r.Exponent)
}

// absolute returns the L1 sensitivity, in quanta.
//
// A cell with n of the unit's rows in one table and n' in the other changes by at most More·max(n, n') + Less·min(n,
// n') in each component, as in [Reach.Squared]; n' is 0 under add-remove. If values are vectors of d components with an
// L2 norm of at most ρ, their L1 norm is at most sqrt(d)·ρ. So their L1 sensitivity is at most sqrt(d) times the L1
// sensitivity of single numbers up to ρ. It is an integer, so that this bound is rounded down.
func (r *Reach) absolute(l bounding.Limits, adj Adjacency, cells int) *big.Int {
	var sum *big.Int
	if adj == ReplaceOne && r.Less > 0 {
		sum = r.corners(l, int64(cells), r.changed)
	} else {
		sum = L1Counts(l, adj, cells)
		sum.Mul(sum, big.NewInt(r.More))
	}
	sum.Mul(sum, big.NewInt(r.Components))
	if r.Length > 1 {
		sum.Mul(sum, sum).Mul(sum, big.NewInt(r.Length))
		sum.Sqrt(sum)
	}
	return sum
}

// CeilingOf returns the smallest float64 that is not below x >= 0.
func CeilingOf(x *big.Int) float64 {
	up, _ := new(big.Float).SetPrec(53).SetMode(big.ToPositiveInf).SetInt(x).Float64()
	return up
}
