package strategy

import (
	"errors"
	"math"
	"slices"
)

// Loss is the error that a design minimizes.
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

// Design is how much noise each residual of a workload gets, at mu = 1.
type Design struct {
	// Variances[i] is the noise variance of each coordinate of residual i.
	Variances []float64
	// Costs[i] is the squared change of residual i by a unit, for calibrating: if noise is in proportion to Variances, no
	// change of a unit has a larger mu² than the sum of Costs[i]/Variances[i], which is 1. If only one change is possible,
	// Costs are its squared norms. If several are possible, a single residual may change by more than its cost.
	Costs []float64
	// Error is the root of the loss: the weighted root mean square of the cells' deviations, or for LossLargest the
	// largest deviation.
	Error float64
	// Bound is a lower bound on the error of any Gaussian design for these tables.
	Bound float64
}

// importance returns how much the variance of one cell of each table weighs in the loss. Over all cells, the weights
// sum to 1.
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
	designWork   = 2_000_000_000 // the number of changes times residuals over all rounds: a few seconds
	designGap    = 1e-6          // the largest difference between loss and bound, relative to the loss
	severalGap   = 1e-5          // the same if several changes are possible
	largestGap   = 1e-2          // the same if the rounds end before
)

// Solve returns the design of least loss at mu = 1, if a unit can change the residuals by one of several changes:
// changes[c][i] is the squared norm of change c of residual i. Each table has a weight above 0. Its error is ErrSolve
// if it does not converge, which is an error of the program.
//
// For one change k and a sum of variances, with v_S what the loss has of s2_S, sum_S v_S·s2_S is least under
// sum_S k_S/s2_S = 1 at
//
//	s2_S = sqrt(k_S/v_S)·sqrt(T),  T = (sum_S sqrt(k_S·v_S))²,
//
// by the inequality of Cauchy and Schwarz, and T is the least loss. The largest of several variances is at least T for
// any weights of the tables that sum to 1, and noise that is enough for several changes has a loss of at least T for
// any weights of the changes: k is then the weighted sum of the changes. T is concave in both, and equal to the least
// loss for the best. Each weight is multiplied by the square of how much of the loss its table has, or of mu² its
// change takes, and all are normalised, until loss and bound are within 10^-6 of each other, or 10^-5 with several
// changes. (The square finds the best weights of distinct residuals in one step.) If many changes are nearly alike,
// rounds may end earlier: then the best design so far is returned.
func (m *Marginals) Solve(loss Loss, weights []float64, changes [][]float64) (Design, error) {
	q := m.importance(loss, weights)
	tables, share := even(len(q)), even(len(changes))
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
		at, most := least, 1.0 // the loss of s2, and the largest mu² of a change
		if loss == LossLargest {
			at = 0
			for k, v := range m.variances(s2) {
				at = max(at, weights[k]*v)
				tables[k] *= weights[k] * v / least * (weights[k] * v / least)
			}
			normalise(tables)
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
			most *= 1 + 0x1p-30 // the sums' rounding errors are smaller
			normalise(share)
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
	if !(best.Error <= bound*(1+largestGap)) {
		return Design{}, ErrSolve
	}
	best.Error, best.Bound = math.Sqrt(best.Error), math.Sqrt(bound)
	return best, nil
}

// even returns n equal weights that sum to 1.
func even(n int) []float64 { return slices.Repeat([]float64{1 / float64(n)}, n) }

// normalise divides weights by their sum.
func normalise(w []float64) {
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

// slopes returns for each residual the factor of its variance in sum_A q_A·var_A.
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

// Compared holds the errors of other designs for the same tables at mu = 1, defined as [Design.Error].
type Compared struct {
	// Equal: each table has its own noise, with one sigma. Alone: each with its best sigma. Averaged: with the best
	// sigmas for tables that are then made consistent by least squares. Joint: only the table of all attributes has
	// noise, and the others are sums of its cells.
	Equal, Alone, Averaged, Joint float64
}

// Compare computes the errors of other designs for the tables, if a unit has one row, under add-remove.
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
	c.Averaged = math.Sqrt(m.bestPlain(q))
	return c
}

// bestPlain returns the least sum_A q_A·var_A if noise is added to the tables themselves, and they are then made
// consistent by least squares. Table B has noise of precision w_B; the precisions sum to 1. var_A is as above, with
// p_S·s2_S = p_S/Om_S and Om_S = sum_{B has S} w_B/prod_{B, not S} d_i. The search multiplies w_B by sqrt(−dL/dw_B) and
// normalizes (McKenna et al., PVLDB 11(10), 2018, for the family).
func (m *Marginals) bestPlain(q []float64) float64 {
	v, w := m.slopes(q), even(len(m.tables))
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
		normalise(w)
	}
	return loss
}
