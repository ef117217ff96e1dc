package queries

import (
	"math"

	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/queries/domain"
)

// mostDoubted is the number of cells up to which Nothing looks at an answer.
const mostDoubted = 1 << 20

// doubt is how many standard deviations of the noise a sum or a cell is off zero before it is taken for more than noise: noise alone is
// beyond it once in about 30,000 answers.
const doubt = 4

// Nothing says whether a query's noisy vectors look like those of an input without a usable row: neither the sum of the counts, or of the
// values, nor any single cell is larger than noise makes it. It is made from noisy values alone, so its answer is as public as they are.
// Cells for null and other do not count. Of very many cells, and of means of a public number of terms, it says false.
func Nothing(q Query, noisy []mechanism.Noisy) bool {
	switch q := q.(type) {
	case *discovering:
		return noisy[0].Len() == 0
	case *counting:
		return q.nothing(noisy[0], 1)
	case *summing:
		switch {
		case q.spec.Kind == Sum:
			return q.nothing(noisy[0], q.quantizer.dims)
		case len(noisy) > 1: // the last one counts rows
			return q.nothing(noisy[len(noisy)-1], 1)
		}
	}
	return false
}

// nothing is Nothing for the vector of one part, of some components a cell.
func (q *counting) nothing(noisy mechanism.Noisy, components int) bool {
	if noisy.Len() > mostDoubted {
		return false
	}
	strides := domain.AxisStrides(q.axes)
	sum, largest, cells := 0.0, 0.0, 0
	values := make([]float64, noisy.Len())
	noisy.Fill(0, values)
	for i, x := range values {
		if !q.listed(i/components, strides) {
			continue
		}
		sum += x
		largest = max(largest, math.Abs(x))
		cells++
	}
	deviation, n := noisy.Mechanism().Deviation(), float64(max(cells, 1))
	return math.Abs(sum) <= doubt*deviation*math.Sqrt(n) && largest <= (doubt+math.Sqrt(2*math.Log(n)))*deviation
}

// listed says whether a cell is none of those for null and other.
func (q *counting) listed(cell int, strides []int) bool {
	for i := range q.axes {
		a := &q.axes[i]
		if cell/strides[i]%a.Size >= a.Size-len(a.Extra.Names) {
			return false
		}
	}
	return true
}
