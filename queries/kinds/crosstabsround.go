package kinds

import (
	"cmp"
	"math"
	"slices"
)

// round replaces the values of the tables by nearby multiples of base that agree. It works with integers, in units of
// base: first the total, then the tables by one dimension (largest remainders), then the tables by two dimensions. A
// cell of these is rounded down; the missing units go to the cells with the largest remainders whose row and column
// both lack units. A cell of a table by one dimension changes by less than base. Non-negative values stay non-negative.
// Tables of three and more dimensions must be non-negative; they become sums of one table of integers
// (crosstabsjoint.go).
func (t *tables) round(base float64) {
	t.Values = multiplied(t.Values, 1/base)
	total := math.Round(sumOf(t.Values[0]))
	single := map[uint64][]float64{}
	for k, a := range t.Of {
		for rest := a; rest != 0; rest &= rest - 1 {
			if d := rest & -rest; single[d] == nil {
				single[d] = roundTo(total, t.sum(a, t.Values[k], d))
			}
		}
	}
	clusters := clustersOf(t.Of)
	joints := make([]*joint, len(clusters))
	for i, c := range clusters {
		joints[i] = t.joined(c, single)
	}
	for k, a := range t.Of {
		i := slices.IndexFunc(clusters, func(c uint64) bool { return c&a == a })
		switch first := a & -a; {
		case a == 0:
			t.Values[k][0] = total
		case a == first:
			copy(t.Values[k], single[a])
		case i >= 0:
			copy(t.Values[k], t.sumOfJoint(joints[i], a))
		default:
			roundTable(t.Values[k], single[first], single[a&^first])
		}
	}
	t.Values = multiplied(t.Values, base)
}

// roundTo rounds numbers to integers whose sum is total, which is less than 1 from the sum of the numbers.
func roundTo(total float64, x []float64) []float64 {
	out, order := make([]float64, len(x)), make([]int, len(x))
	for i := range x {
		out[i], order[i] = math.Floor(x[i]), i
		total -= out[i]
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(x[j]-out[j], x[i]-out[i]) })
	for i := 0; total > 0 && len(order) > 0; i, total = (i+1)%len(order), total-1 {
		out[order[i]]++
	}
	for i := len(order) - 1; total < 0; total++ { // rounding errors made the sum slightly too large
		out[order[max(i, 0)]]--
		i--
	}
	return out
}

// roundTable rounds a table to integers whose row sums are rows and whose column sums are columns.
func roundTable(x, rows, columns []float64) {
	n := len(columns)
	missRow, missColumn := slices.Clone(rows), slices.Clone(columns)
	rest, order := make([]float64, len(x)), make([]int, len(x))
	for i := range x {
		down := math.Floor(x[i] + 1e-9)
		x[i], rest[i], order[i] = down, x[i]-down, i
		missRow[i/n] -= down
		missColumn[i%n] -= down
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(rest[j], rest[i]) })
	give := func(most float64) {
		for _, i := range order {
			if by := min(missRow[i/n], missColumn[i%n], most); by > 0 {
				x[i] += by
				missRow[i/n] -= by
				missColumn[i%n] -= by
			}
		}
	}
	// A rounding error may make an integer cell one too large for its row or column.
	for i := range x {
		for x[i] > 0 && (missRow[i/n] < 0 || missColumn[i%n] < 0) {
			x[i]--
			missRow[i/n]++
			missColumn[i%n]++
		}
	}
	give(1)
	give(math.Inf(1))
}
