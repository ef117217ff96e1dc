package queries

import (
	"math"

	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/queries/domain"
)

const (
	// maxChecked is the largest number of cells of an answer that Nothing looks at.
	maxChecked = 1 << 20
	// largestNoise is the largest value, in standard deviations of the noise, of a sum or a cell that is taken for noise alone, which is
	// beyond it once in about 30,000 answers.
	largestNoise = 4
)

// Nothing says whether a query's noisy vectors look like those of an input without a usable row: neither the sum of the counts, or of the
// values, nor any single cell is larger than noise makes it. It is made from noisy values alone, so its answer is as public as they are.
// Null cells and other cells do not count. Of very many cells, and of means of a public number of terms, it says false.
func Nothing(q Query, noisy []mechanism.Noisy) bool { return q.looksEmpty(noisy) }

func (q *counting) looksEmpty(noisy []mechanism.Noisy) bool { return q.isNoise(noisy[0], 1) }

// isNoise is [Nothing] for one vector, of some numbers a cell.
func (q *counting) isNoise(noisy mechanism.Noisy, numbers int) bool {
	if noisy.Len() > maxChecked {
		return false
	}
	strides := domain.AxisStrides(q.axes)
	sum, largest, cells := 0.0, 0.0, 0
	values := make([]float64, noisy.Len())
	noisy.Fill(0, values)
	for i, x := range values {
		if !q.isListed(i/numbers, strides) {
			continue
		}
		sum += x
		largest = max(largest, math.Abs(x))
		cells++
	}
	deviation, n := noisy.Mechanism().Deviation(), float64(max(cells, 1))
	return math.Abs(sum) <= largestNoise*deviation*math.Sqrt(n) && largest <= (largestNoise+math.Sqrt(2*math.Log(n)))*deviation
}

// isListed says whether a cell is neither a null cell nor an other cell.
func (q *counting) isListed(cell int, strides []int) bool {
	for i := range q.axes {
		a := &q.axes[i]
		if cell/strides[i]%a.Size >= a.Size-len(a.Extra.Names) {
			return false
		}
	}
	return true
}
