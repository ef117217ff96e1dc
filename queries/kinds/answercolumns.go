package kinds

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/queries/query"
)

// The columns of released answers, with their 95 % intervals, are computed here from noisy vectors. recover.go does the
// reverse: it reads noisy vectors from released columns. ratio.go, variance.go and quantiles.go compute the intervals
// of their kinds. pipeline/accuracy.go computes the half-widths that a plan states.

// answerColumns are the columns that every answer has after its key columns.
var answerColumns = []string{"noisy", "estimate", "standard_deviation", "ci95_low", "ci95_high"}

// componentKey is the name of the key column that numbers the components of a vector.
const componentKey = "component"

// ownColumns returns the names of the columns of an answer after its key columns: answerColumns, and columns that only
// its kind has.
func ownColumns(s query.Spec, columns []string) []string {
	names := slices.Clone(answerColumns)
	if s.Value != nil && s.Value.IsVector() {
		names = append(names, componentKey)
	}
	return append(names, columns...)
}

// checkComponents does the same as checkLengths, for answers whose intervals require normal noise. It also returns an
// error if the noise of a vector is not normal.
func checkComponents(query string, noisy, estimate []mechanism.Noisy, cells ...int) error {
	for i := range noisy {
		if !noisy[i].Normal() {
			return fmt.Errorf("query %s has noise that is not Gaussian: its intervals would be wrong", query)
		}
	}
	return checkLengths(query, noisy, estimate, cells...)
}

// checkLengths returns an error unless there are one noisy vector and one estimate for each item of cells, with that
// number of cells.
func checkLengths(query string, noisy, estimate []mechanism.Noisy, cells ...int) error {
	if len(noisy) != len(cells) || len(estimate) != len(cells) {
		return fmt.Errorf("query %s has %s, not %d and %d", query, spelling.Count(int64(len(cells)), "component"), len(noisy),
			len(estimate))
	}
	for i, n := range cells {
		if noisy[i].Len() != n || estimate[i].Len() != n {
			return fmt.Errorf("query %s has %d cells, its answers %d and %d", query, n, noisy[i].Len(), estimate[i].Len())
		}
	}
	return nil
}

// errComponents is a bug of this program: the vectors are not the components of this query.
var errComponents = errors.New("queries: not the components of this query")

// normalAnswer returns the columns of an answer whose noise is normal, with the same standard deviation in all cells.
func normalAnswer(noisy, estimate query.Series, deviation float64) query.Answer {
	half := math.Nextafter(calibrate.Z95*deviation, math.Inf(1))
	return query.Answer{
		Noisy: noisy, Estimate: estimate, Sigma: constantSeries(deviation),
		Low: shiftedSeries(noisy, -half), High: shiftedSeries(noisy, half),
	}
}

// answerWithNoise returns the columns of an answer that has the noise of mechanism m. rows is the number by which sums
// were divided, or 1.
func answerWithNoise(noisy, estimate query.Series, m calibrate.Mechanism, rows float64) query.Answer {
	deviation, half := m.Deviation(), m.HalfWidth()
	if rows != 1 {
		deviation, half = math.Nextafter(deviation/rows, math.Inf(1)), math.Nextafter(half/rows, math.Inf(1))
	}
	if m.Noise == calibrate.Gaussian {
		return normalAnswer(noisy, estimate, deviation)
	}
	a := query.Answer{Noisy: noisy, Estimate: estimate, Sigma: constantSeries(deviation)}
	if m.Noise == calibrate.Geometric && rows == 1 { // sums of multiples of the grid are exact
		a.Low, a.High = addedSeries(noisy, -half), addedSeries(noisy, half)
		return a
	}
	half = math.Nextafter(half, math.Inf(1))
	a.Low, a.High = shiftedSeries(noisy, -half), shiftedSeries(noisy, half)
	return a
}

// mapped returns a series with f(x) for each value x of s.
func mapped(s query.Series, f func(x float64) float64) query.Series {
	return func(start int, dst []float64) {
		s(start, dst)
		for i, x := range dst {
			dst[i] = f(x)
		}
	}
}

// addedSeries returns a series with the values of s plus by.
func addedSeries(s query.Series, by float64) query.Series {
	return mapped(s, func(x float64) float64 { return x + by })
}

// constantSeries returns a series with the value x in every cell.
func constantSeries(x float64) query.Series {
	return func(_ int, dst []float64) {
		for i := range dst {
			dst[i] = x
		}
	}
}

// shiftedSeries returns a series with the values of s plus by, rounded away from s.
func shiftedSeries(s query.Series, by float64) query.Series {
	towards := math.Inf(1)
	if by < 0 {
		towards = math.Inf(-1)
	}
	return mapped(s, func(x float64) float64 { return math.Nextafter(x+by, towards) })
}

// outerOf returns a series that contains, for each cell, either the end of an interval or the estimate: the one that
// outer chooses.
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

// answerOf returns the columns of an answer from values in memory. Their noise is normal with the standard deviations
// in sigma.
func answerOf(values []float64, sigma query.Series) query.Answer {
	end := func(direction float64) query.Series {
		return func(start int, dst []float64) {
			sigma(start, dst)
			for i, sd := range dst {
				half := math.Nextafter(calibrate.Z95*sd, math.Inf(1))
				dst[i] = math.Nextafter(values[start+i]+direction*half, math.Inf(int(direction)))
			}
		}
	}
	return query.Answer{Cells: len(values), Noisy: query.HeldSeries(values), Estimate: query.HeldSeries(values),
		Sigma: sigma,
		Low:   end(-1), High: end(1)}
}

// outwards moves x by a few units in its last place, so that rounding errors do not make an interval narrower.
func outwards(x, direction float64) float64 { return x + direction*math.Abs(x)*0x1p-50 }
