package kinds

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Integers for tables of three and more dimensions
//
// Tables of three dimensions that must agree cannot always be rounded to integers that agree, and deciding whether they
// can is hard. But different sums of one table of all dimensions always agree. So one table of integers is computed,
// and the other tables are its sums. It is computed one dimension at a time and holds only the cells that are not 0:
//     - A matrix has a row for each cell by the dimensions so far, and a column for each value of the next dimension.
//     The sums of its rows are the integers of these cells, and the sums of its columns the rounded margin of the next
//     dimension.
//   - Iterative proportional fitting brings the matrix near all margins of the tables by the dimensions so far.
//     - Each row is rounded down. Its missing units are added in the columns with the largest deficits, in the row and
//     in all margins together, as long as the column itself has a deficit. So errors cancel within each margin instead
//     of adding up.
//
// Only tables that have two dimensions in common need to be sums of the same table. Other tables have at most one
// dimension in common, and the table by this dimension is rounded first.

// maxJoint is the largest number of cells of the table of all dimensions. Rounding such a table takes less time than
// making the largest tables non-negative.
const maxJoint = 1 << 22

// fittingRounds is how often the matrix is fitted to all margins. The remaining error is less than the rounding.
const (
	fittingRounds = 80
	fullRounds    = 20
)

// clustersOf joins the tables of three or more dimensions that have two dimensions in common, directly or through other
// tables. It returns the set of dimensions of each such cluster.
func clustersOf(of []uint64) (clusters []uint64) {
	for _, a := range of {
		if bits.OnesCount64(a) < 3 {
			continue
		}
		for i := 0; i < len(clusters); i++ {
			if bits.OnesCount64(clusters[i]&a) >= 2 {
				a |= clusters[i]
				clusters = slices.Delete(clusters, i, i+1)
				i = -1 // start again: the larger set may share dimensions with earlier ones
			}
		}
		clusters = append(clusters, a)
	}
	return clusters
}

// joint is a table of non-negative integers by some dimensions. It holds only the cells that are not 0.
type joint struct {
	of    uint64
	codes [][]int // codes[i][d] is the value of dimension d in cell i
	count []float64
}

// goal is a margin that the matrix should have after a dimension is added.
type goal struct {
	want []float64
	is   []float64 // the margin that the matrix has; fit overwrites it with the factors by which it scales cells
	lack []float64 // the amount of the margin that the rounded cells still lack
	// first[i] is the cell of the margin for row i of the matrix and the first value of the new dimension. For each
	// further value, the cell's index is larger by step.
	first []int
	step  int
}

// joined returns a table of integers by the dimensions in cluster. Its margins are near the tables of t. Its margins by
// one dimension are exactly the tables in single.
func (t *tables) joined(cluster uint64, single map[uint64][]float64) *joint {
	var order []int
	for rest := cluster; rest != 0; rest &= rest - 1 {
		order = append(order, bits.TrailingZeros64(rest))
	}
	// the last dimension makes the longest matrix
	slices.SortStableFunc(order, func(i, j int) int { return t.Sizes[i] - t.Sizes[j] })
	total := sumOf(single[1<<order[0]])
	j := &joint{codes: [][]int{make([]int, len(t.Sizes))}, count: []float64{total}}
	if total == 0 {
		return &joint{of: cluster}
	}
	for _, d := range order {
		t.addDimension(j, d, single[1<<d])
	}
	return j
}

// addDimension divides each cell among the values of dimension d. columns holds the sums that the values must have.
func (t *tables) addDimension(j *joint, d int, columns []float64) {
	n, goals := len(columns), t.goals(j, d, columns)
	if t.stopped() {
		return
	}
	total := sumOf(columns)
	x := make([]float64, len(j.count)*n)
	for i, count := range j.count {
		for c, y := range columns {
			x[i*n+c] = count * y / total
		}
	}
	for round := range fittingRounds {
		for g := range goals {
			if t.stopped() {
				return
			}
			goals[g].fit(x, n, min(1, 2*fullRounds/float64(fullRounds+round)))
		}
		if far := scaleRows(x, j.count, columns); far < 1e-3 {
			break
		}
	}
	missing := slices.Clone(columns)
	out := joint{of: j.of | 1<<d}
	for i, count := range j.count {
		if t.stopped() {
			return
		}
		row := x[i*n : (i+1)*n]
		given := giveUnits(row, count, missing, goals, i)
		for c, y := range given {
			if y > 0 {
				code := slices.Clone(j.codes[i])
				code[d] = c
				out.codes, out.count = append(out.codes, code), append(out.count, y)
			}
		}
	}
	*j = out
}

// goals returns the margins that a table determines by dimension d and some of the dimensions so far, each margin once.
func (t *tables) goals(j *joint, d int, columns []float64) (out []goal) {
	var sets []uint64
	from := map[uint64]int{}
	for k, a := range t.Of {
		if s := a & (j.of | 1<<d); s>>d&1 == 1 {
			sets, from[s] = append(sets, s), k
		}
	}
	sets = slices.DeleteFunc(sets, func(s uint64) bool {
		return s == 1<<d || slices.ContainsFunc(sets, func(o uint64) bool { return o != s && o&s == s })
	})
	slices.Sort(sets)
	for _, s := range append(slices.Compact(sets), 1<<d) {
		if t.stopped() {
			return nil
		}
		g := goal{want: columns, first: make([]int, len(j.count)), step: 1}
		if s != 1<<d {
			k := from[s]
			g.want = t.sum(t.Of[k], t.Values[k], s)
		}
		stride := map[int]int{}
		at := 1
		for rest := s; rest != 0; {
			i := 63 - bits.LeadingZeros64(rest)
			rest &^= 1 << i
			stride[i] = at
			at *= t.Sizes[i]
		}
		g.step = stride[d]
		for i, code := range j.codes {
			for dim, step := range stride {
				if dim != d {
					g.first[i] += code[dim] * step
				}
			}
		}
		g.is, g.lack = make([]float64, len(g.want)), make([]float64, len(g.want))
		out = append(out, g)
	}
	return out
}

// fit scales the cells of matrix x, which has n columns, so that they have the margin. With a power below 1 they only
// come nearer to it.
func (g *goal) fit(x []float64, n int, power float64) {
	clear(g.is)
	for i, at := range g.first {
		for c := range n {
			g.is[at+c*g.step] += x[i*n+c]
		}
	}
	for k, is := range g.is {
		if is > 0 {
			g.is[k] = math.Pow(g.want[k]/is, power)
		}
	}
	for i, at := range g.first {
		for c := range n {
			x[i*n+c] *= g.is[at+c*g.step]
		}
	}
}

// scaleRows scales each row of a matrix to its sum, and returns the largest relative error of a sum before scaling. A
// row of zeros becomes proportional to columns.
func scaleRows(x, rows, columns []float64) (far float64) {
	n := len(columns)
	for i, want := range rows {
		row := x[i*n : (i+1)*n]
		is := sumOf(row)
		if is <= 0 {
			copy(row, columns)
			is = sumOf(columns)
		}
		far = max(far, math.Abs(want/is-1))
		for c := range row {
			row[c] *= want / is
		}
	}
	return far
}

// giveUnits rounds row i of a matrix to integers with the sum count, so that no column gets more units than it misses.
// If all columns together miss fewer than count units, the rest is dropped.
func giveUnits(row []float64, count float64, missing []float64, goals []goal, i int) []float64 {
	given, scores := make([]float64, len(row)), make([]float64, len(row))
	left := count
	take := func(c int, units float64) {
		given[c] += units
		missing[c] -= units
		left -= units
		for g := range goals {
			goals[g].lack[goals[g].first[i]+c*goals[g].step] -= units
		}
	}
	for c, y := range row {
		if math.IsNaN(y) || math.IsInf(y, 0) { // fitting failed
			row[c] = 0
		}
		for g := range goals {
			goals[g].lack[goals[g].first[i]+c*goals[g].step] += row[c]
		}
		take(c, min(math.Floor(row[c]), missing[c], left))
	}
	for c, y := range row {
		scores[c] = y - given[c]
		for g := range goals {
			scores[c] += goals[g].lack[goals[g].first[i]+c*goals[g].step]
		}
	}
	for c, units := range byScores(scores, missing, left, float64(len(goals)+1)) {
		take(c, units)
	}
	return given
}

// byScores distributes units one by one: each goes to the column with the largest score among the columns that still
// miss units, and the score of this column then falls by step. Instead of distributing them one by one, byScores finds
// the score that all columns would reach, and gives the remaining units to columns with this score.
func byScores(scores, missing []float64, units, step float64) []float64 {
	given := make([]float64, len(scores))
	if units <= 0 || len(scores) == 0 {
		return given
	}
	above := func(c int, level float64) float64 {
		return min(missing[c], max(math.Ceil((scores[c]-level)/step), 0))
	}
	sum := func(level float64) (sum float64) {
		for c := range scores {
			sum += above(c, level)
		}
		return sum
	}
	high := slices.Max(scores) // above all scores, so that no column reaches it
	low := slices.Min(scores) - step*units
	for range levelSteps {
		if level := low + (high-low)/2; sum(level) > units {
			low = level
		} else {
			high = level
		}
	}
	var order []int
	for c := range scores {
		given[c] = above(c, high)
		units -= given[c]
		if missing[c] > given[c] {
			order = append(order, c)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(scores[b]-step*given[b], scores[a]-step*given[a])
	})
	for units > 0 && len(order) > 0 {
		// one round hands out all units, except if scores are so large that the search ended at an inexact level
		order = slices.DeleteFunc(order, func(c int) bool {
			if units > 0 {
				more := max(1, min(missing[c]-given[c], math.Floor(units/float64(len(order)))))
				given[c] += more
				units -= more
			}
			return given[c] >= missing[c]
		})
	}
	return given
}

// levelSteps is how often a range of levels is halved, until it is smaller than any difference of scores.
const levelSteps = 64

// sumOfJoint returns the sums of a joint table's cells by the dimensions in s.
func (t *tables) sumOfJoint(j *joint, s uint64) []float64 {
	out := make([]float64, t.cells(s))
	for i, code := range j.codes {
		at := 0
		for rest := s; rest != 0; rest &= rest - 1 {
			d := bits.TrailingZeros64(rest)
			at = at*t.Sizes[d] + code[d]
		}
		out[at] += j.count[i]
	}
	return out
}
