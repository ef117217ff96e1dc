package kinds

import (
	"math"
	"math/bits"
	"slices"
)

// Estimates of crosstabs that agree
//
// Tables that share dimensions are made non-negative here, and whole in crosstabsround.go, so that they still agree:
// every table is the sum of any larger one. Only noisy values are read.

// tables are tables by some dimensions that agree with each other.
type tables struct {
	// Sizes are the numbers of cells of the dimensions.
	Sizes []int
	// Of are the dimensions of each table, one bit each; Values its cells, the last dimension fastest.
	Of     []uint64
	Values [][]float64
	// Variances are those of a cell of each table.
	Variances []float64
}

const (
	projectionRounds = 300
	settledBelow     = 1e-7 // of the standard deviation of a cell
)

// nonnegative replaces the values by the nearest ones that agree and are not negative: Dykstra's alternation between
// the two, in the norm that counts each cell by its variance. What it leaves below zero is lifted by mixing with the
// even table of the same total. All are 0 if the total is not positive.
func (t *tables) nonnegative() {
	largest := t.largest()
	total := t.total()
	if total <= 0 {
		for _, v := range t.Values {
			clear(v)
		}
		return
	}
	below := make([][]float64, len(t.Of))
	for _, k := range largest {
		below[k] = make([]float64, len(t.Values[k]))
	}
	for range projectionRounds {
		far := 0.0
		for _, k := range largest {
			for i, x := range t.Values[k] {
				far = max(far, -x/math.Sqrt(t.Variances[k]))
				x += below[k][i]
				t.Values[k][i] = max(x, 0)
				below[k][i] = min(x, 0)
			}
		}
		if t.project(largest); far < settledBelow {
			break
		}
	}
	t.lift(largest)
	t.fill(largest)
}

// total is that of the tables.
func (t *tables) total() float64 {
	sum := 0.0
	for _, x := range t.Values[0] {
		sum += x
	}
	return sum
}

// largest returns the tables that are in no other one.
func (t *tables) largest() (out []int) {
	for k, a := range t.Of {
		if !slices.ContainsFunc(t.Of, func(b uint64) bool { return b != a && a&^b == 0 }) {
			out = append(out, k)
		}
	}
	return out
}

// lift mixes the largest tables with even ones, just as much as makes no cell negative.
func (t *tables) lift(largest []int) {
	total, share := 0.0, 0.0
	for _, x := range t.Values[largest[0]] {
		total += x
	}
	for _, k := range largest {
		even := total / float64(len(t.Values[k]))
		for _, x := range t.Values[k] {
			if x < 0 && even > 0 {
				share = max(share, -x/(even-x))
			}
		}
	}
	for _, k := range largest {
		even := total / float64(len(t.Values[k]))
		for i, x := range t.Values[k] {
			t.Values[k][i] = max(0, x+share*(even-x))
		}
	}
}

// fill sets the other tables to the sums of the largest.
func (t *tables) fill(largest []int) {
	for k, a := range t.Of {
		if i := slices.IndexFunc(largest, func(l int) bool { return a&^t.Of[l] == 0 }); largest[i] != k {
			copy(t.Values[k], t.sum(t.Of[largest[i]], t.Values[largest[i]], a))
		}
	}
}

// project replaces the largest tables by the nearest ones that agree. The part of a table that belongs to a set of
// dimensions, and to none of its subsets, is the mean of those of all tables that have it, each by the inverse of its
// variance there.
func (t *tables) project(largest []int) {
	parts := map[uint64][]float64{}
	for _, k := range largest {
		for s := t.Of[k]; ; s = (s - 1) & t.Of[k] {
			parts[s] = nil
			if s == 0 {
				break
			}
		}
	}
	for s := range parts {
		sum, weight := make([]float64, t.cells(s)), 0.0
		for _, k := range largest {
			if s&^t.Of[k] != 0 {
				continue
			}
			w := 1 / (t.Variances[k] * float64(t.cells(t.Of[k]&^s)))
			weight += w
			for i, x := range t.centre(s, t.sum(t.Of[k], t.Values[k], s)) {
				sum[i] += w * x
			}
		}
		for i := range sum {
			sum[i] /= weight
		}
		parts[s] = sum
	}
	for _, k := range largest {
		clear(t.Values[k])
		for s, part := range parts {
			if s&^t.Of[k] == 0 {
				t.spread(t.Of[k], t.Values[k], s, part, 1/float64(t.cells(t.Of[k]&^s)))
			}
		}
	}
}

// cells is the number of cells of a table.
func (t *tables) cells(a uint64) int {
	n := 1
	for ; a != 0; a &= a - 1 {
		n *= t.Sizes[bits.TrailingZeros64(a)]
	}
	return n
}

// sum adds a table up over the dimensions that are not in s.
func (t *tables) sum(a uint64, values []float64, s uint64) []float64 {
	out := make([]float64, t.cells(s))
	at := t.places(a, s)
	for i, x := range values {
		out[at[i]] += x
	}
	return out
}

// spread adds part, times a factor, to each cell of a table.
func (t *tables) spread(a uint64, values []float64, s uint64, part []float64, factor float64) {
	at := t.places(a, s)
	for i := range values {
		values[i] += factor * part[at[i]]
	}
}

// places returns, for each cell of a table by a, the cell of one by s, which are some of its dimensions.
func (t *tables) places(a, s uint64) []int {
	out := []int{0}
	for ; a != 0; a &= a - 1 {
		d := bits.TrailingZeros64(a)
		size, next := t.Sizes[d], make([]int, 0, len(out)*t.Sizes[d])
		for _, p := range out {
			for i := range size {
				if s>>d&1 == 1 {
					next = append(next, p*size+i)
				} else {
					next = append(next, p)
				}
			}
		}
		out = next
	}
	return out
}

// centre subtracts from a table by s its mean along each dimension.
func (t *tables) centre(s uint64, values []float64) []float64 {
	for rest := s; rest != 0; rest &= rest - 1 {
		d := rest & -rest
		without := t.sum(s, values, s&^d)
		t.spread(s, values, s&^d, without, -1/float64(t.Sizes[bits.TrailingZeros64(d)]))
	}
	return values
}
