package denoise

import "math"

const (
	// The log-likelihood per value is at most kktTolerance below its maximum.
	kktTolerance = 1e-10
	maxNewton    = 100
)

// fitWeights returns the weights w that maximise the likelihood Σ_i c_i·log (A·w)_i over w ≥ 0, Σ w = 1. It minimises
// −Σ c_i·log(A·w)_i + Σ w_j over w ≥ 0, whose solution sums to 1, by a primal-dual interior point method. This takes
// about 30 steps, each with one banded Cholesky factorisation; expectation maximisation takes thousands.
//
// Source: the problem: Koenker & Mizera 2014; the method: Wright, "Primal-Dual Interior-Point Methods", 1997.
func fitWeights(l likelihoods) []float64 {
	n := newtonState{l: l, w: make([]float64, l.points), z: make([]float64, l.points), matrix: newSkyline(l.envelope())}
	for j := range n.w {
		n.w[j], n.z[j] = 1/float64(l.points), 1
	}
	for range maxNewton {
		n.measure()
		if l.excess(n.gradient) <= kktTolerance && n.gap() <= kktTolerance || !n.advance() {
			break
		}
	}
	return normalised(n.w)
}

// excess returns max_j Σ_i c_i·A_ij/p_i − 1, which is 0 at the best weights. The log-likelihood per value is at most
// ln(1+excess) below its maximum (Lindsay 1983).
func (l likelihoods) excess(gradient []float64) float64 {
	var worst float64
	for _, g := range gradient {
		worst = max(worst, -g)
	}
	return worst
}

// envelope returns, for each support point j, the first support point that has a likelihood in the same row as j. Row j
// of the Hessian starts at this point.
func (l likelihoods) envelope() []int {
	first := make([]int, l.points)
	for j := range first {
		first[j] = j
	}
	for _, r := range l.rows {
		for j := range r.likelihoods {
			first[r.first+j] = min(first[r.first+j], r.first)
		}
	}
	return first
}

// newtonState holds the weights w > 0 and the multipliers z > 0 of the bounds w ≥ 0. At the solution z is the gradient
// and w·z = 0.
type newtonState struct {
	l         likelihoods
	w, z      []float64
	densities []float64
	gradient  []float64
	matrix    *skyline
}

func (n *newtonState) measure() {
	n.densities = n.l.mix(n.w)
	n.gradient = n.l.gradient(n.densities)
}

// gap returns Σ w_j·z_j, which is 0 at the solution.
func (n *newtonState) gap() float64 { return dot(n.w, n.z) }

// advance makes one interior point step. It aims at products w_j·z_j that are a tenth of their present mean. It returns
// false if rounding errors allow no step.
func (n *newtonState) advance() bool {
	target := n.gap() / float64(len(n.w)) / 10
	step := n.direction(target)
	dual := make([]float64, len(step))
	for j, w := range n.w {
		dual[j] = target/w - n.z[j] - n.z[j]/w*step[j]
	}
	along := n.search(step, target)
	if along == 0 {
		return false
	}
	move(n.w, step, along)
	move(n.z, dual, maxFactor(n.z, dual))
	return true
}

// direction solves (H + diag(z/w))·dw = target/w − gradient.
func (n *newtonState) direction(target float64) []float64 {
	clear(n.matrix.values)
	n.l.curvature(n.densities, n.matrix)
	b := make([]float64, len(n.w))
	for j, w := range n.w {
		row := n.matrix.row(j)
		row[len(row)-1] += n.z[j] / w
		b[j] = target/w - n.gradient[j]
	}
	n.matrix.factor()
	return n.matrix.solve(b)
}

// search returns the length of the step: one at which the barrier function −Σ c_i·log p_i + Σ w_j − target·Σ log w_j
// falls, or rises by no more than rounding errors.
func (n *newtonState) search(step []float64, target float64) float64 {
	before := n.barrier(n.w, n.densities, target)
	along := maxFactor(n.w, step)
	for range 40 {
		w := make([]float64, len(n.w))
		copy(w, n.w)
		move(w, step, along)
		if after := n.barrier(w, n.l.mix(w), target); after <= before+1e-13*(1+math.Abs(before)) {
			return along
		}
		along /= 2
	}
	return 0
}

// barrier returns the barrier function (see search) at the weights w. densities must be n.l.mix(w), the p_i of these
// weights.
func (n *newtonState) barrier(w, densities []float64, target float64) float64 {
	var value float64
	for i, p := range densities {
		value -= n.l.counts[i] * math.Log(p)
	}
	for _, v := range w {
		value += v - target*math.Log(v)
	}
	return value
}

// maxFactor returns the largest factor f ≤ 1 for which values + f·step is at least a hundredth of every value.
func maxFactor(values, step []float64) float64 {
	factor := 1.0
	for j, d := range step {
		if d < 0 {
			factor = min(factor, 0.99*values[j]/-d)
		}
	}
	return factor
}

func move(values, step []float64, factor float64) {
	for j, d := range step {
		values[j] += float64(factor * d)
	}
}

// normalised returns w divided by its sum.
func normalised(w []float64) []float64 {
	var sum float64
	for _, v := range w {
		sum += v
	}
	out := make([]float64, len(w))
	for j, v := range w {
		out[j] = v * (1 / sum)
	}
	return out
}
