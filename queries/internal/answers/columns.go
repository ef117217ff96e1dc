// Package answers makes the columns of released answers of noisy vectors, and reads such vectors back from them.
package answers

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/query"
)

// answerColumns are the columns of every answer beside its keys.
var answerColumns = []string{"noisy", "estimate", "standard_deviation", "ci95_low", "ci95_high"}

// ComponentKey is the key column of a vector's components.
const ComponentKey = "component"

// OwnColumns are the columns of an answer beside the keys of its axes: some of its kind, and those of every answer.
func OwnColumns(s query.Spec, columns []string) []string {
	names := slices.Clone(answerColumns)
	if s.Value != nil && s.Value.IsVector() {
		names = append(names, ComponentKey)
	}
	return append(names, columns...)
}

// CheckComponents is CheckLengths for answers whose intervals need normal noise.
func CheckComponents(query string, noisy, estimate []mechanism.Noisy, cells ...int) error {
	for i := range noisy {
		if !noisy[i].Normal() {
			return fmt.Errorf("query %s has noise that is not Gaussian: its intervals would be wrong", query)
		}
	}
	return CheckLengths(query, noisy, estimate, cells...)
}

// CheckLengths says whether there are as many noisy vectors and estimates as components, of these lengths.
func CheckLengths(query string, noisy, estimate []mechanism.Noisy, cells ...int) error {
	if len(noisy) != len(cells) || len(estimate) != len(cells) {
		return fmt.Errorf("query %s has %s, not %d and %d", query, problem.Plural(int64(len(cells)), "component"), len(noisy), len(estimate))
	}
	for i, n := range cells {
		if noisy[i].Len() != n || estimate[i].Len() != n {
			return fmt.Errorf("query %s has %d cells, its answers %d and %d", query, n, noisy[i].Len(), estimate[i].Len())
		}
	}
	return nil
}

// ErrComponents is an error of the program.
var ErrComponents = errors.New("queries: not the components of this query")

// Normal makes the columns of values with normal noise of one deviation.
func Normal(noisy, estimate query.Series, deviation float64) query.Answer {
	half := math.Nextafter(calibrate.Z95*deviation, math.Inf(1))
	return query.Answer{
		Noisy: noisy, Estimate: estimate, Sigma: constant(deviation),
		Low: shifted(noisy, -half), High: shifted(noisy, half),
	}
}

// WithNoise makes the columns of values with the noise of a mechanism, over a number of rows by which sums were divided; 1 if they were not.
func WithNoise(noisy, estimate query.Series, m calibrate.Mechanism, rows float64) query.Answer {
	deviation, half := m.Deviation(), m.HalfWidth()
	if rows != 1 {
		deviation, half = math.Nextafter(deviation/rows, math.Inf(1)), math.Nextafter(half/rows, math.Inf(1))
	}
	if m.Noise == calibrate.Gaussian {
		return Normal(noisy, estimate, deviation)
	}
	a := query.Answer{Noisy: noisy, Estimate: estimate, Sigma: constant(deviation)}
	if m.Noise == calibrate.Geometric && rows == 1 { // multiples of the grid, which are added without rounding
		a.Low, a.High = added(noisy, -half), added(noisy, half)
		return a
	}
	half = math.Nextafter(half, math.Inf(1))
	a.Low, a.High = shifted(noisy, -half), shifted(noisy, half)
	return a
}

// added yields s + by.
func added(s query.Series, by float64) query.Series {
	return func(start int, dst []float64) {
		s(start, dst)
		for i := range dst {
			dst[i] += by
		}
	}
}

// constant yields x in every cell.
func constant(x float64) query.Series {
	return func(_ int, dst []float64) {
		for i := range dst {
			dst[i] = x
		}
	}
}

// shifted yields s + by, rounded in the direction of by.
func shifted(s query.Series, by float64) query.Series {
	towards := math.Inf(1)
	if by < 0 {
		towards = math.Inf(-1)
	}
	return func(start int, dst []float64) {
		s(start, dst)
		for i, x := range dst {
			dst[i] = math.Nextafter(x+by, towards)
		}
	}
}

// Held yields values that are in memory.
func Held(values []float64) query.Series {
	return func(start int, dst []float64) { copy(dst, values[start:]) }
}

// Beside yields an end of the 95 % intervals of values: below them if direction is -1, above if it is 1.
func Beside(values, deviations []float64, direction float64) query.Series {
	return func(start int, dst []float64) {
		for i := range dst {
			half := math.Nextafter(calibrate.Z95*deviations[start+i], math.Inf(1))
			dst[i] = math.Nextafter(values[start+i]+direction*half, math.Inf(int(direction)))
		}
	}
}

// Of makes the columns of values in memory with normal noise of some deviations.
func Of(values, deviations []float64) query.Answer {
	return query.Answer{
		Cells: len(values), Noisy: Held(values), Estimate: Held(values), Sigma: Held(deviations),
		Low: Beside(values, deviations, -1), High: Beside(values, deviations, 1),
	}
}

// Outwards moves x by a few units of its last place.
func Outwards(x, direction float64) float64 { return x + direction*math.Abs(x)*0x1p-50 }
