package sensitivity

import (
	"math"
	"math/big"

	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/quantize"
)

// Reach is how far the value of one row can be from zero, in quanta of 2^Exponent. A value has Components components,
// each in [-Less, More] or each in [-More, Less]. If instead the L2 norm of a vector is bounded, Components is 1 and
// More = Less is the bound on the norm.
type Reach struct {
	More, Less int64 // More is at least Less, and Less at least 0.
	Components int64
	// Length is the number of components of a vector whose L2 norm is bounded; 0 if each component has its own bound.
	Length   int64
	Exponent int
}

// ReachOf returns the reach of quantized values minus the quantizer's centre.
func ReachOf(q *quantize.Quantizer) *Reach {
	up, down := max(q.Max-q.Centre, 0), max(q.Centre-q.Min, 0)
	r := &Reach{More: max(up, down), Less: min(up, down), Components: int64(q.Dims), Exponent: q.Exponent}
	if q.Clip {
		r.Components, r.Length = 1, int64(q.Dims)
	}
	return r
}

// Norm returns the L2 sensitivity of sums of values with this reach, in a domain with this number of cells, rounded up.
func (r *Reach) Norm(l bounding.Limits, adj Adjacency, cells int) float64 {
	return math.Ldexp(RootUp(r.Squared(l, adj, cells)), r.Exponent)
}

// OfRow returns the largest L2 norm of one row's value, rounded up.
func (r *Reach) OfRow() float64 {
	return r.Norm(bounding.Limits{Rows: 1, Cells: 1, RowsPerCell: 1}, AddRemove, 1)
}

// Squared returns the squared L2 sensitivity, in squared quanta.
//
// Let ρ be the largest norm of a row's value. If a unit adds n rows to a cell, the cell changes by a vector of norm at
// most n·ρ, and by exactly n·ρ if all rows have the same extreme value. So the squared sensitivity under add-remove is
// ρ² times the squared sensitivity of counts. Under replace-one, a cell that has n of the unit's rows in one table and
// n' in the other changes by at most More·max(n, n') + Less·min(n, n') in each component; see [Reach.corners]. If all
// values are on one side of zero, Less is 0, and the squared sensitivity is again ρ² times the squared sensitivity of
// counts.
func (r *Reach) Squared(l bounding.Limits, adj Adjacency, cells int) *big.Int {
	var sum *big.Int
	if adj == ReplaceOne && r.Less > 0 {
		sum = r.corners(l, int64(cells), r.cell)
	} else {
		sum = SquaredCounts(l, adj, cells)
		sum.Mul(sum, square64(r.More))
	}
	return sum.Mul(sum, big.NewInt(r.Components))
}

// corners returns the largest sum over all cells of cell(max(n, n'), min(n, n')), for two vectors n and n' of row
// counts within the limits. cell is the function cell or changed.
//
// The sum is convex and grows with each count, so it is largest if both vectors are corners of the set within the
// limits: m rows in each of f cells (full cells) and r < m rows in one more cell, as in [LargestNorm]. It remains to
// choose which cells of the two vectors are the same cell. The cell with r rows can be the same as the other vector's
// cell with r rows, as one of its full cells, or as none of its cells. For the remaining full cells, best finds the
// best number of common cells.
func (r *Reach) corners(l bounding.Limits, cells int64, cell func(n, o int64) *big.Int) *big.Int {
	a := min(l.Cells, cells)
	m := l.RowsPerCell
	full, rest := Filled(l, a)
	p := pairing{both: cell(m, m), one: cell(m, 0)}
	if rest == 0 {
		return p.best(nil, full, full, cells)
	}
	both, alone, full1 := cell(rest, rest), cell(rest, 0), cell(m, rest)
	most := p.best(sumOf(both), full, full, cells-1)
	for _, total := range []*big.Int{
		p.best(sumOf(alone, alone), full, full, cells-2),
		p.best(sumOf(full1, alone), full, full-1, cells-2),
		p.best(sumOf(full1, full1), full-1, full-1, cells-2),
	} {
		if total != nil && (most == nil || total.Cmp(most) > 0) {
			most = total
		}
	}
	return most
}

// cell returns (More·n + Less·o)² for n >= o.
func (r *Reach) cell(n, o int64) *big.Int {
	x := r.changed(n, o)
	return x.Mul(x, x)
}

// changed returns More·n + Less·o for n >= o.
func (r *Reach) changed(n, o int64) *big.Int {
	x := new(big.Int).Mul(big.NewInt(r.More), big.NewInt(n))
	return x.Add(x, new(big.Int).Mul(big.NewInt(r.Less), big.NewInt(o)))
}

// pairing holds what a full cell (with m rows) adds to the sum of [Reach.corners]: both if the cell is full in both
// tables, one if it is full in one table and empty in the other.
type pairing struct{ both, one *big.Int }

// best returns sum plus the most that x full cells of one table and y full cells of the other can add, or nil if they
// do not fit in the cells. What they add is linear in the number of cells that are full in both tables, so it is
// largest for the smallest or the largest possible number.
func (p pairing) best(sum *big.Int, x, y, cells int64) *big.Int {
	few, many := max(0, x+y-cells), min(x, y)
	if few > many || min(x, y, cells) < 0 {
		return nil
	}
	total := p.total(few, x+y)
	if other := p.total(many, x+y); other.Cmp(total) > 0 {
		total = other
	}
	if sum != nil {
		total.Add(total, sum)
	}
	return total
}

// total returns the amount that full cells add to the sum. The two tables have n full cells, of which pairs are the
// same cell in both tables.
func (p pairing) total(pairs, n int64) *big.Int {
	both := new(big.Int).Mul(p.both, big.NewInt(pairs))
	one := new(big.Int).Mul(p.one, big.NewInt(n-2*pairs))
	return both.Add(both, one)
}

func sumOf(xs ...*big.Int) *big.Int {
	sum := new(big.Int)
	for _, x := range xs {
		sum.Add(sum, x)
	}
	return sum
}

func square64(x int64) *big.Int {
	b := big.NewInt(x)
	return b.Mul(b, b)
}
