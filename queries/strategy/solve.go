package strategy

import (
	"errors"
	"math"
	"slices"
)

// Loss is the measure of error that a design minimizes.
type Loss string

// The losses. Table A has the weight w_A and n_A cells, each with the variance var_A.
const (
	// LossCells is sum_A w_A·n_A·var_A: all cells count equally. Errors are stated as the root of the mean per cell.
	LossCells Loss = "cells"
	// LossTables is sum_A w_A·var_A: all tables count equally.
	LossTables Loss = "tables"
	// LossLargest is max_A w_A·var_A.
	LossLargest Loss = "largest"
)

// Design is the noise that each residual of the tables gets, at mu = 1.
type Design struct {
	// Variances[i] is the noise variance of each coordinate of residual i.
	Variances []float64
	// Costs[i] is the squared sensitivity with which the noise of residual i is calibrated. The sum of
	// Costs[i]/Variances[i] is 1, and no change that a unit can make has a larger mu² under the noise Variances. If a unit
	// can make only one change, Costs[i] is the squared norm of this change in residual i. If it can make several, a
	// change in residual i alone may be larger than Costs[i]: only the sum over all residuals is a bound.
	Costs []float64
	// Error is the square root of the loss: the weighted root mean square of the cells' standard deviations, or for
	// LossLargest the largest standard deviation.
	Error float64
	// Bound is a lower bound on the error of any Gaussian design for these tables.
	Bound float64
}

// importance returns the weight of one cell's variance in the loss, for each table. Over all cells, the weights sum to
// 1.
func (m *Marginals) importance(loss Loss, weights []float64) []float64 {
	q, total := make([]float64, len(m.tables)), 0.0
	for k, a := range m.tables {
		q[k] = weights[k]
		if loss == LossCells {
			q[k] *= float64(m.Cells(a))
		}
		total += q[k]
	}
	for k := range q {
		q[k] /= total
	}
	return q
}

const (
	designRounds = 10_000
	designWork   = 2_000_000_000 // limit of changes × residuals × rounds: a few seconds
	designGap    = 1e-6          // the search ends if the loss exceeds its lower bound by less than this fraction
	severalGap   = 1e-5          // replaces designGap if a unit can make several changes
	maxGap       = 1e-2          // the largest gap that is accepted if the rounds run out
)

// Solve returns the design of least loss at mu = 1. A unit can change the residuals in one of several ways:
// changes[c][i] is the squared norm of residual i's change in case c. weights holds a weight above 0 for each table.
// The error ErrSolve means that the search did not converge, which is a bug of the program.
//
// With one change k and a loss that is a sum of variances, let v_S be the factor of s2_S in the loss. Then sum_S
// v_S·s2_S is least, under sum_S k_S/s2_S = 1, at
//
//	s2_S = sqrt(k_S/v_S)·sqrt(T),  T = (sum_S sqrt(k_S·v_S))²,
//
// by the inequality of Cauchy and Schwarz, and T is the least loss.
//
// The other cases are reduced to this one by weights. The largest of several variances is at least T, for any weights
// of the tables that sum to 1. Noise that is enough for several changes has a loss of at least T, for any weights of
// the changes, with k the weighted sum of the changes. T is concave in both kinds of weights, and its maximum is the
// least loss.
//
// Each round multiplies the weight of a table by the square of its fraction of the loss, and the weight of a change by
// the square of its mu², and normalizes. (The square finds the best weights of distinct residuals in one step.) Rounds
// end when loss and bound are within 10^-6 of each other, or within 10^-5 with several changes. If many changes are
// nearly equal, the limit on work can end the rounds before; the result is then the best design so far.
func (m *Marginals) Solve(loss Loss, weights []float64, changes [][]float64) (Design, error) {
	q := m.importance(loss, weights)
	tables, share := equalWeights(len(q)), equalWeights(len(changes))
	costs, slopes := make([]float64, len(m.residuals)), m.slopes(q)
	best, bound, gap := Design{Error: math.Inf(1)}, 0.0, designGap
	if len(changes) > 1 {
		gap = severalGap
	}
	for range max(1, min(designRounds, designWork/(len(changes)*len(costs)))) {
		clear(costs)
		for c, change := range changes {
			for i, k := range change {
				costs[i] += share[c] * k
			}
		}
		if loss == LossLargest {
			of := make([]float64, len(q))
			for k := range of {
				of[k] = tables[k] * weights[k]
			}
			slopes = m.slopes(of)
		}
		s2, least := closedForm(slopes, costs)
		bound = max(bound, least)
		at, most := least, 1.0 // at is the loss of s2, and most is the largest mu² of a change
		if loss == LossLargest {
			at = 0
			for k, v := range m.variances(s2) {
				at = max(at, weights[k]*v)
				tables[k] *= weights[k] * v / least * (weights[k] * v / least)
			}
			normalize(tables)
		}
		if len(changes) > 1 {
			most = 0
			for c, change := range changes {
				mu2 := 0.0
				for i, k := range change {
					mu2 += k / s2[i]
				}
				most = max(most, mu2)
				share[c] *= mu2 * mu2
			}
			most *= 1 + 0x1p-30 // to cover the rounding errors of the sums
			normalize(share)
		}
		if at*most < best.Error {
			best = Design{Variances: s2, Costs: slices.Clone(costs), Error: at * most}
			for i := range s2 {
				best.Variances[i] *= most
				best.Costs[i] *= most
			}
		}
		if best.Error <= bound*(1+gap) {
			break
		}
	}
	if !(best.Error <= bound*(1+maxGap)) {
		return Design{}, ErrSolve
	}
	best.Error, best.Bound = math.Sqrt(best.Error), math.Sqrt(bound)
	return best, nil
}

// equalWeights returns n equal weights that sum to 1.
func equalWeights(n int) []float64 { return slices.Repeat([]float64{1 / float64(n)}, n) }

// normalize divides weights by their sum.
func normalize(w []float64) {
	total := 0.0
	for _, x := range w {
		total += x
	}
	for i := range w {
		w[i] /= total
	}
}

// ErrSolve means that the search for a design did not converge.
var ErrSolve = errors.New("strategy: the search for the best weights does not converge")

// slopes returns the derivative of sum_A q_A·var_A with respect to the variance of each residual.
func (m *Marginals) slopes(q []float64) []float64 {
	v := make([]float64, len(m.residuals))
	for i, s := range m.residuals {
		for k, a := range m.tables {
			if a.Has(s) {
				v[i] += q[k] * m.Factor(a, s)
			}
		}
	}
	return v
}

// closedForm returns the variances s2_S that minimize sum_S v_S·s2_S under sum_S k_S/s2_S = 1, and the minimum. costs
// are the k_S.
func closedForm(v, costs []float64) (s2 []float64, least float64) {
	root := 0.0
	for i := range v {
		root += math.Sqrt(costs[i] * v[i])
	}
	s2 = make([]float64, len(v))
	for i := range v {
		s2[i] = math.Sqrt(costs[i]/v[i]) * root
	}
	return s2, root * root
}

// Compared holds the errors of other designs for the same tables at mu = 1, as [Design.Error] defines them.
type Compared struct {
	// The designs:
	//   - Equal: each table has its own noise, all with one sigma.
	//   - Alone: each table has its own noise, with its best sigma.
	//     - Averaged: each table has its own noise, with the best sigmas for tables that least squares then makes
	//     consistent.
	//   - Joint: only the table of all attributes has noise, and the other tables are sums of its cells.
	Equal, Alone, Averaged, Joint float64
}

// Compare computes the errors of other designs for the tables, under add-remove, if each unit has one row.
func (m *Marginals) Compare(loss Loss, weights []float64) Compared {
	q := m.importance(loss, weights)
	var c Compared
	n, all := float64(len(m.tables)), 1.0
	for _, d := range m.sizes {
		all *= float64(d)
	}
	sum, roots, largest := 0.0, 0.0, 0.0
	equal := make([]float64, len(m.tables))
	for k, a := range m.tables {
		equal[k] = n
		sum += q[k] * all / float64(m.Cells(a))
		roots += math.Sqrt(q[k])
		largest = max(largest, weights[k]*all/float64(m.Cells(a)))
	}
	if loss == LossLargest {
		total := 0.0
		for _, w := range weights {
			total += w
		}
		c.Equal, c.Alone, c.Joint = math.Sqrt(n*slices.Max(weights)), math.Sqrt(total), math.Sqrt(largest)
		return c
	}
	c.Equal, c.Alone, c.Joint = math.Sqrt(n), roots, math.Sqrt(sum)
	c.Averaged = math.Sqrt(m.bestTableNoise(q))
	return c
}

// bestTableNoise returns the least sum_A q_A·var_A if each table has its own noise, and least squares then makes the
// tables consistent. Table B has noise of precision w_B; the precisions sum to 1. var_A is given at the top of
// marginals.go, with p_S·s2_S = p_S/Om_S and Om_S = sum_{B has S} w_B/prod_{B, not S} d_i. Each round multiplies w_B by
// sqrt(−dL/dw_B) and normalizes (McKenna et al., PVLDB 11(10), 2018, for this class of strategies).
func (m *Marginals) bestTableNoise(q []float64) float64 {
	v, w := m.slopes(q), equalWeights(len(m.tables))
	loss := math.Inf(1)
	for range 300 {
		slope, now := make([]float64, len(w)), 0.0
		for i, s := range m.residuals {
			precision := 0.0
			for k, a := range m.tables {
				if a.Has(s) {
					precision += w[k] / math.Sqrt(m.spreadOver(a, s))
				}
			}
			now += v[i] / precision
			for k, a := range m.tables {
				if a.Has(s) {
					slope[k] += v[i] / (precision * precision * math.Sqrt(m.spreadOver(a, s)))
				}
			}
		}
		if now > loss*(1-1e-9) {
			return min(now, loss)
		}
		loss = now
		for k := range w {
			w[k] *= math.Sqrt(slope[k])
		}
		normalize(w)
	}
	return loss
}
