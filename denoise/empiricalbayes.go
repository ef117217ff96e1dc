package denoise

import (
	"math"
)

// signSeed is the public seed of the random signs. Its value is arbitrary.
const signSeed = 0x7369_676e

// EmpiricalBayes returns the posterior means under the prior that makes y most likely among all distributions: the
// nonparametric maximum likelihood of Kiefer & Wolfowitz. It suits tables whose cells have no order. The support of the
// prior is the points k·s/4 near a value of y. If nonnegative is set, only points of at least 0 are used, so no
// estimate is negative.
//
// DF is estimated by applying the estimator to nearby values, with public random signs (Ramani, Blu & Unser 2008). The
// sum of the posterior variances, Σ Var_i/s², would be too small: it omits that the prior depends on the values, which
// is most of DF if values are far apart or dense.
//
// y and the result have d values in one unit, and s > 0 is the standard deviation of their noise. y is not changed. The
// time is O(d·log d), plus a small banded problem that does not grow with d.
//
// Source: Kiefer & Wolfowitz, Annals of Mathematical Statistics 27, 1956; Jiang & Zhang, Annals of Statistics 37, 2009
// (near-optimality); Koenker & Mizera, JASA 109, 2014 (as a convex problem).
func EmpiricalBayes(y []float64, s float64, nonnegative bool) Fit {
	return fitScaled(y, s, func(v scaled) Fit {
		f := Fit{X: posteriorMeans(v.y, v.s, nonnegative)}
		f.DF = divergence(v, func(y []float64) []float64 { return posteriorMeans(y, v.s, nonnegative) })
		return f
	})
}

// divergence estimates the degrees of freedom Σ ∂x_i/∂y_i of an estimator from finite differences. It compares the
// estimates at y + u + e·s/32 and y + u − e·s/32 for public random signs e, and repeats this if there are few values.
// The shifts u, up to half the distance of two support points, are random too. Without them an estimator that jumps
// from point to point would seem constant.
func divergence(v scaled, estimate func([]float64) []float64) (df float64) {
	r, step := public{state: signSeed}, v.s/32
	tries := max(1, min(512/len(v.y), 32))
	down, up := make([]float64, len(v.y)), make([]float64, len(v.y))
	for range tries {
		for i, y := range v.y {
			from := y + (r.unit()-0.5)*v.s/pointsPerDeviation
			if r.unit() <= 0.5 {
				step = -step
			}
			down[i], up[i] = from-step, from+step
		}
		before, after := estimate(down), estimate(up)
		for i := range v.y {
			df += (after[i] - before[i]) / (v.s / 16) * math.Copysign(1, up[i]-down[i])
		}
	}
	return df / float64(tries)
}
