package kinds

import (
	"maps"
	"math"
	"math/bits"
	"slices"
)

// Estimates of crosstabs that agree
//
// This file makes the tables of crosstabs non-negative, and crosstabsround.go makes them integers, so that they still
// agree: every table is the sum of any larger one. Only noisy values are read.
//
// Cutting cells off at 0 adds to every sum over many cells that are nearly empty. Therefore the tables are made from
// the top down, as in the release of a census: first the total, which is measured best for its size, then the tables by
// one dimension with that total, then the tables by two dimensions with these margins, and so on. Each table is the
// nearest one to its noisy values that has the margins that are already made and no negative cell. A correction thus
// never leaves the cells of one margin.
//
// A table with given margins by two or more dimensions need not exist. If one does not, the margins by two and more
// dimensions are repeatedly replaced by the average margins of the nearest tables. If the tables still disagree after
// that, rounding to small steps makes them agree (crosstabsjoint.go).

// tables are tables by some dimensions that agree with each other.
type tables struct {
	// Sizes[d] is the number of values of dimension d.
	Sizes []int
	// Of[k] is the set of dimensions of table k, one bit each. Values[k] holds its cells, the last dimension fastest.
	Of     []uint64
	Values [][]float64
	// Deviations[d] is the standard deviation of a cell of the table by dimension d alone.
	Deviations []float64
	// Stopped reports whether the run was cancelled: the tables are then left unfinished. It may be nil.
	Stopped func() bool
}

func (t *tables) stopped() bool { return t.Stopped != nil && t.Stopped() }

const (
	projectionRounds = 300
	settledBelow     = 1e-7 // relative to the mean of a table's cells
	rakingRounds     = 1000
	raked            = 1e-10 // the largest error after raking, as a part of the total
	agreeRounds      = 30
	unitsOfDeviation = 20 // steps in a standard deviation, if tables agree only after rounding
	mostUnits        = 1 << 20
	fewBelow         = 2 // in standard deviations: smaller cells are adjusted before others
)

// nonnegative replaces the values by nearby values that agree and are not negative, multiples of base if it is not 0.
// If none is negative, they change only by the rounding. The total does not change if it is positive; otherwise all
// values become 0.
func (t *tables) nonnegative(base float64) {
	if !slices.ContainsFunc(t.Values, func(v []float64) bool { return len(v) > 0 && slices.Min(v) < 0 }) {
		if base > 0 {
			t.round(base)
		}
		return
	}
	total := t.total()
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
		units := float64(mostUnits)
		if least := slices.Min(t.Deviations); least > 0 {
			units = min(units, math.Ceil(unitsOfDeviation*total/least))
		}
		base = total / units
	}
	if base > 0 {
		t.round(base)
	}
}

// fit makes the tables by one dimension, then the tables by two dimensions and so on, each with the margins that are
// already made. It reports whether all tables have their margins.
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

// fitWith makes the tables by some sets of dimensions, each with its margins, and reports whether all have them.
func (t *tables) fitWith(sets []uint64, near, margins map[uint64][]float64) bool {
	all := true
	for _, a := range sets {
		if t.stopped() {
			return false
		}
		x := slices.Clone(margins[a]) // the margin in an earlier round
		if x == nil {
			x = t.nearest(a, near[a], margins)
		}
		raked := t.rake(a, x, t.independent(a, margins), margins)
		if bits.OnesCount64(a) == 2 {
			first := a & -a
			settle(x, margins[first], margins[a&^first])
		} else if !raked {
			all = false
		}
		margins[a] = x
	}
	return all
}

// takeMargins replaces the margins of tables that do not exist by the margins of the nearest tables, averaged over the
// tables with such a margin. Margins by one dimension do not change.
func (t *tables) takeMargins(sets []uint64, margins map[uint64][]float64) {
	taken := map[uint64][]float64{} // by s: the average of the residuals
	times := map[uint64]float64{}
	for _, a := range sets {
		x := slices.Clone(margins[a])
		t.rakeSingles(a, x, margins)
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
		for of := s; ; of = (of - 1) & s {
			r := taken[of]
			if r == nil {
				r = t.centre(of, slices.Clone(margins[of]))
			}
			t.spread(s, x, of, r, 1/float64(t.cells(s&^of)))
			if of == 0 {
				break
			}
		}
		for i := range x {
			x[i] = max(x[i], 0)
		}
		margins[s] = x
	}
}

// settle gives a table exactly these sums of its rows and columns: it scales down larger sums, and then adds the
// missing amounts in proportion to the missing parts of row and column (Altschuler, Weed & Rigollet 2017, algorithm 2).
func settle(x, rows, columns []float64) {
	n := len(columns)
	missRow, missColumn := slices.Clone(rows), slices.Clone(columns)
	for i, want := range rows {
		is := 0.0
		for _, y := range x[i*n : (i+1)*n] {
			is += y
		}
		if is > want {
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

// nearest returns the nearest table to y with given margins and nearly no negative cell: Dykstra's alternation between
// the two.
func (t *tables) nearest(a uint64, y []float64, margins map[uint64][]float64) []float64 {
	// The part of a table that its margins fix, and the part that is free: it sums to 0 along every dimension.
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

// rake sets negative cells to 0 and scales the rest until the table has its margins: iterative proportional fitting. It
// reports whether this succeeds. A small part of the independent table is mixed in first, so that no margin has only
// zeros.
func (t *tables) rake(a uint64, x, independent []float64, margins map[uint64][]float64) bool {
	var of []*margin
	for rest := a; rest != 0; rest &= rest - 1 {
		s := a &^ (rest & -rest)
		of = append(of, &margin{margins[s], make([]float64, len(margins[s])), t.places(a, s)})
	}
	return t.rakeTo(x, independent, of, raked*margins[0][0])
}

// rakeSingles scales a table until it has its margins by one dimension.
func (t *tables) rakeSingles(a uint64, x []float64, margins map[uint64][]float64) {
	var of []*margin
	for rest := a; rest != 0; rest &= rest - 1 {
		s := rest & -rest
		of = append(of, &margin{margins[s], make([]float64, len(margins[s])), t.places(a, s)})
	}
	t.rakeTo(x, t.independent(a, margins), of, raked*margins[0][0])
}

func (t *tables) rakeTo(x, independent []float64, of []*margin, enough float64) bool {
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

// margin is a wanted margin of a table, and its present one; at[i] is the cell of the margin of cell i.
type margin struct {
	want, is []float64
	at       []int
}

// add computes the table's margin, and returns the largest difference from the wanted one.
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

// independent returns the table by the dimensions of a that has their margins by one dimension, if they are
// independent.
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
		for s := a; ; s = (s - 1) & a {
			if all[s] == nil {
				all[s] = t.sum(a, t.Values[k], s)
			}
			if s == 0 {
				break
			}
		}
	}
	return all
}

// withSum returns numbers near x that are not negative and have this positive sum, which equals the sum of x except for
// rounding. As far as possible, numbers below few are adjusted to compensate each other, so that the others keep their
// values: a number that is set to 0 would otherwise make all others too small.
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

// project replaces the numbers at some indices by the nearest ones that are not negative and have this sum.
func project(x []float64, at []int, sum float64) {
	sorted := make([]float64, len(at))
	for i, j := range at {
		sorted[i] = x[j]
	}
	slices.SortFunc(sorted, func(a, b float64) int {
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	left, level := -sum, math.Inf(1) // no number is above it if the sum is 0
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

// total returns the sum of the cells of a table.
func (t *tables) total() float64 {
	sum := 0.0
	for _, x := range t.Values[0] {
		sum += x
	}
	return sum
}

// cells returns the number of cells of a table.
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

// places returns, for each cell of a table by a, the cell of the table by s, a subset of a.
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

// placesOf returns the cells of a table by a that have, in each dimension, one of some values.
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

// centre subtracts from a table by s its mean along each dimension, in place, and returns it.
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
