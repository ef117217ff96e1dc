package graph

import "math"

// tryConstant reports whether λ is so large that the solution is constant in each component, and returns the proven
// duality gap. It looks for a feasible dual v, |v_r| ≤ λ, for which y − A'v is constant in each component, by
// regularised least squares and corrections. The mean of y in each component must be 0.
//
// The interior point method would also find this solution, but with rounding errors proportional to λ.
func (s *interior) tryConstant(objective float64) (gap float64, ok bool) {
	weight := 1e8 / s.norm
	for r := range s.v {
		s.weight[r], s.v[r] = weight, 0
	}
	s.f.Compute(s.weight)
	copy(s.x, s.y)
	before := math.Inf(1)
	for range 40 {
		copy(s.u, s.x)
		s.f.Solve(s.u)
		s.a.Apply(s.u, s.part)
		largest := 0.0
		for r, d := range s.part {
			s.v[r] += float64(weight * d)
			largest = max(largest, math.Abs(s.v[r]))
		}
		if largest > s.lambda {
			return 0, false
		}
		if gap = s.computeResidual(); gap <= wantedProducts*objective {
			return gap, true
		}
		if gap > 0.9*before {
			break
		}
		before = gap
	}
	return gap, false
}

// computeResidual sets x to y − A'v and returns half its sum of squares.
func (s *interior) computeResidual() (cost float64) {
	s.a.ApplyBack(s.v, s.x)
	for i, v := range s.x {
		s.x[i] = s.y[i] - v
		cost += float64(s.x[i]*s.x[i]) / 2
	}
	return cost
}
