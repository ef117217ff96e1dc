package graph

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// pattern holds what all trend filter problems of one order k on one graph have in common. It has the matrix A, which
// is D'D or D·D'D (see TrendFilter), with its columns in the order of elimination; the pattern of its Cholesky factor;
// and the components of the graph.
type pattern struct {
	g      *Graph
	k      int
	order  []int32 // order[i] is the node that is eliminated at step i
	a      *Matrix
	factor *factor
	label  []int
	parts  int
	norm   float64 // the largest squared norm of a row of A
}

func newPattern(ctx context.Context, g *Graph, k int) (*pattern, error) {
	a := laplacian(g)
	if k == 2 {
		entries := 0 // the row of differences at a node has as many entries as the node has neighbours
		for e := range g.u {
			entries += g.degree(g.u[e]) + g.degree(g.v[e]) + 2
		}
		if entries > maxEntries {
			return nil, &DenseError{k, entries, maxEntries}
		}
		a = differences(g, a)
	}
	p := &pattern{g: g, k: k}
	pairs := 0
	for r := range a.Rows() {
		length := a.Start[r+1] - a.Start[r]
		p.norm = max(p.norm, a.SquaredNorm(r))
		if pairs += length * length; pairs > 4*maxEntries {
			return nil, &DenseError{k, pairs / 4, maxEntries}
		}
	}
	p.order = MinimumDegree(a)
	p.a = a.Permuted(p.order)
	p.label, p.parts = g.Components()
	var err error
	p.factor, err = newFactor(ctx, p.a)
	var large *sizeError
	if errors.As(err, &large) {
		return nil, &DenseError{k, large.Entries, maxEntries}
	}
	return p, err
}

// interior solves the dual problem of the trend filter, min ½‖y − A'v‖² over |v_r| ≤ λ, by Mehrotra's predictor and
// corrector steps. The estimate is x = y − A'v. The multipliers of the bounds on v are the positive and the negative
// part of z = A·x. Each step solves (AA' + J)·dv = r with a diagonal J. By Woodbury's identity it needs only a factor
// of I + A'J⁻¹A (Kim, Koh, Boyd & Gorinevsky, "ℓ1 trend filtering", SIAM Review 51, 2009).
type interior struct {
	*pattern
	f      *factor
	lambda float64
	y, x   []float64 // the values and the estimate, in the order of elimination
	v, z   []float64
	// upper and lower are the constraints v ≤ λ and −v ≤ λ.
	upper, lower bound
	newton
}

// newton is the linear system of one step: 1/J, the right-hand side, its residual, the solution dv, and working memory.
type newton struct {
	weight, goal, right, dv []float64
	part, u                 []float64
	sign                    []int8 // signs of the rows of A·x, set at the end
}

// bound holds one of the constraints v ≤ λ or −v ≤ λ for each row r: its slack (λ − v_r or λ + v_r), its multiplier mu,
// the step of mu, and the target of slack times multiplier. Slacks are stored, because computing λ − v again would lose
// their digits.
type bound struct{ slack, mu, step, target []float64 }

func newInterior(p *pattern) *interior {
	n, m := p.a.Columns, p.a.Rows()
	s := &interior{pattern: p, f: p.factor.Sharing()}
	s.sign = make([]int8, m)
	for _, x := range []*[]float64{&s.y, &s.x, &s.u} {
		*x = make([]float64, n)
	}
	for _, x := range []*[]float64{
		&s.v, &s.z, &s.weight, &s.goal, &s.right, &s.part, &s.dv,
		&s.upper.slack, &s.lower.slack, &s.upper.mu, &s.upper.step, &s.upper.target, &s.lower.mu, &s.lower.step,
		&s.lower.target,
	} {
		*x = make([]float64, m)
	}
	return s
}

// ConvergenceError means that the proven duality gap stayed above 1e-6 of the objective: λ is so large that rounding
// errors hide the solution.
type ConvergenceError struct{ Lambda, RelativeGap float64 }

func (e *ConvergenceError) Error() string {
	return fmt.Sprintf("the solver stopped at lambda = %v with a relative gap of %.1e", e.Lambda, e.RelativeGap)
}

const (
	// The solver stops when two numbers, divided by the objective, are small: the sum of multipliers times slacks is at
	// most wantedProducts, and the proven duality gap at most wantedGap. Rounding errors enlarge the gap, since v is as
	// large as λ. A gap above acceptedGap is an error.
	wantedProducts = 5e-13
	wantedGap      = 1e-8
	acceptedGap    = 1e-6
	maxSteps       = 100
	// refinements is how many times the solution of each step's linear system is refined. Without refinement, rounding
	// errors accumulate in v.
	refinements = 2
	// damping is relative to the rows' squared norm. It keeps v from moving in directions that hardly change x, in which
	// rounding errors would become larger than the slacks.
	damping = 1e-10
)

func (s *interior) fit(ctx context.Context, y []float64, lambda float64) (*Fit, error) {
	fit := &Fit{X: append([]float64(nil), y...), DF: float64(len(y)), Lambda: lambda}
	if lambda == 0 || len(s.v) == 0 {
		return fit, nil
	}
	clear(s.sign)
	centre := s.centres(y)
	scale := s.load(y, centre, lambda)
	gap, constant := 0.0, scale == 0 // scale is 0 also if there is nothing to penalise
	if !constant {
		gap, constant = s.tryConstant(s.squares() / 2)
	}
	if constant {
		clear(s.x)
	} else {
		var err error
		if gap, err = s.solve(ctx); err != nil {
			return nil, err
		}
		s.classify(scale)
	}
	for i, old := range s.order {
		fit.X[old] = s.x[i] + centre[s.label[old]]
	}
	fit.Gap, fit.DF = gap, s.degreesOfFreedom()
	return fit, nil
}

// solve makes steps until the products of multipliers and slacks are small, and returns the duality gap.
func (s *interior) solve(ctx context.Context) (gap float64, err error) {
	s.begin()
	gap, objective := s.measure()
	for before, steps := math.Inf(1), 0; steps < maxSteps; steps++ {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		wanted := wantedProducts * objective
		if s.products(0) <= wanted && (gap <= wantedGap*objective || gap >= before) {
			break
		}
		before = gap
		s.advance(wanted / float64(4*len(s.v)))
		gap, objective = s.measure()
	}
	if !(gap <= acceptedGap*objective) {
		return 0, &ConvergenceError{s.lambda, gap / objective}
	}
	return gap, nil
}

// centres returns the mean of y in each component. These means can be subtracted before solving, since A maps constants
// to 0, and this reduces rounding errors.
func (s *interior) centres(y []float64) []float64 {
	sum, count := make([]float64, s.parts), make([]float64, s.parts)
	for i, c := range s.label {
		sum[c] += y[i]
		count[c]++
	}
	for c := range sum {
		sum[c] /= count[c]
	}
	return sum
}

// load sets the problem and returns the largest |A·y|, or 0 if A·y consists only of rounding errors.
func (s *interior) load(y, centre []float64, lambda float64) (scale float64) {
	s.lambda = lambda
	largest := 0.0
	for i, old := range s.order {
		s.y[i] = y[old] - centre[s.label[old]]
		largest = max(largest, math.Abs(y[old]))
	}
	s.a.Apply(s.y, s.z)
	for _, z := range s.z {
		scale = max(scale, math.Abs(z))
	}
	if scale <= 1e-14*largest*math.Sqrt(s.norm) {
		return 0
	}
	return scale
}

func (s *interior) squares() (sum float64) {
	for _, v := range s.y {
		sum += float64(v * v)
	}
	return sum
}

// begin sets the starting point: v = 0, and multipliers max(±z, 0), all raised by the mean of |z| to make them
// positive.
func (s *interior) begin() {
	s.a.Apply(s.y, s.z)
	var sum float64
	for _, z := range s.z {
		sum += math.Abs(z)
	}
	shift := sum / float64(len(s.z))
	for r, z := range s.z {
		s.v[r], s.upper.slack[r], s.lower.slack[r] = 0, s.lambda, s.lambda
		s.upper.mu[r], s.lower.mu[r] = max(z, 0)+shift, max(-z, 0)+shift
	}
}

// measure computes x and z from v and returns the duality gap Σ(λ|z| − v·z) and the objective.
func (s *interior) measure() (gap, objective float64) {
	s.a.ApplyBack(s.v, s.x)
	for i, v := range s.x {
		s.x[i] = s.y[i] - v
		objective += float64(v*v) / 2
	}
	s.a.Apply(s.x, s.z)
	for r, z := range s.z {
		gap += float64(max(z, 0)*s.upper.slack[r]) + float64(max(-z, 0)*s.lower.slack[r])
		objective += s.lambda * math.Abs(z)
	}
	return gap, objective
}

// advance makes one step of Mehrotra's method. The predictor is the Newton step that aims at products 0 of multipliers
// and slacks. How far it gets decides the target of the products, at least floor. The corrector is the Newton step to
// this target, corrected by the second-order term of the predictor.
func (s *interior) advance(floor float64) {
	for r := range s.v {
		up, down := s.upper.mu[r]/s.upper.slack[r], s.lower.mu[r]/s.lower.slack[r]
		s.weight[r] = 1 / (up + down + damping*s.norm)
		s.upper.target[r], s.lower.target[r] = 0, 0
	}
	s.f.Compute(s.weight)
	s.direction()
	now, ahead := s.products(0), s.products(s.stepLength(1))
	reduced := ahead / now
	centre := max(ahead*reduced*reduced/float64(2*len(s.v)), floor)
	for r, dv := range s.dv {
		s.upper.target[r] = centre + float64(dv*s.upper.step[r])
		s.lower.target[r] = centre - float64(dv*s.lower.step[r])
	}
	s.direction()
	step := s.stepLength(0.995)
	for r, dv := range s.dv {
		s.moveDual(r, float64(step*dv))
		s.upper.mu[r] += float64(step * s.upper.step[r])
		s.lower.mu[r] += float64(step * s.lower.step[r])
	}
}

// moveDual adds dv to v_r and updates both slacks, whose sum is 2λ. It computes the smaller slack exactly.
func (s *interior) moveDual(r int, dv float64) {
	up, down := s.upper.slack[r]-dv, s.lower.slack[r]+dv
	if up < down {
		s.upper.slack[r], s.lower.slack[r], s.v[r] = up, 2*s.lambda-up, s.lambda-up
	} else {
		s.upper.slack[r], s.lower.slack[r], s.v[r] = 2*s.lambda-down, down, down-s.lambda
	}
}

// direction computes the Newton step towards the targets of the products of multipliers and slacks.
func (s *interior) direction() {
	for r, z := range s.z {
		s.goal[r] = z - s.upper.target[r]/s.upper.slack[r] + s.lower.target[r]/s.lower.slack[r]
		s.dv[r], s.right[r] = 0, s.goal[r]
	}
	s.improve()
	for range refinements {
		s.a.ApplyBack(s.dv, s.u)
		s.a.Apply(s.u, s.right)
		for r, dv := range s.dv {
			s.right[r] = s.goal[r] - s.right[r] - dv/s.weight[r]
		}
		s.improve()
	}
	for r, dv := range s.dv {
		s.upper.step[r] = (s.upper.target[r]+float64(s.upper.mu[r]*dv))/s.upper.slack[r] - s.upper.mu[r]
		s.lower.step[r] = (s.lower.target[r]-float64(s.lower.mu[r]*dv))/s.lower.slack[r] - s.lower.mu[r]
	}
}

// improve solves the linear system for the current right-hand side and adds the solution to dv.
func (s *interior) improve() {
	for r, v := range s.right {
		s.part[r] = s.weight[r] * v
	}
	s.a.ApplyBack(s.part, s.u)
	s.f.Solve(s.u)
	s.a.Apply(s.u, s.part)
	for r, v := range s.part {
		s.dv[r] += s.weight[r] * (s.right[r] - v)
	}
}

// stepLength returns the longest step length that leaves all multipliers and slacks positive, multiplied by share; it
// is at most 1.
func (s *interior) stepLength(share float64) float64 {
	step := 1 / share
	for r, dv := range s.dv {
		if dv > 0 {
			step = min(step, s.upper.slack[r]/dv)
		} else if dv < 0 {
			step = min(step, -s.lower.slack[r]/dv)
		}
		for _, b := range []*bound{&s.upper, &s.lower} {
			if d := b.step[r]; d < 0 {
				step = min(step, -b.mu[r]/d)
			}
		}
	}
	return share * step
}

// products returns the sum of multipliers times slacks after a step of this length.
func (s *interior) products(step float64) (sum float64) {
	for r, dv := range s.dv {
		d := float64(step * dv)
		sum += (s.upper.mu[r] + float64(step*s.upper.step[r])) * (s.upper.slack[r] - d)
		sum += (s.lower.mu[r] + float64(step*s.lower.step[r])) * (s.lower.slack[r] + d)
	}
	return sum
}
