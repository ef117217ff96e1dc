package graph

// This file solves total variation problems on forests exactly, in O(n log n). parent describes a forest: parent[p] < p
// is the position of the parent of position p, and −1 marks a root.

// Solver solves total variation problems on forests. Its memory is reused from one problem to the next.
//
// The problem is to minimise Σ w_i·(x_i − y_i)²/2 + Σ λ_e·|x_u − x_v|. Consider the least cost of the subtree of v, as
// a function of x_v. Its derivative is g_v(t) = w_v·(t − y_v) + Σ over children c of clip(g_c(t), −λ_c, λ_c), which is
// piecewise linear and increasing. Its breakpoints are in two heaps: one with the lowest at the root, one with the
// highest. Clipping removes breakpoints at both ends and adds one at each. Let low_v and high_v be the points at which
// g_v is −λ_v and λ_v. Then the optimum is x_root = the zero of g_root, and x_v = clip(x_parent, low_v, high_v). The
// time is O(n log n).
//
// Source: Kolmogorov, Pock & Rolinek, "Total variation on a tree", SIAM Journal on Imaging Sciences 9, 2016, section 3.
type Solver struct {
	parent []int32
	// up[i] and down[i] are breakpoint i in the two heaps: up has the lowest breakpoint at the root, and down the highest,
	// with negated keys. Position p adds breakpoints 2p+1 and 2p+2. Deletion is lazy: a heap can contain breakpoints that
	// were removed from the other heap; their step is 0.
	up, down []heap
	step     []float64 // step[b] is the increase of the slope at breakpoint b
	message
	// x[p] is the solution at position p. group[p] is the position nearest to the root among the connected positions that
	// have the same value as p.
	x     []float64
	group []int32
}

// message holds, for each position, the roots of its two heaps of breakpoints, the sum of its children's λ, and low and
// high.
type message struct {
	first, last      []int32
	bound, low, high []float64
}

// Term is the contribution of one position to the objective: its value y, the weight of its square, and the λ of the
// edge to its parent.
type Term struct{ Y, Weight, Lambda float64 }

func (s *Solver) reset(parent []int32) {
	n := len(parent)
	s.parent = parent
	if len(s.x) != n {
		s.up, s.down, s.step = make([]heap, 2*n+1), make([]heap, 2*n+1), make([]float64, 2*n+1)
		s.first, s.last, s.bound = make([]int32, n), make([]int32, n), make([]float64, n)
		s.low, s.high = make([]float64, n), make([]float64, n)
		s.x, s.group = make([]float64, n), make([]int32, n)
	}
	clear(s.first)
	clear(s.last)
	clear(s.bound)
}

// Solve computes x and group, and returns the number of groups, which is the solution's divergence. at returns the term
// of position p.
func (s *Solver) Solve(parent []int32, at func(p int) Term) (groups int) {
	s.reset(parent)
	for p := len(parent) - 1; p >= 0; p-- {
		v := at(p)
		if parent[p] < 0 {
			v.Lambda = 0
		}
		s.clip(p, v)
	}
	for p, above := range parent {
		s.group[p] = int32(p)
		switch {
		case above < 0 || s.x[above] < s.low[p]:
			s.x[p] = s.low[p]
			groups++
		case s.x[above] > s.high[p]:
			s.x[p] = s.high[p]
			groups++
		default:
			s.x[p], s.group[p] = s.x[above], s.group[above]
		}
	}
	return groups
}

// clip clips the derivative g_p to ±λ and adds it to the parent's derivative.
func (s *Solver) clip(p int, v Term) {
	low, slopeLow := s.trimBelow(p, v)
	if v.Lambda == 0 {
		s.low[p], s.high[p] = low, low
		return
	}
	high, slopeHigh := s.trimAbove(p, v)
	high = max(low, high)
	s.low[p], s.high[p] = low, high
	// low is below all other breakpoints and high is above them, so each becomes the root of a heap that contains the
	// others.
	a, b := int32(2*p+1), int32(2*p+2)
	s.step[a], s.step[b] = slopeLow, -slopeHigh
	s.up[a], s.up[b] = heap{low, s.first[p], b}, heap{high, 0, 0}
	s.down[b], s.down[a] = heap{-high, s.last[p], a}, heap{-low, 0, 0}
	parent := s.parent[p]
	s.first[parent] = merge(s.up, s.first[parent], a)
	s.last[parent] = merge(s.down, s.last[parent], b)
	s.bound[parent] += v.Lambda
}

// trimBelow removes the breakpoints at which g_p is below −λ. It returns the point at which g_p is −λ, and the slope
// there.
func (s *Solver) trimBelow(p int, v Term) (at, slope float64) {
	slope = v.Weight
	value := -float64(v.Weight*v.Y) - s.bound[p] + v.Lambda // the derivative plus λ is the line slope·t + value
	top := s.first[p]
	for top != 0 {
		t := s.up[top].key
		if float64(slope*t)+value >= 0 {
			break
		}
		slope += s.step[top]
		value -= float64(s.step[top] * t)
		s.step[top] = 0
		top = pop(s.up, top)
	}
	s.first[p] = top
	return -value / slope, slope
}

// trimAbove removes the breakpoints at which g_p is above λ. It returns the point at which g_p is λ, and the slope
// there.
func (s *Solver) trimAbove(p int, v Term) (at, slope float64) {
	slope = v.Weight
	value := -float64(v.Weight*v.Y) + s.bound[p] - v.Lambda
	top := s.last[p]
	for top != 0 {
		t := -s.down[top].key
		if float64(slope*t)+value <= 0 {
			break
		}
		slope -= s.step[top]
		value += float64(s.step[top] * t)
		s.step[top] = 0
		top = pop(s.down, top)
	}
	s.last[p] = top
	return -value / slope, slope
}

// Scatter copies the solution to x, which is indexed by node. node[p] is the node at position p.
func (s *Solver) Scatter(node []int32, x []float64) {
	for p, i := range node {
		x[i] = s.x[p]
	}
}

// Leverage sets out[i] of each node i to w_i divided by the sum of the weights in its group. If weight is nil, all
// weights are 1. Call it at most once after Solve, whose working memory it overwrites.
func (s *Solver) Leverage(node []int32, weight, out []float64) {
	w := func(i int32) float64 {
		if weight == nil {
			return 1
		}
		return weight[i]
	}
	clear(s.bound) // Solve no longer needs its contents
	for p, g := range s.group {
		s.bound[g] += w(node[p])
	}
	for p, g := range s.group {
		i := node[p]
		out[i] = w(i) / s.bound[g]
	}
}
