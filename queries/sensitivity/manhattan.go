package sensitivity

import (
	"math"
	"math/big"

	"github.com/dprelease/dprelease/queries/bounding"
)

// L1 sensitivities
//
// Noise with delta 0 depends on the L1 norm, the sum of absolute differences. It is found like the L2 norm (counts.go,
// sums.go): the norm is convex and grows with each row, so it is largest at the same corners of the set that the bounds
// allow.

// L1Counts returns the L1 sensitivity of the row counts in a domain with this number of cells.
//
// Under add-remove it is the largest number of rows of a unit, min(k, L·m). Under replace-one it is largest if the
// unit's rows before and after are in different cells: h(min(b, L)) + h(min(cells − b, L)), with h(a) = min(k, a·m), if
// the rows before use b cells. h is concave, so the largest value has b at half the cells.
func L1Counts(l bounding.Limits, adj Adjacency, cells int) *big.Int {
	if adj == AddRemove {
		return mostRows(l, l.Cells)
	}
	half := int64(cells) / 2
	one, other := mostRows(l, min(half, l.Cells)), mostRows(l, min(int64(cells)-half, l.Cells))
	return one.Add(one, other)
}

// mostRows returns h(a), the largest number of rows in at most a cells.
func mostRows(l bounding.Limits, a int64) *big.Int {
	rows := new(big.Int).Mul(big.NewInt(a), big.NewInt(l.RowsPerCell))
	if most := big.NewInt(l.Rows); rows.Cmp(most) > 0 {
		return most
	}
	return rows
}

// AbsoluteNorm returns the L1 sensitivity of sums in a domain with this number of cells, rounded up.
func (r *Reach) AbsoluteNorm(l bounding.Limits, adj Adjacency, cells int) float64 {
	return math.Ldexp(CeilingOf(r.absolute(l, adj, cells)), r.Exponent)
}

// absolute returns the L1 sensitivity, in quanta.
//
// A cell to which a unit adds n rows, and n' in the other table, changes by at most more·max(n, n') + less·min(n, n')
// in each component, as in [Reach.Squared]; n' is 0 under add-remove. Vectors of a norm of at most ρ have an L1 norm of
// at most sqrt(d)·ρ, d their length, so that their L1 sensitivity, an integer, is at most sqrt(d) times the L1
// sensitivity of single numbers as large as ρ, rounded down.
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
