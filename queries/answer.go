package queries

import (
	"fmt"
	"math"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/queries/domain"
)

// Series yields the values of the cells from start on into dst.
type Series func(start int, dst []float64)

// Answer is a query's public result, cell by cell. NaN stands for no value.
type Answer struct {
	Cells    int
	Keys     []domain.KeyColumn
	Noisy    Series
	Estimate Series
	// Sigma is the published standard deviation of Noisy, Low and High its 95 % interval.
	Sigma, Low, High Series
	// Extra are further columns: the noisy components of which the answer was made.
	Extra []Extra
	// Readings are tables that were read off the answer.
	Readings []Reading
}

// Extra is a further column of an answer.
type Extra struct {
	Name   string
	Values Series
}

// checkComponents says whether there are as many noisy vectors and estimates as components, of these lengths.
func checkComponents(query string, noisy, estimate []mechanism.Noisy, cells ...int) error {
	if len(noisy) != len(cells) || len(estimate) != len(cells) {
		return fmt.Errorf("query %s has %s, not %d and %d", query, plural(int64(len(cells)), "component"), len(noisy), len(estimate))
	}
	for i, n := range cells {
		if !noisy[i].Normal() {
			return fmt.Errorf("query %s has noise that is not Gaussian: its intervals would be wrong", query)
		}
		if noisy[i].Len() != n || estimate[i].Len() != n {
			return fmt.Errorf("query %s has %d cells, its answers %d and %d", query, n, noisy[i].Len(), estimate[i].Len())
		}
	}
	return nil
}

// normal makes the columns of values with normal noise of one deviation.
func normal(noisy, estimate Series, deviation float64) Answer {
	half := math.Nextafter(calibrate.Z95*deviation, math.Inf(1))
	return Answer{
		Noisy: noisy, Estimate: estimate, Sigma: constant(deviation),
		Low: shifted(noisy, -half), High: shifted(noisy, half),
	}
}

// constant yields x in every cell.
func constant(x float64) Series {
	return func(_ int, dst []float64) {
		for i := range dst {
			dst[i] = x
		}
	}
}

// shifted yields s + by, rounded in the direction of by.
func shifted(s Series, by float64) Series {
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

// answerColumns are the columns of every answer beside its keys.
var answerColumns = []string{"noisy", "estimate", "standard_deviation", "ci95_low", "ci95_high"}

// componentKey is the key column of a vector's components.
const componentKey = "component"

// ownColumns are the columns of the answer beside the keys of its axes.
func (s *Spec) ownColumns() []string {
	names := slices.Clone(answerColumns)
	if s.Value != nil && s.Value.IsVector() {
		names = append(names, componentKey)
	}
	return append(names, summaries[s.Kind].columns...)
}
