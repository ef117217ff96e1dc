package calibrate

import (
	"math"

	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// The grid of a mechanism
//
// Every number that a mechanism releases is a multiple of a power of two, the grid. So exact answers and noise are
// integers: int64 multiples of the grid. The grid must be so fine that rounding to it adds almost no error, and so
// coarse that no sum overflows. It depends only on public numbers: sigma, the quantum of the answers and the largest
// absolute value that a row adds.

// Limits on the grid g of a mechanism. Each constant is an exponent of two.
const (
	fineness     = 4     // g <= sigma/2^4: rounding adds at most 1/3000 to the variance
	coarseness   = 40    // sigma/g <= 2^40
	rowCapacity  = 48    // a table has at most 2^48 rows
	exactUnits   = 61    // an exact answer is at most 2^61 grid units
	minScaleLog2 = -7    // the sampler needs sigma/g >= 2^-7
	maxScaleLog2 = 55    // the sampler needs sigma/g <= 2^55
	minGridLog2  = -1022 // smaller float64s are subnormal and have fewer digits
)

// Grid returns the power of two whose multiples a mechanism releases. It is the smaller of the quantum and the largest
// power of two that is at most sigma/16. It is raised if integers would overflow otherwise, until sigma/g <= 2^40 and
// rowBound·2^48/g <= 2^61. The quantum is the power of two of which every exact answer is a multiple (1 for counts).
// rowBound is the largest absolute value that one row adds to a cell. quantum, rowBound, sigma and the grid are in the
// query's unit.
//
// Proof note: int64 cannot overflow. A cell's exact answer, or the sum of some of its rows, adds at most 2^48 rows of
// at most rowBound each, which is at most 2^61 grid units. The noise is S·Z with S = sigma/g <= 2^55, so it is at most
// 2^62 if |Z| <= 2^7. |Z| is larger with probability below 2^-11800, and the sampler handles this case. Rounding adds
// half a unit, so the released number is below 2^61 + 2^62 + 1 < 2^63.
//
// The grid is larger than the quantum if sigma or rowBound is very large. Rounding to the grid is then a step of the
// mechanism, whose guarantee holds for any grid that does not depend on data. Errors are *ArgumentError: "sigma" if it
// is not positive and finite or if sigma/g is outside of the sampler's [2^-7, 2^55]; "quantum"; "rowBound".
func Grid(sigma Sigma, quantum, rowBound float64) (float64, error) {
	if err := argument.Positive("sigma", float64(sigma)); err != nil {
		return 0, err
	}
	if err := argument.PowerOfTwo("quantum", quantum); err != nil {
		return 0, err
	}
	if err := argument.Positive("rowBound", rowBound); err != nil {
		return 0, err
	}
	e := min(numeric.FloorLog2(quantum), numeric.FloorLog2(float64(sigma))-fineness)
	e = max(e, numeric.CeilLog2(float64(sigma))-coarseness, numeric.CeilLog2(rowBound)+rowCapacity-exactUnits)
	if e < minGridLog2 || numeric.FloorLog2(float64(sigma)) < e+minScaleLog2 ||
		numeric.CeilLog2(float64(sigma)) > e+maxScaleLog2 {
		return 0, argument.New("sigma", "= %g is too small beside the largest value of a row, %g, to be sampled",
			float64(sigma), rowBound)
	}
	return math.Ldexp(1, e), nil
}
