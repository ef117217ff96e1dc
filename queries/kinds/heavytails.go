package kinds

import "github.com/dprelease/dprelease/calibrate"

// Quantiles of sums of independent Laplace variables. Their tails are heavier than the tails of a normal variable with
// the same variance.
//
// A weighted sum of Laplace variables has the excess kurtosis 3·Σw⁴/(Σw²)². It is 3 for a single variable, 3/n for n
// variables of equal weight, and near 0 for many variables, whose sum is nearly normal. The quantile, in standard
// deviations of the sum, grows with the kurtosis. The table holds it for 1, 2, 3, … variables of equal weight. Between
// these points it is interpolated linearly. For all sums of unequal weights that were compared, the interpolated value
// is above the quantile, by less than 0.016. So intervals are never too narrow, and cover at most 0.15 % too much. A
// two-sided geometric variable is nearly Laplace if it takes many values.
//
// The table was computed by numerical inversion of the characteristic function Π 1/(1 + b²t²), and rounded up.

// tailPoint holds half-widths for a sum with this excess kurtosis, in standard deviations of the sum: of the 95 % and
// the 97.5 % interval.
type tailPoint struct{ kurtosis, z95, z975 float64 }

// tailTable is for sums of 1, 2, 3, 4, 8, 16, 40 and infinitely many variables of equal weight.
var tailTable = []tailPoint{
	{3, 2.1184, 2.6085}, {1.5, 2.0566, 2.4660}, {1, 2.0285, 2.4037}, {0.75, 2.0127, 2.3684}, {0.375, 1.9869,
		2.3091}, {0.1875, 1.9734, 2.2763},
	{0.075, 1.9653, 2.2556}, {0, calibrate.Z95, 2.2415},
}

// HeavyZ95 returns half the width of the 95 % interval of a sum of independent Laplace variables with this excess
// kurtosis, in standard deviations of the sum. For an excess kurtosis of 0 it is [calibrate.Z95].
func HeavyZ95(kurtosis float64) float64 {
	return interpolatedTail(kurtosis, func(p tailPoint) float64 { return p.z95 })
}

// HeavyTails returns the points between which [HeavyZ95] is linear, as {excess kurtosis, half-width}, from the largest
// kurtosis to the smallest.
func HeavyTails() (points [][2]float64) {
	for _, p := range tailTable {
		points = append(points, [2]float64{p.kurtosis, p.z95})
	}
	return points
}

// heavyZ975 does the same as [HeavyZ95] for the 97.5 % interval.
func heavyZ975(kurtosis float64) float64 {
	return interpolatedTail(kurtosis, func(p tailPoint) float64 { return p.z975 })
}

func interpolatedTail(kurtosis float64, of func(tailPoint) float64) float64 {
	for i, p := range tailTable[1:] {
		if above := tailTable[i]; kurtosis > p.kurtosis {
			share := min((kurtosis-p.kurtosis)/(above.kurtosis-p.kurtosis), 1)
			return of(p) + share*(of(above)-of(p))
		}
	}
	return of(tailTable[len(tailTable)-1])
}

// kurtosisOfTwo returns the excess kurtosis of the sum of two independent Laplace variables with these standard
// deviations, or 3 if both are 0.
func kurtosisOfTwo(a, b float64) float64 {
	x, y := a*a, b*b
	if x+y == 0 {
		return 3
	}
	return 3 * (x*x + y*y) / ((x + y) * (x + y))
}
