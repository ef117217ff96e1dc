package pipeline

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/dprelease/dprelease/queries/query"
)

// Complementary suppression
//
// Tables agree if each of them is a sum of one table by all dimensions (query.Lattice). Then a cell that a publish rule
// withholds could be computed from published cells, unless further cells are withheld.
//
// This file looks for these cells. It takes two groups of some dimensions and one group of every other dimension. If t
// is added to the cells with an even number of second groups and subtracted from the cells with an odd number, each sum
// over both groups of a dimension stays as it is. So in every table only cells by all of the divided dimensions change:
// the block. If the whole block is withheld, the published cells fit any t, and no cell of the block can be computed.
//
// The block of a withheld cell divides each dimension of the cell's table, if some table would change otherwise. The
// second group lies in the same group of the next larger level. Among several blocks, it takes one with few and small
// cells to withhold.
//
// If estimates are never negative, a reader can also exclude each t that makes a cell negative. So a block is preferred
// that leaves room for at least one step of the estimates.

// complement finds and withholds the further cells of one set of tables that agree.
type complement struct {
	lattice query.Lattice
	tables  []agreeingTable // by table of the lattice
	safe    []cellSet       // by table, the cells of withheld blocks, which cannot be computed
	added   []int           // by table, the number of cells that were added to hidden
	tries   int             // the number of searches for room that are left
}

// agreeingTable is one of the tables that agree, with the cells of it that are withheld.
type agreeingTable struct {
	query.Answer
	hidden cellSet
}

const (
	maxGroups  = 64      // the largest number of groups that are tried as the second group, or inside a group
	freeBlocks = 8       // the best block is taken of this many blocks that need no further cells
	beamWidth  = 8       // if each block needs further cells, this many blocks are completed at a time
	roomCost   = 20      // the cost of a block without room, about that of two further cells with 1,000 rows
	roomTries  = 1 << 14 // the largest number of searches for room, which take long
)

// addPublic adds a table whose cells are public, such as known totals. None of them can be withheld.
func (c *complement) addPublic(levels []int) {
	cells := 1
	for d, l := range levels {
		cells *= c.groups(d, l)
	}
	zero := func(_ int, dst []float64) { clear(dst) }
	c.lattice.Tables = append(slices.Clip(c.lattice.Tables), levels)
	c.tables = append(c.tables, agreeingTable{query.Answer{Cells: cells, Estimate: zero, Sigma: zero}, newCellSet(cells)})
}

// whole reports whether the tables have all their cells. In a rehearsal they have only the first ones.
func (c *complement) whole() bool {
	for k, levels := range c.lattice.Tables {
		cells := 1
		for d, l := range levels {
			cells *= c.groups(d, l)
		}
		if c.tables[k].Cells != cells {
			return false
		}
	}
	return true
}

// withhold adds cells to the hidden ones until no cell that is hidden now can be computed, or until the context ends.
func (c *complement) withhold(ctx context.Context) {
	c.added, c.safe = make([]int, len(c.tables)), make([]cellSet, len(c.tables))
	if c.tries = roomTries; !c.whole() {
		return
	}
	for k := range c.tables {
		c.safe[k] = newCellSet(c.tables[k].Cells)
	}
	order := make([]int, len(c.tables))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c.tables[a].Cells, c.tables[b].Cells) })
	for _, k := range order {
		first := slices.Clone(c.tables[k].hidden) // cells that protect adds to hidden need no block
		for cell := range c.tables[k].Cells {
			if cell%(1<<12) == 0 && ctx.Err() != nil {
				return
			}
			if first.has(cell) && !c.safe[k].has(cell) {
				c.protect(k, cell)
			}
		}
	}
}

// protect withholds a block that contains a cell of table k. It does nothing if each block has a cell without noise,
// which is public.
func (c *complement) protect(k, cell int) {
	b, ok := c.start(k, cell).complete()
	if !ok {
		return
	}
	b.corners(func(table, cell int, _ bool) {
		c.safe[table].add(cell)
		if !c.tables[table].hidden.has(cell) {
			c.tables[table].hidden.add(cell)
			c.added[table]++
		}
	})
}

// block is a block whose groups are chosen one after the other.
type block struct {
	in       *complement
	split    []int        // by dimension, the level of the group of both groups; -1 if the dimension is not divided
	divided  []int        // the dimensions that are divided
	affected []int        // the tables in which cells change
	choices  []choice     // the choices that are not made yet, in order
	path     [2][][]int32 // by group, dimension and level, the chosen group of the level; -1 if none is chosen yet
	added    int          // the number of cells that are not hidden yet
	cost     float64      // the cost of these cells
	room     float64      // the largest t at which no estimate becomes negative
}

// choice is the choice of a group in dimension d at a level. side is 0 for the first group of the dimension, 1 for the
// second.
type choice struct{ side, d, level int }

// start returns a block for a cell of table k. Only the first groups, which contain the cell, are chosen yet.
func (c *complement) start(k, cell int) block {
	levels := c.lattice.Tables[k]
	b := block{in: c, split: make([]int, len(levels))}
	for side := range b.path {
		b.path[side] = make([][]int32, len(levels))
	}
	for d := len(levels) - 1; d >= 0; d-- {
		for side := range b.path {
			b.path[side][d] = slices.Repeat([]int32{-1}, len(c.lattice.First[d])+1)
			b.path[side][d][0] = 0
		}
		n := c.groups(d, levels[d])
		own := int32(cell % n)
		cell /= n
		b.split[d] = -1
		for l := levels[d]; l > 0; l-- {
			b.path[0][d][l] = own
			first := c.lattice.First[d][l-1]
			at, found := slices.BinarySearch(first, own)
			if !found {
				at--
			}
			if own = int32(at); b.split[d] < 0 && first[at+1]-first[at] > 1 {
				b.split[d] = l - 1
			}
		}
		if b.split[d] >= 0 {
			copy(b.path[1][d][1:], b.path[0][d][1:b.split[d]+1])
		}
	}
	b.affected = c.changed(b.split)
	for d, l := range b.split { // do not divide a dimension if that protects no table: it only makes the block larger
		if b.split[d] = -1; len(c.changed(b.split)) > len(b.affected) {
			b.split[d] = l
			b.divided = append(b.divided, d)
		}
	}
	deepest := slices.Clone(levels)
	for _, t := range b.affected {
		for d, l := range c.lattice.Tables[t] {
			deepest[d] = max(deepest[d], l)
		}
	}
	for _, d := range b.divided {
		for l := b.split[d] + 1; l <= levels[d]; l++ {
			b.choices = append(b.choices, choice{1, d, l})
		}
	}
	for d := range levels {
		for l := levels[d] + 1; l <= deepest[d]; l++ {
			b.choices = append(b.choices, choice{0, d, l})
			if b.split[d] >= 0 {
				b.choices = append(b.choices, choice{1, d, l})
			}
		}
	}
	return b
}

// changed returns the tables in which cells change if each dimension d is divided below level split[d] (-1: not
// divided). A table changes if it has a level below split[d] in each divided dimension.
func (c *complement) changed(split []int) (out []int) {
	for t, levels := range c.lattice.Tables {
		below := true
		for d, l := range levels {
			below = below && l > split[d]
		}
		if below {
			out = append(out, t)
		}
	}
	return out
}

// groups returns the number of groups of a level of dimension d.
func (c *complement) groups(d, level int) int {
	if level == 0 {
		return 1
	}
	first := c.lattice.First[d][level-1]
	return int(first[len(first)-1])
}

// corners calls f with each cell of the block whose groups are chosen: its table, its number, and whether t is
// subtracted from it.
func (b *block) corners(f func(table, cell int, minus bool)) {
	for _, t := range b.affected {
		levels := b.in.lattice.Tables[t]
	corner:
		for sides := range 1 << len(b.divided) {
			cell, minus, i := 0, false, 0
			for d, l := range levels {
				side := 0
				if b.split[d] >= 0 {
					side = sides >> i & 1
					i++
				}
				at := b.path[side][d][l]
				if at < 0 {
					continue corner
				}
				minus = minus != (side == 1)
				cell = cell*b.in.groups(d, l) + int(at)
			}
			f(t, cell, minus)
		}
	}
}

// measure computes the cost and the room of the cells whose groups are chosen.
func (b *block) measure() {
	b.cost, b.added = 0, 0
	least := [2]float64{math.Inf(1), math.Inf(1)}
	var x [1]float64
	b.corners(func(table, cell int, minus bool) {
		t := &b.in.tables[table]
		t.Estimate(cell, x[:])
		size := max(x[0], 0)
		sign := 0
		if minus {
			sign = 1
		}
		least[sign] = min(least[sign], size)
		if t.hidden.has(cell) {
			return
		}
		b.added++
		b.cost += math.Log2(2 + size)
		if t.Sigma(cell, x[:]); x[0] == 0 {
			b.cost = math.Inf(1)
		}
	})
	if b.room = max(least[0], least[1]); b.room < b.in.lattice.Step {
		b.cost += roomCost
	}
}

// candidates yields the groups that the next choice can take. It yields only some, those nearest to the first group.
func (b *block) candidates(yield func(int32) bool) {
	c := b.choices[0]
	inside := b.path[c.side][c.d][c.level-1]
	first := b.in.lattice.First[c.d][c.level-1]
	from, to := first[inside], first[inside+1]
	n := to - from
	start := int32(0)
	other := int32(-1) // the first group, which must not be the second group, too
	if c.side == 1 && c.level == b.split[c.d]+1 {
		other = b.path[0][c.d][c.level]
		start = other - from + 1
	}
	for i := range min(n, maxGroups) {
		if g := from + (start+i)%n; g != other && !yield(g) {
			return
		}
	}
}

// with returns the block with the next choice made.
func (b *block) with(group int32) block {
	out := *b
	c := out.choices[0]
	out.choices = out.choices[1:]
	out.path[c.side] = slices.Clone(out.path[c.side])
	out.path[c.side][c.d] = slices.Clone(out.path[c.side][c.d])
	out.path[c.side][c.d][c.level] = group
	out.measure()
	return out
}

// better orders blocks: by cost, and then by room.
func better(a, b block) int {
	return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(b.room, a.room))
}

// complete makes all choices. ok is false if each block that was tried has a public cell.
func (b block) complete() (out block, ok bool) {
	b.measure()
	free, ok := b.free()
	if ok && (free.cost == 0 || b.in.tries == 0) {
		return free, true
	}
	if ok {
		b.in.tries--
	}
	beam := []block{b}
	for len(beam[0].choices) > 0 {
		var next []block
		for i := range beam {
			for g := range beam[i].candidates {
				next = append(next, beam[i].with(g))
			}
		}
		slices.SortStableFunc(next, better)
		beam = next[:min(len(next), beamWidth)]
	}
	return beam[0], !math.IsInf(beam[0].cost, 1)
}

// free completes a block without adding cells: all of its cells are hidden already. It prefers a block with room. ok is
// false if it finds none.
func (b block) free() (out block, ok bool) {
	for b.added == 0 && len(b.choices) > 0 {
		var best block
		found := 0
		for g := range b.candidates {
			if next := b.with(g); next.added == 0 {
				if found++; found == 1 || next.room > best.room {
					best = next
				}
				if found == freeBlocks {
					break
				}
			}
		}
		if found == 0 {
			return b, false
		}
		b = best
	}
	return b, b.added == 0
}
