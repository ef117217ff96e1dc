package strategy

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomTree returns the groups of a random tree of some levels, with one to four children a node.
func randomTree(r *rand.Rand, levels int) [][]int32 {
	sizes := [][]int{{1 + r.IntN(3)}} // numbers of children, by level
	for len(sizes) < levels {
		var next []int
		for _, n := range sizes[len(sizes)-1] {
			for range n {
				next = append(next, 1+r.IntN(4))
			}
		}
		sizes = append(sizes, next)
	}
	of := make([]int32, 0)
	for i := range len(sizes[levels-1]) {
		for range sizes[levels-1][i] {
			of = append(of, int32(i))
		}
	}
	leaf := make([]int32, len(of))
	for i := range leaf {
		leaf[i] = int32(i)
	}
	groups := [][]int32{leaf, of}
	for l := levels - 1; len(groups) < levels; l-- {
		var parent []int32
		for i, n := range sizes[l-1] {
			parent = append(parent, slices.Repeat([]int32{int32(i)}, n)...)
		}
		next := make([]int32, len(leaf))
		for i, g := range groups[len(groups)-1] {
			next[i] = parent[g]
		}
		groups = append(groups, next)
	}
	slices.Reverse(groups)
	return groups
}

// solveDense solves a·x = b by elimination with pivots, for all columns of b.
func solveDense(a, b [][]float64) [][]float64 {
	n := len(a)
	for i := range n {
		pivot := i
		for j := i; j < n; j++ {
			if math.Abs(a[j][i]) > math.Abs(a[pivot][i]) {
				pivot = j
			}
		}
		a[i], a[pivot], b[i], b[pivot] = a[pivot], a[i], b[pivot], b[i]
		for j := range n {
			if j == i {
				continue
			}
			f := a[j][i] / a[i][i]
			for k := range n {
				a[j][k] -= f * a[i][k]
			}
			for k := range b[j] {
				b[j][k] -= f * b[i][k]
			}
		}
	}
	for i := range n {
		for k := range b[i] {
			b[i][k] /= a[i][i]
		}
	}
	return b
}

// The two passes give the estimates and variances of weighted least squares over all leaf cells, which the test solves
// as a dense system with Lagrange multipliers for public totals.
func TestNestedIsWeightedLeastSquares(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for trial := range 60 {
		levels, cells := 2+r.IntN(3), 1+r.IntN(3)
		groups := randomTree(r, levels)
		known := make([]bool, levels)
		if trial%2 == 1 {
			known[r.IntN(levels)] = true
			if trial%4 == 3 {
				known[r.IntN(levels)] = true
			}
		}
		n, err := NewNested(groups, cells, known)
		if err != nil {
			t.Fatal(err)
		}
		leaves := len(groups[0])
		size := leaves * cells
		variances, y := make([]float64, levels), make([][]float64, levels)
		for l := range y {
			variances[l] = math.Exp(r.NormFloat64())
			y[l] = make([]float64, n.Size(l)*cells)
			for i := range y[l] {
				y[l][i] = 10 * r.NormFloat64()
			}
		}
		truth := make([]int64, size)
		for i := range truth {
			truth[i] = int64(r.IntN(20))
		}
		totals := make([][]float64, levels)
		for l, of := range n.Measure(truth) {
			totals[l] = make([]float64, n.Size(l))
			for i, x := range of {
				totals[l][i/cells] += float64(x)
			}
		}
		// The conditions: one for each known node, unless the conditions of known nodes below imply it.
		var conditions [][]float64
		var values []float64
		for l := levels - 1; l >= 0; l-- {
			if !known[l] || slices.Contains(known[l+1:], true) {
				continue
			}
			for i := range n.Size(l) {
				row := make([]float64, size)
				for leaf, g := range groups[l] {
					for c := range cells {
						if int(g) == i {
							row[leaf*cells+c] = 1
						}
					}
				}
				conditions, values = append(conditions, row), append(values, totals[l][i])
			}
		}
		whole := size + len(conditions)
		a, b := make([][]float64, whole), make([][]float64, whole)
		for i := range a {
			a[i], b[i] = make([]float64, whole), make([]float64, 1+size)
		}
		for l := range levels {
			for i := range leaves {
				for j := range leaves {
					if groups[l][i] == groups[l][j] {
						for c := range cells {
							a[i*cells+c][j*cells+c] += 1 / variances[l]
						}
					}
				}
				for c := range cells {
					b[i*cells+c][0] += y[l][int(groups[l][i])*cells+c] / variances[l]
				}
			}
		}
		for i := range size {
			b[i][1+i] = 1
		}
		for k, row := range conditions {
			b[size+k][0] = values[k]
			for i, x := range row {
				a[size+k][i], a[i][size+k] = x, x
			}
		}
		x := solveDense(a, b)
		noisy := make([][]float64, levels)
		for l := range y {
			noisy[l] = slices.Clone(y[l])
		}
		n.Estimate(y, variances, totals)
		stated := n.Variances(variances)
		for l, e := range n.Errors(variances) {
			if want := errorsOf(stated)[l]; math.Abs(e.Mean-want.Mean) > 1e-9 || math.Abs(e.Largest-want.Largest) > 1e-9 {
				t.Fatalf("trial %d, level %d: errors %v, want %v", trial, l, e, want)
			}
		}
		for l := range levels {
			for i := range n.Size(l) {
				for c := range cells {
					want, variance := 0.0, 0.0
					for leaf, g := range groups[l] {
						if int(g) != i {
							continue
						}
						want += x[leaf*cells+c][0]
						for other, h := range groups[l] {
							if int(h) == i {
								variance += x[leaf*cells+c][1+other*cells+c]
							}
						}
					}
					if got := y[l][i*cells+c]; math.Abs(got-want) > 1e-8 {
						t.Fatalf("trial %d, level %d, node %d: %g, want %g", trial, l, i, got, want)
					}
					if got := stated[l][i]; math.Abs(got-variance) > 1e-8 {
						t.Fatalf("trial %d, level %d, node %d: variance %g, want %g", trial, l, i, got, variance)
					}
				}
			}
			// A sum of cells: its value and its variance follow from the coefficients.
			weights := make([]float64, n.Size(l)*cells)
			for i := range weights {
				weights[i] = r.NormFloat64()
			}
			zero := make([][]float64, levels)
			for k := range zero {
				zero[k] = make([]float64, n.Size(k))
			}
			without := make([][]float64, levels)
			for k := range without {
				without[k] = slices.Clone(noisy[k])
			}
			n.Estimate(without, variances, zero)
			want, got := 0.0, 0.0
			for i, w := range weights {
				want += w * without[l][i]
			}
			for k, of := range n.Coefficients(l, weights, variances) {
				for i, w := range of {
					got += w * noisy[k][i]
				}
			}
			if math.Abs(got-want) > 1e-8 {
				t.Fatalf("trial %d, level %d: the coefficients give %g, want %g", trial, l, got, want)
			}
		}
	}
}

// Children add up to their parents, and public totals are kept.
func TestNestedEstimatesAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		levels, cells := 2+r.IntN(4), 1+r.IntN(4)
		n, err := NewNested(randomTree(r, levels), cells, make([]bool, levels))
		if err != nil {
			t.Fatal(err)
		}
		y, variances := make([][]float64, levels), make([]float64, levels)
		for l := range y {
			variances[l] = 0.1 + r.Float64()
			y[l] = make([]float64, n.Size(l)*cells)
			for i := range y[l] {
				y[l][i] = 100 * r.NormFloat64()
			}
		}
		n.Estimate(y, variances, nil)
		for l := range levels - 1 {
			for i := range n.Size(l) {
				from, to := n.Children(l, i)
				for c := range cells {
					sum := 0.0
					for k := from; k < to; k++ {
						sum += y[l+1][k*cells+c]
					}
					if math.Abs(sum-y[l][i*cells+c]) > 1e-9 {
						t.Fatalf("children have %g, their parent %g", sum, y[l][i*cells+c])
					}
				}
			}
		}
	}
}

// levelsOf returns the groups of levels whose node i has children(level, i) children, from the leaves up.
func levelsOf(sizes int, leaves int, children func(level, node int) int) [][]int32 {
	groups := make([][]int32, sizes)
	own := make([]int32, leaves)
	for i := range own {
		own[i] = int32(i)
	}
	for l := sizes - 1; l >= 0; l-- {
		groups[l] = own
		above, parent := make([]int32, 0, int(own[leaves-1])+1), 0
		for len(above) <= int(own[leaves-1]) {
			above = append(above, slices.Repeat([]int32{int32(parent)}, children(l-1, parent))...)
			parent++
		}
		next := make([]int32, leaves)
		for i, g := range own {
			next[i] = above[g]
		}
		own = next
	}
	return groups
}

// A tree has few groups if its nodes have few shapes, whatever its size. If a tree has very many groups, the search
// takes fewer rounds, so that its work is bounded.
func TestNestedWorkIsBounded(t *testing.T) {
	const levels, leaves = 4, 1 << 18
	r := rand.New(rand.NewPCG(7, 8))
	for name, c := range map[string]struct {
		children func(level, node int) int
		most     int
	}{
		"equal nodes":   {func(int, int) int { return 8 }, 10},
		"two numbers":   {func(_, i int) int { return 8 + i%2 }, 100},
		"random shapes": {func(int, int) int { return 1 + r.IntN(16) }, leaves},
	} {
		n, err := NewNested(levelsOf(levels, leaves, c.children), 2, make([]bool, levels))
		if err != nil {
			t.Fatal(err)
		}
		size, nodes := n.alike().size(), 0.0
		if size > c.most {
			t.Errorf("%s: %d groups", name, size)
		}
		for l, of := range n.alike().groups {
			nodes = 0
			for _, g := range of {
				nodes += g.nodes
			}
			if int(nodes) != n.Size(l) {
				t.Errorf("%s: %g nodes in the groups of level %d, want %d", name, nodes, l, n.Size(l))
			}
		}
		if work := n.rounds() * size * (2*levels + 1); n.rounds() < 1 || work > nestedWork {
			t.Errorf("%s: %d rounds over %d groups", name, n.rounds(), size)
		}
	}
}

func TestNestedRefusesLevelsThatCross(t *testing.T) {
	_, err := NewNested([][]int32{{0, 0, 1, 1}, {0, 1, 1, 2}, {0, 1, 2, 3}}, 1, make([]bool, 3))
	if err == nil {
		t.Fatal("levels that cross are taken")
	}
}

// BenchmarkNestedLarge has 5 levels, the most leaves, random numbers of children and public totals.
func BenchmarkNestedLarge(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 10))
	groups := levelsOf(5, 1<<24, func(level, _ int) int { return 1 + r.IntN(4) })
	for b.Loop() {
		n, err := NewNested(groups, 1, []bool{true, false, false, false, false})
		if err != nil {
			b.Fatal(err)
		}
		n.Solve(LossTables)
		b.ReportMetric(float64(n.rounds()), "rounds")
		b.ReportMetric(float64(n.alike().size()), "groups")
	}
}

// BenchmarkNested has 6 levels, 10^6 leaves and 8 cells a node.
func BenchmarkNested(b *testing.B) {
	groups := make([][]int32, 6)
	divisor := 100_000
	for l := range groups {
		groups[l] = make([]int32, 1_000_000)
		for i := range groups[l] {
			groups[l][i] = int32(i / divisor)
		}
		divisor /= 10
	}
	n, err := NewNested(groups, 8, make([]bool, 6))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("solve", func(b *testing.B) {
		for b.Loop() {
			n.Solve(LossTables)
		}
	})
	y := make([][]float64, 6)
	for l := range y {
		y[l] = make([]float64, n.Size(l)*8)
	}
	b.Run("estimate", func(b *testing.B) {
		for b.Loop() {
			n.Estimate(y, []float64{1, 1, 1, 1, 1, 1}, nil)
		}
	})
}
