package kinds

import "github.com/dprelease/dprelease/calibrate"

// Quantiles of sums of independent Laplace variables, whose tails are heavier than the tails of a normal variable of
// the same variance
//
// A weighted sum of n such variables has an excess kurtosis of 3·Σw⁴/(Σw²)², which is 3 for a single one, 3/n for n of
// equal weight, and near 0 for many, which are nearly normal. The quantile of a sum, in its standard deviations, grows
// with its kurtosis: between the values for 1, 2, 3, … equal weights the lines of the table lie above it, by less than
// 0.016 for the sums of unequal weights that were compared. So intervals are too wide by 0.15 % of probability at most,
// and not too narrow. Two-sided geometric variables are nearly Laplace if they take many values.
//
// The table was computed by numerical inversion of the characteristic function Π 1/(1 + b²t²), and rounded up.

// tailPoint is the quantile of |X| at two levels for an excess kurtosis.
type tailPoint struct{ kurtosis, z95, z975 float64 }

// tailTable has the sums of 1, 2, 3, 4, 8, 16, 40 and infinitely many variables of equal weight.
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

// HeavyTails returns points of [HeavyZ95], by falling kurtosis, between which it is linear: the excess kurtosis and
// half the width of the interval.
func HeavyTails() (points [][2]float64) {
	for _, p := range tailTable {
		points = append(points, [2]float64{p.kurtosis, p.z95})
	}
	return points
}

// heavyZ975 is [HeavyZ95] for the 97.5 % interval.
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
// deviations; 3 if both are 0.
func kurtosisOfTwo(a, b float64) float64 {
	x, y := a*a, b*b
	if x+y == 0 {
		return 3
	}
	return 3 * (x*x + y*y) / ((x + y) * (x + y))
}
