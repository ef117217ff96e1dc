package kinds

import (
	"math"

	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/queries/domain"
)

const (
	// maxChecked is the largest number of cells of an answer that isNoise examines.
	maxChecked = 1 << 20
	// noiseThreshold is the noise threshold in standard deviations. Noise alone exceeds it in about one of 30,000 answers.
	noiseThreshold = 4
)

// isNoise reports whether a noisy vector could be noise alone: neither the sum of its listed cells nor any single cell
// exceeds the noise threshold. Each cell consists of numbers values. If there are more than maxChecked cells, it
// returns false.
func (q *Base) isNoise(noisy mechanism.Noisy, numbers int) bool {
	if noisy.Len() > maxChecked {
		return false
	}
	strides := domain.AxisStrides(q.Axes)
	sum, largest, cells := 0.0, 0.0, 0
	for i, x := range valuesOf(noisy) {
		if !q.isListed(i/numbers, strides) {
			continue
		}
		sum += x
		largest = max(largest, math.Abs(x))
		cells++
	}
	deviation, n := noisy.Mechanism().Deviation(), float64(max(cells, 1))
	return math.Abs(sum) <= noiseThreshold*deviation*math.Sqrt(n) &&
		largest <= (noiseThreshold+math.Sqrt(2*math.Log(n)))*deviation
}

// sumIsNoise reports whether the sum of a noisy vector could be noise alone.
func sumIsNoise(noisy mechanism.Noisy) bool {
	values := valuesOf(noisy)
	return math.Abs(sumOf(values)) <= noiseThreshold*noisy.Mechanism().Deviation()*math.Sqrt(float64(len(values)))
}

// isListed reports whether a cell is neither a null cell nor an other cell in any of its dimensions.
func (q *Base) isListed(cell int, strides []int) bool {
	for i := range q.Axes {
		a := &q.Axes[i]
		if cell/strides[i]%a.Size >= a.Size-len(a.Extra.Names) {
			return false
		}
	}
	return true
}
