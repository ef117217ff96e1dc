package graph

// degreesOfFreedom returns the degrees of freedom of an estimate x̂: the dimension of the space of signals x for which
// A·x is 0 in all rows in which A·x̂ is 0.
func (s *interior) degreesOfFreedom() float64 {
	if s.k == 1 {
		count := make([]float64, s.parts)
		for r := range s.sign {
			if s.sign[r] != 0 {
				count[s.label[r]]++
			}
		}
		var sum float64
		for _, c := range count {
			sum += max(c, 1)
		}
		return sum
	}
	sets := newSets(s.g.Nodes())
	groups := s.g.Nodes()
	for e := range s.sign {
		if s.sign[e] == 0 && sets.join(s.g.u[e], s.g.v[e]) {
			groups--
		}
	}
	return float64(groups)
}

// classify sets the sign of each row of A·x to −1, 0 or 1. At the solution, the multiplier or the slack of a row's
// bound is 0. So a row counts as not 0 if its multiplier, divided by scale, is larger than its slack, divided by λ.
func (s *interior) classify(scale float64) {
	for r := range s.sign {
		s.sign[r] = 0
		if s.upper.mu[r]/scale > s.upper.slack[r]/s.lambda {
			s.sign[r] = 1
		} else if s.lower.mu[r]/scale > s.lower.slack[r]/s.lambda {
			s.sign[r] = -1
		}
	}
}
