package pipeline

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/queries/query"
)

// drawnComplement draws tables that agree: up to three dimensions, of which the first may have levels, and up to four
// tables. Each cell has an estimate from 0 to 40 and is withheld if it is below limit.
func drawnComplement(r *rand.Rand, limit float64) *complement {
	c := &complement{}
	c.lattice.Step = float64(r.Intn(2))
	dims := 1 + r.Intn(3)
	var leaves []int
	for d := range dims {
		sizes := []int{1 + r.Intn(4)}
		first := [][]int32{{0, int32(sizes[0])}}
		for d == 0 && len(sizes) < 3 && r.Intn(2) == 0 {
			next := []int32{0}
			for range sizes[len(sizes)-1] {
				next = append(next, next[len(next)-1]+int32(1+r.Intn(3)))
			}
			first, sizes = append(first, next), append(sizes, int(next[len(next)-1]))
		}
		c.lattice.First, leaves = append(c.lattice.First, first), append(leaves, sizes[len(sizes)-1])
	}
	joint := make([]float64, product(leaves))
	for i := range joint {
		if r.Intn(3) > 0 {
			joint[i] = float64(r.Intn(20))
		}
	}
	for range 1 + r.Intn(4) {
		levels := make([]int, dims)
		for d := range levels {
			levels[d] = r.Intn(len(c.lattice.First[d]) + 1)
		}
		if slices.ContainsFunc(c.lattice.Tables, func(t []int) bool { return slices.Equal(t, levels) }) {
			continue
		}
		c.lattice.Tables = append(c.lattice.Tables, levels)
		cells := 1
		for d, l := range levels {
			cells *= c.groups(d, l)
		}
		values := make([]float64, cells)
		for i, x := range joint {
			values[c.cellOf(levels, leaves, i)] += x
		}
		t := agreeingTable{query.Answer{Cells: cells, Estimate: query.HeldSeries(values),
			Sigma: query.HeldSeries(slices.Repeat([]float64{1}, cells))}, newCellSet(cells)}
		for i, x := range values {
			if x < limit {
				t.hidden.add(i)
			}
		}
		c.tables = append(c.tables, t)
	}
	return c
}

// drawPublic adds a public table of random levels, unless a drawn table has these levels.
func (c *complement) drawPublic(r *rand.Rand) {
	levels := make([]int, len(c.lattice.First))
	for d := range levels {
		levels[d] = r.Intn(len(c.lattice.First[d]) + 1)
	}
	if !slices.ContainsFunc(c.lattice.Tables, func(t []int) bool { return slices.Equal(t, levels) }) {
		c.addPublic(levels)
	}
}

func product(sizes []int) int {
	n := 1
	for _, s := range sizes {
		n *= s
	}
	return n
}

// cellOf maps a cell of the table by all dimensions to the cell of a coarser table that contains it. leaves holds the
// sizes of the dimensions, levels the level of each in the coarser table.
func (c *complement) cellOf(levels, leaves []int, cell int) int {
	out, stride := 0, 1
	for d := len(leaves) - 1; d >= 0; d-- {
		g := cell % leaves[d]
		cell /= leaves[d]
		for l := len(c.lattice.First[d]); l > levels[d]; l-- {
			first := c.lattice.First[d][l-1]
			g = slices.IndexFunc(first, func(f int32) bool { return int(f) > g }) - 1
		}
		out += stride * g
		stride *= c.groups(d, levels[d])
	}
	return out
}

// A reader who knows the published cells and a public table cannot compute a cell that the rule withholds, unless the
// public table alone tells it: the cell is no linear combination of these. This is checked by elimination modulo a
// prime, in which a combination of integers that exists would be found.
func TestWithheldCellsCannotBeComputed(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	further, withheld := 0, 0
	for round := range 3000 {
		c := drawnComplement(r, float64(5+r.Intn(30)))
		published := len(c.tables)
		if r.Intn(2) == 0 {
			c.drawPublic(r)
		}
		var before []cellSet
		for k := range c.tables {
			before = append(before, slices.Clone(c.tables[k].hidden))
		}
		c.withhold(t.Context())
		var leaves []int
		for d := range c.lattice.First {
			leaves = append(leaves, c.groups(d, len(c.lattice.First[d])))
		}
		row := func(k, cell int) []int64 {
			out := make([]int64, product(leaves))
			for i := range out {
				if c.cellOf(c.lattice.Tables[k], leaves, i) == cell {
					out[i] = 1
				}
			}
			return out
		}
		var space, public span
		for k, table := range c.tables {
			added := 0
			for cell := range table.Cells {
				if !table.hidden.has(cell) {
					space.add(row(k, cell))
					if k >= published {
						public.add(row(k, cell))
					}
				} else if !before[k].has(cell) {
					added++
				}
			}
			if added != c.added[k] {
				t.Fatalf("round %d: %d cells were added to table %d, and %d are said to be", round, added, k, c.added[k])
			}
			further += added
		}
		for k, table := range c.tables {
			for cell := range table.Cells {
				if !before[k].has(cell) {
					continue
				}
				if withheld++; !table.hidden.has(cell) {
					t.Fatalf("round %d: cell %d of table %d is shown", round, cell, k)
				}
				if space.contains(row(k, cell)) && !public.contains(row(k, cell)) {
					t.Fatalf("round %d: cell %d of table %d follows from published cells; levels %v, tables %v", round, cell, k,
						c.lattice.First, c.lattice.Tables)
				}
			}
		}
	}
	t.Logf("%d cells withheld, %d further ones", withheld, further)
}

// span is a space of vectors modulo a prime, as rows in echelon form.
type span struct{ rows [][]int64 }

const prime = 1<<31 - 1

func inverse(x int64) int64 {
	out, power := int64(1), x
	for e := int64(prime - 2); e > 0; e >>= 1 {
		if e&1 == 1 {
			out = out * power % prime
		}
		power = power * power % prime
	}
	return out
}

// reduce subtracts rows of the space from a vector until its first item is one that no row begins with.
func (s *span) reduce(v []int64) []int64 {
	for _, row := range s.rows {
		at := slices.IndexFunc(row, func(x int64) bool { return x != 0 })
		if f := v[at]; f != 0 {
			for i := range v {
				v[i] = (v[i] + (prime-f)*row[i]) % prime
			}
		}
	}
	return v
}

func (s *span) contains(v []int64) bool {
	return !slices.ContainsFunc(s.reduce(v), func(x int64) bool { return x != 0 })
}

func (s *span) add(v []int64) {
	v = s.reduce(v)
	at := slices.IndexFunc(v, func(x int64) bool { return x != 0 })
	if at < 0 {
		return
	}
	f := inverse(v[at])
	for i := range v {
		v[i] = v[i] * f % prime
	}
	s.rows = append(s.rows, v)
	slices.SortFunc(s.rows, func(a, b []int64) int {
		lead := func(v []int64) int { return slices.IndexFunc(v, func(x int64) bool { return x != 0 }) }
		return lead(a) - lead(b)
	})
}

// Cells without noise are public and stay: another cell is withheld, or none.
func TestPublicCellsStay(t *testing.T) {
	for _, c := range []struct {
		sigma []float64
		want  string
	}{{[]float64{1, 1, 1}, "[3]"}, {[]float64{1, 0, 1}, "[5]"}, {[]float64{1, 0, 0}, "[1]"}} {
		table := query.Answer{Cells: 3, Estimate: query.HeldSeries([]float64{1, 4, 9}), Sigma: query.HeldSeries(c.sigma)}
		total := query.Answer{Cells: 1, Estimate: query.HeldSeries([]float64{14}), Sigma: query.HeldSeries([]float64{1})}
		co := &complement{lattice: query.Lattice{First: [][][]int32{{{0, 3}}}, Tables: [][]int{{1}, {0}}},
			tables: []agreeingTable{{table, newCellSet(3)}, {total, newCellSet(1)}}}
		co.tables[0].hidden.add(0)
		co.withhold(t.Context())
		if got := fmt.Sprint([]uint64(co.tables[0].hidden)); got != c.want {
			t.Errorf("%v: the bits of the withheld cells are %s, want %s", c.sigma, got, c.want)
		}
	}
}

// Without a published sum of its cells a table loses no further cell.
func TestTableWithoutMarginsLosesNoFurtherCell(t *testing.T) {
	table := query.Answer{Cells: 6, Estimate: query.HeldSeries([]float64{1, 4, 9, 3, 2, 5}),
		Sigma: query.HeldSeries([]float64{1, 1, 1, 1, 1, 1})}
	for margin, want := range map[string]int{"": 0, "rows": 1, "columns": 1} {
		c := &complement{lattice: query.Lattice{First: [][][]int32{{{0, 2}}, {{0, 3}}}, Tables: [][]int{{1, 1}}},
			tables: []agreeingTable{{table, newCellSet(6)}}}
		c.tables[0].hidden.add(0)
		switch margin {
		case "rows":
			c.lattice.Tables = append(c.lattice.Tables, []int{1, 0})
			c.tables = append(c.tables, agreeingTable{query.Answer{Cells: 2, Estimate: table.Estimate, Sigma: table.Sigma}, newCellSet(2)})
		case "columns":
			c.lattice.Tables = append(c.lattice.Tables, []int{0, 1})
			c.tables = append(c.tables, agreeingTable{query.Answer{Cells: 3, Estimate: table.Estimate, Sigma: table.Sigma}, newCellSet(3)})
		}
		if c.withhold(t.Context()); c.added[0] != want {
			t.Errorf("beside %q: %d further cells, want %d", margin, c.added[0], want)
		}
	}
}

// BenchmarkComplement chooses the cells to withhold of 6 levels with 10^6 groups in the last one, by 8 cells each. Most
// cells of the last two levels have less than ten rows.
func BenchmarkComplement(b *testing.B) {
	const last, others = 1_000_000, 8
	first, sizes := [][]int32{{0, 10}}, []int{10}
	for sizes[len(sizes)-1] < last {
		next := make([]int32, 0, sizes[len(sizes)-1]+1)
		for g := range sizes[len(sizes)-1] + 1 {
			next = append(next, int32(10*g))
		}
		first, sizes = append(first, next), append(sizes, 10*sizes[len(sizes)-1])
	}
	r := rand.New(rand.NewSource(1))
	values := make([]float64, last*others)
	for range 10_000_000 {
		values[r.Intn(last)*others+r.Intn(others)]++
	}
	for b.Loop() {
		c := &complement{lattice: query.Lattice{First: [][][]int32{first, {{0, others}}}, Step: 1}}
		level, groups := values, last
		for l := len(sizes); l > 0; l-- {
			of := level
			t := agreeingTable{query.Answer{Cells: len(of), Estimate: query.HeldSeries(of),
				Sigma: func(_ int, dst []float64) { dst[0] = 1 }}, newCellSet(len(of))}
			for i, x := range of {
				if x < 10 {
					t.hidden.add(i)
				}
			}
			c.lattice.Tables, c.tables = append(c.lattice.Tables, []int{l, 1}), append(c.tables, t)
			groups /= 10
			level = make([]float64, groups*others)
			for i, x := range of {
				level[i/others/10*others+i%others] += x
			}
		}
		c.withhold(b.Context())
		b.ReportMetric(float64(c.added[0]), "further/op")
	}
}
