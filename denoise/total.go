package denoise

import (
	"cmp"
	"math"
	"slices"
)

// Total returns the nearest vector, by the sum of squares, whose cells sum to a public total. It adds the same number
// to every cell. If nonnegative is set, it is the projection onto the simplex: cells that would become negative are 0,
// and a total below 0 counts as 0. DF is one less than the number of cells that are not fixed at 0. The sum is exact
// except for rounding. y and total have one unit; y is not changed. The time is O(d·log d).
//
// Source: Held, Wolfe & Crowder, "Validation of subgradient optimization", Mathematical Programming 6, 1974.
func Total(y []float64, total float64, nonnegative bool) Fit {
	largest := max(maxAbs(y), math.Abs(total))
	if largest == 0 || len(y) == 0 {
		return Fit{X: scale(y, 1)}
	}
	return fitScaled(y, largest, func(v scaled) Fit {
		if nonnegative {
			return simplex(v.y, max(v.toScaled(total), 0))
		}
		shift := v.toScaled(total)/float64(len(y)) - mean(v.y)
		return Fit{X: each(v.y, func(x float64) float64 { return x + shift }), DF: float64(len(y) - 1)}
	})
}

// simplex projects y onto the vectors x ≥ 0 with the given sum: x_i = max(y_i − t, 0), for the t that gives this sum.
func simplex(y []float64, total float64) Fit {
	descending := slices.Clone(y)
	slices.SortFunc(descending, func(a, b float64) int { return cmp.Compare(b, a) })
	var sum, t float64
	for k, v := range descending {
		sum += v
		if next := (sum - total) / float64(k+1); k == 0 || v > next {
			t = next
			continue
		}
		break
	}
	f := Fit{X: each(y, func(v float64) float64 { return max(v-t, 0) })}
	for _, x := range f.X {
		if x > 0 {
			f.DF++
		}
	}
	f.DF = max(f.DF-1, 0)
	return f
}
