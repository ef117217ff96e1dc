// Package combine adds up published noisy cells, of one table or several and of one release or several, and states the
// error of the result. It reads only releases: it spends no budget, and anybody who has the releases can repeat it.
//
// # The error of a sum
//
// Every noisy cell that can be added up is its exact bounded answer plus a weighted sum of independent noise
// coordinates, whose variances the manifest states:
//
//   - cells that have noise of their own: one coordinate a cell, with the deviation of the cell's row;
//   - cells with common noise: one coordinate more, which all cells have with the weight 1;
//   - marginals: the coordinates of the residuals ([strategy.Marginals.Coefficients]).
//
// Noise of different queries, and of different runs, is independent. So every weighted sum of cells is a weighted sum
// of independent coordinates, and the exact variance of a sum and covariance of two sums follow from the weights. The
// interval is the normal one or, if the noise is Laplace or geometric, one for the excess kurtosis of the sum.
//
// # The error of a ratio
//
// The interval of n/d is Fieller's: all r for which n − r·d does not differ from 0 by more than its own interval, with
// the covariance of n and d. It covers the ratio of the exact bounded sums in 95 % of cases, whatever they are. If 0 is
// in d's own interval, the set of r is not bounded, and no ratio is stated.
//
// Sources: E. C. Fieller, Some problems in interval estimation, Journal of the Royal Statistical Society B 16, 1954;
// for marginals see package strategy.
package combine

import (
	"math"
	"slices"

	"github.com/dprelease/dprelease/queries/kinds"
)

// Term is a weighted sum of the noisy cells of a table. Weights has a weight for each row of the table.
type Term struct {
	Table   *Table
	Weights []float64
}

// Result is the value of a combination of noisy cells, with its error.
type Result struct {
	// Stated is false if the result is a ratio whose denominator could be 0, because 0 is in its interval. The other
	// fields are NaN then.
	Stated bool
	// Value is the noisy value. A sum is unbiased; a ratio is not.
	Value float64
	// Deviation is the standard deviation of the noise in Value; for a ratio it is an approximation (the delta method).
	Deviation float64
	// Low and High are the ends of the 95 % interval for the combination of the exact, bounded answers.
	Low, High float64
}

// Sum returns the sum of terms. Errors: *pipeline.Error, or an error about the weights.
func Sum(terms []Term) (Result, error) {
	if err := checkOrigins(terms); err != nil {
		return Result{}, err
	}
	f, err := formOf(terms)
	if err != nil {
		return Result{}, err
	}
	deviation := math.Sqrt(covariance(f, f))
	half := kinds.HeavyZ95(f.kurtosis())*deviation + f.step()/2
	return Result{true, f.value, deviation, f.value - half, f.value + half}, nil
}

// Ratio divides the sum of one list of terms by the sum of another. The two may have cells in common. Errors: as [Sum].
func Ratio(of, to []Term) (Result, error) {
	if err := checkOrigins(slices.Concat(of, to)); err != nil {
		return Result{}, err
	}
	n, err := formOf(of)
	if err != nil {
		return Result{}, err
	}
	d, err := formOf(to)
	if err != nil {
		return Result{}, err
	}
	// z is the quantile for the noise of n − r·d, with r = n/d. If n and d share cells, this noise has other weights
	// than the noise of n and of d.
	vn, vd, c := covariance(n, n), covariance(d, d), covariance(n, d)
	rest := n.less(n.value/d.value, d)
	z := kinds.HeavyZ95(rest.kurtosis())
	if step := rest.step(); step > 0 {
		z += step / 2 / math.Sqrt(covariance(rest, rest))
	}
	low, high, ok := kinds.Fieller(n.value, d.value, vn, vd, c, z)
	if !ok {
		nan := math.NaN()
		return Result{false, nan, nan, nan, nan}, nil
	}
	value := n.value / d.value
	deviation := math.Sqrt(max(vn-2*value*c+value*value*vd, 0)) / math.Abs(d.value)
	return Result{true, value, deviation, low, high}, nil
}

// form is a noisy value, and its noise as a weighted sum of independent coordinates.
type form struct {
	value float64
	parts map[partName]*part
}

// partName identifies the noise of a component of a query: origin is the release that drew the noise.
type partName struct{ origin, query, component string }

// part holds the coordinates of one component: a weight and a variance for each. variances has one number if all are
// equal.
type part struct {
	weights, variances []float64
	heavy              bool    // the noise is not Gaussian
	step               float64 // geometric noise is a multiple of step; 0 for other noise
}

func (p *part) variance(i int) float64 {
	if len(p.variances) == 1 {
		return p.variances[0]
	}
	return p.variances[i]
}

// formOf returns the sum of terms.
func formOf(terms []Term) (*form, error) {
	f := &form{parts: map[partName]*part{}}
	size := 0.0
	for _, t := range terms {
		if err := t.Table.check(t.Weights); err != nil {
			return nil, err
		}
		for i, w := range t.Weights {
			if w != 0 {
				f.value += w * t.Table.noisy[i]
				size += math.Abs(w * t.Table.noisy[i])
			}
		}
		t.Table.addTo(f, t.Weights)
	}
	const rounding = 1e-12 // relative size of a value that is 0 except for rounding errors
	if math.Abs(f.value) < rounding*size {
		f.value = 0
	}
	return f, nil
}

// add adds the coordinates of a component with these weights to f.
func (f *form) add(name partName, weights, variances []float64, of *Table) {
	if p := f.parts[name]; p != nil {
		for i, w := range weights {
			p.weights[i] += w
		}
		return
	}
	f.parts[name] = &part{slices.Clone(weights), variances, of.heavy, of.step}
}

// less returns the noise of f − r·g; the form's value is not set.
func (f *form) less(r float64, g *form) *form {
	out := &form{parts: map[partName]*part{}}
	for name, p := range f.parts {
		out.parts[name] = &part{slices.Clone(p.weights), p.variances, p.heavy, p.step}
	}
	for name, p := range g.parts {
		if out.parts[name] == nil {
			out.parts[name] = &part{make([]float64, len(p.weights)), p.variances, p.heavy, p.step}
		}
		for i, w := range p.weights {
			out.parts[name].weights[i] -= r * w
		}
	}
	return out
}

// step returns the largest step of the geometric noise in f; 0 if f has none. The interval is half a step wider than
// for Laplace noise of the same variance.
func (f *form) step() (largest float64) {
	for _, p := range f.parts {
		if p.step == 0 {
			continue
		}
		for _, w := range p.weights {
			largest = max(largest, math.Abs(w)*p.step)
		}
	}
	return largest
}

func covariance(f, g *form) float64 {
	sum := 0.0
	for name, p := range f.parts {
		if q := g.parts[name]; q != nil {
			for i, w := range p.weights {
				sum += w * q.weights[i] * p.variance(i)
			}
		}
	}
	return sum
}

// kurtosis returns the excess kurtosis of the noise: 3·sum v² / (sum v)² over the coordinates that are not Gaussian,
// with their variances v.
func (f *form) kurtosis() float64 {
	total, squares := 0.0, 0.0
	for _, p := range f.parts {
		for i, w := range p.weights {
			v := w * w * p.variance(i)
			if total += v; p.heavy {
				squares += v * v
			}
		}
	}
	if total == 0 {
		return 0
	}
	return 3 * squares / (total * total)
}
