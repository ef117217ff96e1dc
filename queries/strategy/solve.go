package strategy

import (
	"errors"
	"math"
	"slices"
)

// Loss names the error of a workload to minimize.
type Loss string

// The losses. Each table has a weight w_A, n_A cells and the variance var_A in each of them.
const (
	// LossCells is sum_A w_A·n_A·var_A: all cells count alike. The declared loss is its root per cell.
	LossCells Loss = "cells"
	// LossTables is sum_A w_A·var_A: all tables count alike.
	LossTables Loss = "tables"
	// LossLargest is max_A w_A·var_A.
	LossLargest Loss = "largest"
)

// Design is the allocation of noise to a workload's residuals, at mu = 1.
type Design struct {
	// Variances[i] is the noise variance of each coordinate of residual i.
	Variances []float64
	// Error is the root of the loss: the root mean square of the cells' deviations, weighted, or for LossLargest the
	// largest one.
	Error float64
	// Bound is a lower bound on the error of every Gaussian design, whatever tables or sums of cells take noise.
	Bound float64
}

// importance returns the weight in the loss of the variance of one cell of each table; the weights sum to 1 over all
// cells.
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

// Solve returns the design of least loss at mu = 1, if a unit's change of the residuals has the squared norms costs and
// each table a weight above
// 0. Its error is ErrSolve if it does not converge, which is an error of the program.
//
// For a sum of variances, with v_S what the loss has of s2_S, sum_S v_S·s2_S is least under sum_S k_S/s2_S = 1 at
//
//	s2_S = sqrt(k_S/v_S)·sqrt(T),  T = (sum_S sqrt(k_S·v_S))²,
//
// by the inequality of Cauchy and Schwarz, and T is the least loss. The largest variance is at least T for any weights
// of the tables that sum to 1, and equal to it for the best: w_A is multiplied by w_A·var_A and normalised until the
// two are within 10^-6 of each other.
func (m *Marginals) Solve(loss Loss, weights []float64, costs []float64) (Design, error) {
	q := m.importance(loss, weights)
	if loss != LossLargest {
		s2, least := m.closedForm(q, costs)
		return Design{Variances: s2, Error: math.Sqrt(least), Bound: math.Sqrt(least)}, nil
	}
	w, bound := make([]float64, len(q)), 0.0
	for k := range w {
		w[k] = 1 / float64(len(w))
	}
	for range 10_000 {
		scaled := make([]float64, len(w))
		for k := range w {
			scaled[k] = w[k] * weights[k]
		}
		s2, least := m.closedForm(scaled, costs)
		variances, largest, total := m.Variances(s2), 0.0, 0.0
		for k, v := range variances {
			largest = max(largest, weights[k]*v)
			w[k] *= weights[k] * v
			total += w[k]
		}
		bound = max(bound, least)
		if largest <= bound*(1+1e-6) {
			return Design{Variances: s2, Error: math.Sqrt(largest), Bound: math.Sqrt(bound)}, nil
		}
		for k := range w {
			w[k] /= total
		}
	}
	return Design{}, ErrSolve
}

// ErrSolve means that the search for a design did not converge.
var ErrSolve = errors.New("strategy: the search for the best weights does not converge")

// closedForm returns the variances that minimise sum_A q_A·var_A and that sum.
func (m *Marginals) closedForm(q, costs []float64) (s2 []float64, least float64) {
	v, root := make([]float64, len(m.residuals)), 0.0
	for i, s := range m.residuals {
		for k, a := range m.tables {
			if a.Has(s) {
				v[i] += q[k] * m.Factor(a, s)
			}
		}
		root += math.Sqrt(costs[i] * v[i])
	}
	s2 = make([]float64, len(v))
	for i := range v {
		s2[i] = math.Sqrt(costs[i]/v[i]) * root
	}
	return s2, root * root
}

// Compared holds the errors of other strategies for the same tables at mu = 1, defined as [Design.Error].
type Compared struct {
	// Equal: each table has its own noise, with one sigma. Alone: each with its best sigma. Averaged: with the best
	// sigmas for tables that are then made consistent by least squares. Joint: only the table of all attributes has
	// noise, and the others are sums of its cells.
	Equal, Alone, Averaged, Joint float64
}

// Compare computes the errors of other strategies for the tables, for one row a unit under add-remove.
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

// bestPlain returns the least sum_A q_A·var_A if only tables themselves take noise, of precisions w_B that sum to 1,
// and all are put together by least squares: var_A as above with p_S·s2_S = p_S/Om_S, Om_S = sum_{B has S} w_B/prod_{B,
// not S} d_i. By the multiplicative rule w_B *= sqrt(−dL/dw_B), normalised (McKenna et al., PVLDB 11(10), 2018, for the
// family).
func (m *Marginals) bestPlain(q []float64) float64 {
	v := make([]float64, len(m.residuals))
	w := make([]float64, len(m.tables))
	for k := range w {
		w[k] = 1 / float64(len(w))
	}
	for i, s := range m.residuals {
		for k, a := range m.tables {
			if a.Has(s) {
				v[i] += q[k] * m.Factor(a, s)
			}
		}
	}
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
		total := 0.0
		for k := range w {
			w[k] *= math.Sqrt(slope[k])
			total += w[k]
		}
		for k := range w {
			w[k] /= total
		}
	}
	return loss
}
