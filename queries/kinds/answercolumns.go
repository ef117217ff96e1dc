package kinds

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/query"
)

// The columns of released answers, with their 95 % intervals, computed from noisy vectors. recover.go reads such
// vectors back from the columns. ratio.go, variance.go and quantiles.go compute the intervals of their kinds, and
// pipeline/accuracy.go the half-widths that a plan states.

// answerColumns are the columns of every answer in addition to its keys.
var answerColumns = []string{"noisy", "estimate", "standard_deviation", "ci95_low", "ci95_high"}

// componentKey is the key column of a vector's components.
const componentKey = "component"

// ownColumns returns the columns of an answer besides the keys of its axes: the columns of its kind, then the columns
// of every answer.
func ownColumns(s query.Spec, columns []string) []string {
	names := slices.Clone(answerColumns)
	if s.Value != nil && s.Value.IsVector() {
		names = append(names, componentKey)
	}
	return append(names, columns...)
}

// checkComponents is checkLengths for answers whose intervals need normal noise.
func checkComponents(query string, noisy, estimate []mechanism.Noisy, cells ...int) error {
	for i := range noisy {
		if !noisy[i].Normal() {
			return fmt.Errorf("query %s has noise that is not Gaussian: its intervals would be wrong", query)
		}
	}
	return checkLengths(query, noisy, estimate, cells...)
}

// checkLengths reports whether there are as many noisy vectors and estimates as components, of these lengths.
func checkLengths(query string, noisy, estimate []mechanism.Noisy, cells ...int) error {
	if len(noisy) != len(cells) || len(estimate) != len(cells) {
		return fmt.Errorf("query %s has %s, not %d and %d", query, problem.Plural(int64(len(cells)), "component"), len(noisy),
			len(estimate))
	}
	for i, n := range cells {
		if noisy[i].Len() != n || estimate[i].Len() != n {
			return fmt.Errorf("query %s has %d cells, its answers %d and %d", query, n, noisy[i].Len(), estimate[i].Len())
		}
	}
	return nil
}

// errComponents means a bug: the numbers of components differ.
var errComponents = errors.New("queries: not the components of this query")

// normalAnswer makes the columns of values with normal noise of one standard deviation.
func normalAnswer(noisy, estimate query.Series, deviation float64) query.Answer {
	half := math.Nextafter(calibrate.Z95*deviation, math.Inf(1))
	return query.Answer{
		Noisy: noisy, Estimate: estimate, Sigma: constantSeries(deviation),
		Low: shiftedSeries(noisy, -half), High: shiftedSeries(noisy, half),
	}
}

// answerWithNoise makes the columns of values with the noise of a mechanism. rows is the number by which sums were
// divided; 1 if they were not.
func answerWithNoise(noisy, estimate query.Series, m calibrate.Mechanism, rows float64) query.Answer {
	deviation, half := m.Deviation(), m.HalfWidth()
	if rows != 1 {
		deviation, half = math.Nextafter(deviation/rows, math.Inf(1)), math.Nextafter(half/rows, math.Inf(1))
	}
	if m.Noise == calibrate.Gaussian {
		return normalAnswer(noisy, estimate, deviation)
	}
	a := query.Answer{Noisy: noisy, Estimate: estimate, Sigma: constantSeries(deviation)}
	if m.Noise == calibrate.Geometric && rows == 1 { // multiples of the grid, which are added without rounding
		a.Low, a.High = addedSeries(noisy, -half), addedSeries(noisy, half)
		return a
	}
	half = math.Nextafter(half, math.Inf(1))
	a.Low, a.High = shiftedSeries(noisy, -half), shiftedSeries(noisy, half)
	return a
}

// addedSeries yields s + by.
func addedSeries(s query.Series, by float64) query.Series {
	return func(start int, dst []float64) {
		s(start, dst)
		for i := range dst {
			dst[i] += by
		}
	}
}

// constantSeries yields x in every cell.
func constantSeries(x float64) query.Series {
	return func(_ int, dst []float64) {
		for i := range dst {
			dst[i] = x
		}
	}
}

// shiftedSeries yields s + by, rounded in the direction of by.
func shiftedSeries(s query.Series, by float64) query.Series {
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

// outerOf yields an interval's end or the estimate, whichever outer chooses.
func outerOf(end, estimate query.Series, outer func(x, y float64) float64) query.Series {
	return func(start int, dst []float64) {
		end(start, dst)
		estimates := make([]float64, len(dst))
		estimate(start, estimates)
		for i, x := range estimates {
			dst[i] = outer(dst[i], x)
		}
	}
}

// besideSeries yields one end of the 95 % intervals of values: the lower end if direction is -1, the upper end if it is
// 1.
func besideSeries(values, deviations []float64, direction float64) query.Series {
	return func(start int, dst []float64) {
		for i := range dst {
			half := math.Nextafter(calibrate.Z95*deviations[start+i], math.Inf(1))
			dst[i] = math.Nextafter(values[start+i]+direction*half, math.Inf(int(direction)))
		}
	}
}

// answerOf makes the columns of values in memory with normal noise of the given standard deviations.
func answerOf(values, deviations []float64) query.Answer {
	return query.Answer{
		Cells: len(values), Noisy: query.HeldSeries(values), Estimate: query.HeldSeries(values), Sigma: query.HeldSeries(deviations),
		Low: besideSeries(values, deviations, -1), High: besideSeries(values, deviations, 1),
	}
}

// outwards moves x by a few units of its last digit.
func outwards(x, direction float64) float64 { return x + direction*math.Abs(x)*0x1p-50 }
