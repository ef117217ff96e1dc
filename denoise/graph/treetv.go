package graph

// treeTV solves total variation problems on forests. Its memory is reused from one problem to the next.
//
// The problem is to minimise Σ w_i·(x_i − y_i)²/2 + Σ λ_e·|x_u − x_v|. The derivative of the least cost of the subtree
// of v, as a function of x_v, is g_v(t) = w_v·(t − y_v) + Σ over children c of clip(g_c(t), −λ_c, λ_c). It is piecewise
// linear and increasing. Its breakpoints are in two heaps, one with the lowest and one with the highest at the root.
// Clipping removes breakpoints at both ends and adds one at each. With low_v and high_v the points at which g_v is −λ_v
// and λ_v, the optimum is x_root = the zero of g_root and x_v = clip(x_parent, low_v, high_v). It takes O(n log n).
//
// Source: Kolmogorov, Pock & Rolinek, "Total variation on a tree", SIAM Journal on Imaging Sciences 9, 2016, section 3.
type treeTV struct {
	f *Forest
	// up holds the breakpoints by position, down by minus the position. Position p has breakpoints 2p+1 and 2p+2. A
	// heap may hold breakpoints that were removed from the other; their step is 0.
	up, down []heap
	step     []float64 // by how much the slope grows at a breakpoint
	message
	// x is the solution. group is the position of the highest node that is connected with the same value.
	x     []float64
	group []int32
}

// message is, for each position, the roots of its heaps, the sum of its children's λ, and then low and high.
type message struct {
	first, last      []int32
	bound, low, high []float64
}

// node is one term of the problem by position: the value, its weight and the λ of the edge above.
type node struct{ y, weight, lambda float64 }

func (s *treeTV) reset(f *Forest) {
	n := len(f.node)
	s.f = f
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

// solve fills x and group, and returns the number of groups, which is the solution's divergence. at returns the terms.
func (s *treeTV) solve(f *Forest, at func(p int) node) (groups int) {
	s.reset(f)
	for p := len(f.node) - 1; p >= 0; p-- {
		v := at(p)
		if f.parent[p] < 0 {
			v.lambda = 0
		}
		s.clip(p, v)
	}
	for p, parent := range f.parent {
		s.group[p] = int32(p)
		switch {
		case parent < 0 || s.x[parent] < s.low[p]:
			s.x[p] = s.low[p]
			groups++
		case s.x[parent] > s.high[p]:
			s.x[p] = s.high[p]
			groups++
		default:
			s.x[p], s.group[p] = s.x[parent], s.group[parent]
		}
	}
	return groups
}

// clip clips the derivative at position p to ±λ and adds it to the parent's.
func (s *treeTV) clip(p int, v node) {
	low, slopeLow := s.fromBelow(p, v)
	if v.lambda == 0 {
		s.low[p], s.high[p] = low, low
		return
	}
	high, slopeHigh := s.fromAbove(p, v)
	high = max(low, high)
	s.low[p], s.high[p] = low, high
	// low is before all other breakpoints and high is after them, so each is the root of a heap that holds the others.
	a, b := int32(2*p+1), int32(2*p+2)
	s.step[a], s.step[b] = slopeLow, -slopeHigh
	s.up[a], s.up[b] = heap{low, s.first[p], b}, heap{high, 0, 0}
	s.down[b], s.down[a] = heap{-high, s.last[p], a}, heap{-low, 0, 0}
	parent := s.f.parent[p]
	s.first[parent] = merge(s.up, s.first[parent], a)
	s.last[parent] = merge(s.down, s.last[parent], b)
	s.bound[parent] += v.lambda
}

// fromBelow removes the breakpoints at which the derivative is below −λ. It returns the point at which it is −λ, and
// its slope there.
func (s *treeTV) fromBelow(p int, v node) (at, slope float64) {
	slope = v.weight
	value := -float64(v.weight*v.y) - s.bound[p] + v.lambda // the line slope·t + value is the derivative plus λ
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

// fromAbove does the same from the other end, for +λ.
func (s *treeTV) fromAbove(p int, v node) (at, slope float64) {
	slope = v.weight
	value := -float64(v.weight*v.y) + s.bound[p] - v.lambda
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
