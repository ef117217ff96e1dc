package denoise

// Lindley returns the James–Stein estimate towards the mean m of all d cells. It suits vectors whose values are around
// a number that is not 0:
//
//	m + (1 − (d−3)·s²/Σ(y_i−m)²)·(y − m)       for d ≥ 4, else y
//
// If positive is set, the factor is at least 0. For every vector of true means the expected squared error is below the
// error of y. DF is d − (d−3)²·s²/Σ(y_i−m)², or 1 if the factor is 0.
//
// y and the result have d values in one unit, and s > 0 is the standard deviation of their noise. y is not changed.
//
// Source: Lindley's discussion of Stein, JRSS B 24, 1962; Efron & Morris, "Data analysis using Stein's estimator", JASA
// 70, 1975.
func Lindley(y []float64, s float64, positive bool) Fit {
	if len(y) < 4 {
		return unchanged(y)
	}
	return fitScaled(y, s, func(v scaled) Fit {
		return shrink(v.y, v.s,
			pull{towards: mean(v.y), lost: 3, positive: positive})
	})
}

// JamesSteinTo returns the James–Stein estimate towards a public target in every cell, with the factor
// 1 − (d−2)·s²/Σ(y_i−target)², for d ≥ 3; else y. See [JamesStein] and [Lindley].
func JamesSteinTo(y []float64, s, target float64, positive bool) Fit {
	if len(y) < 3 {
		return unchanged(y)
	}
	return fitScaled(y, s, func(v scaled) Fit {
		return shrink(v.y, v.s, pull{towards: clampFar(v.toScaled(target)), lost: 2, positive: positive})
	})
}

// Bayes returns the posterior mean of cells whose prior is N(target, w²), w² = prior ≥ 0:
//
//	target + (y − target)·w²/(w² + s²)
//
// y, the target and the result have one unit, prior its square.
//
// Source: Balle & Wang 2018, section 4.
func Bayes(y []float64, s, target, prior float64) Fit {
	return fitScaled(y, s, func(v scaled) Fit {
		factor := bayesFactor(prior, s)
		to := clampFar(v.toScaled(target))
		return Fit{X: each(v.y, func(x float64) float64 { return to + factor*(x-to) }), DF: factor * float64(len(y))}
	})
}

// BayesMean is [Bayes] with the mean of the cells as the target.
func BayesMean(y []float64, s, prior float64) Fit {
	return fitScaled(y, s, func(v scaled) Fit {
		factor, to := bayesFactor(prior, s), mean(v.y)
		return Fit{X: each(v.y, func(x float64) float64 { return to + factor*(x-to) }), DF: 1 + factor*float64(len(y)-1)}
	})
}

// bayesFactor returns w²/(w²+s²) without overflow.
func bayesFactor(prior, s float64) float64 {
	if prior == 0 {
		return 0
	}
	return 1 / (1 + s/prior*s)
}

// pull describes a James–Stein estimate: the target towards which values move, and how many of the d degrees of freedom
// its factor loses (2 for a fixed target, 3 for the mean).
type pull struct {
	towards  float64
	lost     int
	positive bool
}

func shrink(y []float64, s float64, p pull) Fit {
	free := float64(len(y) - p.lost)
	var sum float64
	for _, v := range y {
		u := v - p.towards
		sum += float64(u * u)
	}
	if sum == 0 {
		return Fit{X: scale(y, 1), DF: float64(p.lost - 2)}
	}
	factor := 1 - free*s*s/sum
	if p.positive && factor <= 0 {
		return Fit{X: each(y, func(float64) float64 { return p.towards }), DF: float64(p.lost - 2)}
	}
	factor = max(factor, -farthest)
	x := each(y, func(v float64) float64 { return p.towards + factor*(v-p.towards) })
	return Fit{X: x, DF: max(float64(len(y))-free*free*s*s/sum, -farthest)}
}

func clampFar(x float64) float64 { return max(-farthest, min(x, farthest)) }

func mean(y []float64) float64 {
	var sum float64
	for _, v := range y {
		sum += v
	}
	return sum / float64(len(y))
}
