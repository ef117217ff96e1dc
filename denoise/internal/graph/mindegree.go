package graph

// MinimumDegree orders the columns of a matrix A so that the factor of I + A'WA is sparse, and returns the columns in
// this order. It repeatedly eliminates the column with the fewest neighbours. The columns of each row of A form a
// clique, and eliminating a column unites its cliques into one. Degrees are the upper bounds of Amestoy, Davis & Duff,
// "An approximate minimum degree ordering algorithm" (SIAM Journal on Matrix Analysis 17, 1996).
func MinimumDegree(a *Matrix) []int32 {
	s := newElimination(a)
	order := make([]int32, 0, a.Columns)
	for len(order) < a.Columns {
		p := s.findLeast()
		order = append(order, p)
		s.eliminate(p, a.Columns-len(order))
	}
	return order
}

type elimination struct {
	// members[e] holds the columns of clique e. It is nil after e was united with another clique. cliques[c] holds the
	// cliques of column c.
	members, cliques [][]int32
	buckets
	// outside[e] is the number of members of clique e that are not in the newest clique. It is valid if round[e] is the
	// current round.
	outside, round, mark []int32
	now                  int32
}

// buckets groups columns by degree. Columns of equal degree are a doubly linked list (next, before) that starts at
// head[degree]. -1 ends it.
type buckets struct {
	degree             []int
	head, next, before []int32
	low                int
}

func newElimination(a *Matrix) *elimination {
	n, m := a.Columns, a.Rows()
	s := &elimination{members: make([][]int32, m, m+n), cliques: make([][]int32, n)}
	s.degree = make([]int, n)
	s.head, s.next, s.before = make([]int32, n+1), make([]int32, n), make([]int32, n)
	s.outside, s.round, s.mark = make([]int32, m+n), make([]int32, m+n), make([]int32, n)
	for d := range s.head {
		s.head[d] = -1
	}
	for r := range m {
		col, _ := a.Row(r)
		s.members[r] = append([]int32(nil), col...)
		for _, c := range col {
			s.cliques[c] = append(s.cliques[c], int32(r))
		}
	}
	for c := range int32(n) {
		s.insert(c, len(s.union(c)))
	}
	return s
}

// union returns the neighbours of c: all columns that are in a clique with c.
func (s *elimination) union(c int32) (out []int32) {
	s.now++
	s.mark[c] = s.now
	for _, e := range s.cliques[c] {
		for _, i := range s.members[e] {
			if s.mark[i] != s.now {
				s.mark[i] = s.now
				out = append(out, i)
			}
		}
	}
	return out
}

func (s *buckets) insert(c int32, degree int) {
	s.degree[c] = degree
	s.before[c], s.next[c] = -1, s.head[degree]
	if s.next[c] >= 0 {
		s.before[s.next[c]] = c
	}
	s.head[degree] = c
	s.low = min(s.low, degree)
}

func (s *buckets) remove(c int32) {
	if s.before[c] >= 0 {
		s.next[s.before[c]] = s.next[c]
	} else {
		s.head[s.degree[c]] = s.next[c]
	}
	if s.next[c] >= 0 {
		s.before[s.next[c]] = s.before[c]
	}
}

func (s *buckets) findLeast() int32 {
	for s.head[s.low] < 0 {
		s.low++
	}
	return s.head[s.low]
}

// eliminate removes column p and unites its cliques into one. left is the number of columns that remain.
func (s *elimination) eliminate(p int32, left int) {
	s.remove(p)
	joined := s.union(p)
	for _, e := range s.cliques[p] {
		s.members[e] = nil
	}
	s.cliques[p] = nil
	clique := int32(len(s.members))
	s.members = append(s.members, joined)
	s.countOutside(joined)
	for _, i := range joined {
		kept, degree := s.cliques[i][:0], len(joined)-1
		for _, e := range s.cliques[i] {
			if s.members[e] == nil {
				continue
			}
			if s.outside[e] == 0 { // all members of clique e are in the new clique
				continue
			}
			kept = append(kept, e)
			degree += int(s.outside[e])
		}
		s.cliques[i] = append(kept, clique)
		s.remove(i)
		s.insert(i, min(degree, max(left-1, 0), s.degree[i]+len(joined)-1))
	}
}

// countOutside computes outside for the cliques that contain a column in joined, the newest clique.
func (s *elimination) countOutside(joined []int32) {
	for _, i := range joined {
		for _, e := range s.cliques[i] {
			if s.members[e] == nil {
				continue
			}
			if s.round[e] != s.now {
				s.round[e], s.outside[e] = s.now, int32(len(s.members[e]))
			}
			s.outside[e]--
		}
	}
}
