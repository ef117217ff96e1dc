package kinds

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/dprelease/dprelease/queries/strategy"
)

// Estimates of crosstabs that agree
//
// This file makes the tables of crosstabs non-negative, and crosstabsround.go makes them integers. Afterwards they
// still agree: if a table is summed over one of its dimensions, the sums are the smaller table. Only noisy values are
// read.
//
// If negative cells were only raised to 0, sums over many nearly empty cells would become too large. So the tables are
// computed from the top down, as in the release of a census: first the total, which has the least noise for its size;
// then the tables by one dimension with this total; then the tables by two dimensions with these margins; and so on.
// Each table is the nearest to its noisy values that has the margins computed before and no negative cell. So a
// correction never changes a margin.
//
// A non-negative table with given margins by two or more dimensions may not exist. Then these margins are repeatedly
// replaced by the average margins of the nearest tables. If the tables still disagree, rounding to small steps makes
// them agree (crosstabsjoint.go).

// tables are the tables of a crosstabs query. Once nonnegative or round has changed them, they agree with each other.
type tables struct {
	// Sizes[d] is the number of values of dimension d.
	Sizes []int
	// Of[k] is the set of dimensions of table k, a bit for each. Values[k] holds its cells, the last dimension fastest.
	Of     []uint64
	Values [][]float64
	// Deviations[d] is the standard deviation of a cell's noise in the table by dimension d alone.
	Deviations []float64
	// Stopped reports whether the run was cancelled. If so, the tables are not finished. It is nil if runs cannot be
	// cancelled.
	Stopped func() bool
}

func (t *tables) stopped() bool { return t.Stopped != nil && t.Stopped() }

const (
	projectionRounds = 300
	settledBelow     = 1e-7 // rounds end at this change, relative to the mean of a table's cells
	rakingRounds     = 1000
	raked            = 1e-10 // raking ends at this error, relative to the total
	agreeRounds      = 30
	unitsOfDeviation = 20 // steps of rounding per standard deviation, if the tables agree only after rounding
	maxUnits         = 1 << 20
	fewBelow         = 2 // cells below this are adjusted first; in standard deviations
)

// nonnegative replaces the values by nearby values that agree and are not negative. If base is not 0, they are
// multiples of base. If no value is negative, only this rounding changes them. A positive total is kept; otherwise all
// values become 0.
func (t *tables) nonnegative(base float64) {
	if !slices.ContainsFunc(t.Values, func(v []float64) bool { return len(v) > 0 && slices.Min(v) < 0 }) {
		if base > 0 {
			t.round(base)
		}
		return
	}
	total := sumOf(t.Values[0])
	if total <= 0 {
		for _, v := range t.Values {
			clear(v)
		}
		return
	}
	noisy := t.closure()
	made := map[uint64][]float64{0: {total}}
	kept := make([][]int, len(t.Sizes)) // the values of each dimension whose margin is positive
	for d := range t.Sizes {
		if x, ok := noisy[1<<d]; ok {
			made[1<<d] = withSum(x, total, fewBelow*t.Deviations[d])
			for i, x := range made[1<<d] {
				if x > 0 {
					kept[d] = append(kept[d], i)
				}
			}
		}
	}
	small := tables{Sizes: make([]int, len(t.Sizes)), Stopped: t.Stopped}
	for d, values := range kept {
		small.Sizes[d] = len(values)
	}
	for a, x := range noisy {
		if a == 0 {
			continue
		}
		from, at := x, t.placesOf(a, kept)
		if y, ok := made[a]; ok {
			from = y
		}
		y := make([]float64, len(at))
		for i, j := range at {
			y[i] = from[j]
		}
		noisy[a] = y
	}
	noisy[0] = made[0]
	agree := small.fit(noisy, made)
	if t.stopped() {
		return
	}
	for k, a := range t.Of {
		if a == 0 {
			t.Values[k][0] = total
			continue
		}
		clear(t.Values[k])
		for i, j := range t.placesOf(a, kept) {
			t.Values[k][j] = made[a][i]
		}
	}
	if !agree && base == 0 {
		units := float64(maxUnits)
		if least := slices.Min(t.Deviations); least > 0 {
			units = min(units, math.Ceil(unitsOfDeviation*total/least))
		}
		base = total / units
	}
	if base > 0 {
		t.round(base)
	}
}

// fit computes the tables by one dimension, then by two dimensions, and so on, each with the margins computed before.
// It reports whether each table has its margins.
func (t *tables) fit(noisy, made map[uint64][]float64) (agree bool) {
	byWays := make([][]uint64, len(t.Sizes)+1)
	for a := range noisy {
		n := bits.OnesCount64(a)
		byWays[n] = append(byWays[n], a)
	}
	for _, a := range byWays[1] {
		made[a] = noisy[a]
	}
	agree = true
	for ways := 2; ways < len(byWays); ways++ {
		sets := byWays[ways]
		margins := maps.Clone(made)
		agreed := t.fitWith(sets, noisy, margins)
		for round := 0; !agreed && round < agreeRounds && !t.stopped(); round++ {
			t.takeMargins(sets, margins)
			agreed = t.fitWith(sets, noisy, margins)
		}
		maps.Copy(made, margins)
		agree = agree && agreed
	}
	return agree
}

// fitWith changes the table of each set of dimensions so that its sums are its margins, which are tables in margins
// too, and stores it there. It begins with the table that margins already holds or, if there is none, with the one
// nearest to the table in near. It reports whether every table has its margins.
func (t *tables) fitWith(sets []uint64, near, margins map[uint64][]float64) bool {
	all := true
	for _, a := range sets {
		if t.stopped() {
			return false
		}
		x := slices.Clone(margins[a]) // the table of the round before; nil in the first round
		if x == nil {
			x = t.nearest(a, near[a], margins)
		}
		raked := t.rake(a, x, margins, false)
		if bits.OnesCount64(a) == 2 {
			first := a & -a
			forceSums(x, margins[first], margins[a&^first])
		} else if !raked {
			all = false
		}
		margins[a] = x
	}
	return all
}

// takeMargins replaces margins that no non-negative table has. It uses the margins of the nearest tables, averaged over
// all tables with this margin. Margins by one dimension stay the same.
func (t *tables) takeMargins(sets []uint64, margins map[uint64][]float64) {
	taken := map[uint64][]float64{} // by set of dimensions: the sum, later the average, of the residuals
	times := map[uint64]float64{}
	for _, a := range sets {
		x := slices.Clone(margins[a])
		t.rake(a, x, margins, true)
		for s := (a - 1) & a; s != 0; s = (s - 1) & a {
			if bits.OnesCount64(s) < 2 {
				continue
			}
			r := t.centre(s, t.sum(a, x, s))
			if taken[s] == nil {
				taken[s] = make([]float64, len(r))
			}
			for i, y := range r {
				taken[s][i] += y
			}
			times[s]++
		}
	}
	for s, r := range taken {
		for i := range r {
			r[i] /= times[s]
		}
	}
	for s := range taken {
		x := make([]float64, len(taken[s]))
		for of := range strategy.Subsets(s) {
			r := taken[of]
			if r == nil {
				r = t.centre(of, slices.Clone(margins[of]))
			}
			t.spread(s, x, of, r, 1/float64(t.cells(s&^of)))
		}
		for i := range x {
			x[i] = max(x[i], 0)
		}
		margins[s] = x
	}
}

// forceSums changes a table so that its rows and columns have exactly these sums. It first scales down the rows and
// columns with larger sums. Then it adds the missing amounts, in proportion to the amounts that row and column lack
// (Altschuler, Weed & Rigollet 2017, algorithm 2).
func forceSums(x, rows, columns []float64) {
	n := len(columns)
	missRow, missColumn := slices.Clone(rows), slices.Clone(columns)
	for i, want := range rows {
		if is := sumOf(x[i*n : (i+1)*n]); is > want {
			for j := range n {
				x[i*n+j] *= want / is
			}
		}
	}
	for j, want := range columns {
		is := 0.0
		for i := range rows {
			is += x[i*n+j]
		}
		for i := range rows {
			if is > want {
				x[i*n+j] *= want / is
			}
			missRow[i] -= x[i*n+j]
			missColumn[j] -= x[i*n+j]
		}
	}
	missing := 0.0
	for i := range missRow {
		missRow[i] = max(missRow[i], 0)
		missing += missRow[i]
	}
	for i, r := range missRow {
		for j, c := range missColumn {
			if missing > 0 {
				x[i*n+j] += r * max(c, 0) / missing
			}
		}
	}
}

// nearest returns the table nearest to y that has the given margins and almost no negative cell. It alternates between
// both conditions (Dykstra).
func (t *tables) nearest(a uint64, y []float64, margins map[uint64][]float64) []float64 {
	// fixed is the part of a table that follows from its margins. The free part sums to 0 along each dimension.
	fixed := make([]float64, len(y))
	for s := (a - 1) & a; ; s = (s - 1) & a {
		t.spread(a, fixed, s, t.centre(s, slices.Clone(margins[s])), 1/float64(t.cells(a&^s)))
		if s == 0 {
			break
		}
	}
	x, below := t.centre(a, slices.Clone(y)), make([]float64, len(y))
	settled := settledBelow * margins[0][0] / float64(len(y))
	for round := 0; ; round++ {
		least := 0.0
		for i := range x {
			x[i] += fixed[i]
			least = min(least, x[i])
		}
		if least > -settled || round == projectionRounds || t.stopped() {
			return x
		}
		for i := range x {
			z := x[i] + below[i]
			x[i], below[i] = max(z, 0), min(z, 0)
		}
		t.centre(a, x)
	}
}

// rake sets negative cells to 0 and scales cells until the table has its margins, or only its margins by one dimension
// if singles is set (iterative proportional fitting). It reports whether this succeeds. First it mixes in a little of
// the table whose dimensions are independent, so that no margin has only zeros.
func (t *tables) rake(a uint64, x []float64, margins map[uint64][]float64, singles bool) bool {
	var of []*margin
	for rest := a; rest != 0; rest &= rest - 1 {
		s := rest & -rest
		if !singles {
			s = a &^ s
		}
		of = append(of, &margin{margins[s], make([]float64, len(margins[s])), t.places(a, s)})
	}
	independent, enough := t.independent(a, margins), raked*margins[0][0]
	for i := range x {
		x[i] = max(x[i], 0)
	}
	far := 0.0
	for _, m := range of {
		far = max(far, m.add(x))
	}
	if far <= enough {
		return true
	}
	for i := range x {
		x[i] += 1e-9 * independent[i]
	}
	last := math.Inf(1)
	for round := range rakingRounds {
		far = 0
		for _, m := range of {
			far = max(far, m.add(x))
			for i := range x {
				if is := m.is[m.at[i]]; is > 0 {
					x[i] *= m.want[m.at[i]] / is
				}
			}
		}
		if far <= enough/100 || t.stopped() {
			return true
		}
		if round%20 == 19 {
			if far > 0.9*last {
				break
			}
			last = far
		}
	}
	return far <= enough
}

// margin is a margin that a table should have (want), and the margin that it has (is). at[i] is the cell of the margin
// to which cell i of the table belongs.
type margin struct {
	want, is []float64
	at       []int
}

// add computes the margin that table x has, and returns its largest difference from the wanted margin.
func (m *margin) add(x []float64) (far float64) {
	clear(m.is)
	for i, y := range x {
		m.is[m.at[i]] += y
	}
	for i, is := range m.is {
		far = max(far, math.Abs(is-m.want[i]))
	}
	return far
}

// independent returns the table by the dimensions a in which the dimensions are independent, with the given margins by
// one dimension.
func (t *tables) independent(a uint64, margins map[uint64][]float64) []float64 {
	total := margins[0][0]
	out := []float64{total}
	for ; a != 0; a &= a - 1 {
		next := make([]float64, 0, len(out)*t.Sizes[bits.TrailingZeros64(a)])
		for _, x := range out {
			for _, y := range margins[a&-a] {
				next = append(next, x*y/total)
			}
		}
		out = next
	}
	return out
}

// closure returns the tables and all their margins.
func (t *tables) closure() map[uint64][]float64 {
	all := map[uint64][]float64{}
	for k, a := range t.Of {
		for s := range strategy.Subsets(a) {
			if all[s] == nil {
				all[s] = t.sum(a, t.Values[k], s)
			}
		}
	}
	return all
}

// withSum returns non-negative numbers near x with the given positive sum, which equals the sum of x except for
// rounding. If negative numbers are raised to 0, other numbers must fall. As far as possible these are numbers below
// few, so that larger ones keep their values.
func withSum(x []float64, sum, few float64) []float64 {
	var below, others []int
	left := sum
	for i, y := range x {
		if y < few {
			below = append(below, i)
		} else {
			others = append(others, i)
			left -= y
		}
	}
	out := slices.Clone(x)
	if left < 0 || len(others) == 0 {
		project(out, others, sum-max(left, 0))
	}
	project(out, below, max(left, 0))
	return out
}

// project replaces x[i], for the indices i in at, by the nearest non-negative numbers with the given sum.
func project(x []float64, at []int, sum float64) {
	sorted := make([]float64, len(at))
	for i, j := range at {
		sorted[i] = x[j]
	}
	slices.SortFunc(sorted, func(a, b float64) int { return cmp.Compare(b, a) })
	left, level := -sum, math.Inf(1) // if the sum is 0, all numbers become 0
	for i, y := range sorted {
		left += y
		if l := left / float64(i+1); l < y {
			level = l
		}
	}
	for _, j := range at {
		x[j] = max(x[j]-level, 0)
	}
}

// cells returns the number of cells of a table.
func (t *tables) cells(a uint64) int {
	n := 1
	for ; a != 0; a &= a - 1 {
		n *= t.Sizes[bits.TrailingZeros64(a)]
	}
	return n
}

// sum returns the table by dimensions s, a subset of a: the sums of a table by dimensions a.
func (t *tables) sum(a uint64, values []float64, s uint64) []float64 {
	out := make([]float64, t.cells(s))
	at := t.places(a, s)
	for i, x := range values {
		out[at[i]] += x
	}
	return out
}

// spread adds factor·part to a table by the dimensions a. part is a table by the dimensions s, and each cell of the
// large table gets the value of its cell in part.
func (t *tables) spread(a uint64, values []float64, s uint64, part []float64, factor float64) {
	at := t.places(a, s)
	for i := range values {
		values[i] += factor * part[at[i]]
	}
}

// places returns the cell in the table by the dimensions s, a subset of a, for each cell of a table by the dimensions
// a.
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

// placesOf returns the cells of a table by the dimensions a whose value in each dimension d is in values[d].
func (t *tables) placesOf(a uint64, values [][]int) []int {
	out := []int{0}
	for ; a != 0; a &= a - 1 {
		d := bits.TrailingZeros64(a)
		next := make([]int, 0, len(out)*len(values[d]))
		for _, p := range out {
			for _, i := range values[d] {
				next = append(next, p*t.Sizes[d]+i)
			}
		}
		out = next
	}
	return out
}

// centre subtracts from a table by dimensions s its mean along each dimension. It changes the table and returns it.
func (t *tables) centre(s uint64, values []float64) []float64 {
	inner := 1
	for s != 0 {
		d := 63 - bits.LeadingZeros64(s)
		s &^= 1 << d
		n := t.Sizes[d]
		for from := 0; from < len(values); from += n * inner {
			for i := from; i < from+inner; i++ {
				mean := 0.0
				for j := range n {
					mean += values[i+j*inner]
				}
				mean /= float64(n)
				for j := range n {
					values[i+j*inner] -= mean
				}
			}
		}
		inner *= n
	}
	return values
}
