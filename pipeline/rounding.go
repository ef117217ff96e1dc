package pipeline

import (
	"math"
	"slices"
	"sync"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/queries/query"
)

// Rounding of estimates
//
// An estimate with an error of 300 is published as 1635, and not as 1635.8043212890625: its other digits are noise. The
// step of the rounding is the largest power of ten that is at most a hundredth of the estimate's error, so that it adds
// less than one part in 10^5 to the squared error, and no bias. Ends of intervals are rounded outward. Noisy values
// stay as they are, on the grid of their noise: a release is read back from them.

// stepsOfError is the smallest ratio of an estimate's error to its rounding step.
const stepsOfError = 100

// rounds reports whether the estimates of query i are rounded. They are not rounded if they add up exactly to a public
// total or to other tables: sums of rounded cells would no longer add up.
func (c *RunPlan) rounds(i int) bool {
	q := &c.queries[i]
	agrees := q.Kind == query.Crosstab || len(q.margins) > 0 ||
		slices.ContainsFunc(q.Steps, func(s *denoise.Step) bool { return s.Name() == "total" })
	for k := range c.queries {
		agrees = agrees || slices.ContainsFunc(c.queries[k].margins, func(m margin) bool { return m.query == i })
	}
	return !agrees
}

// rounded returns an answer with rounded estimates and intervals, also in the tables computed from it. Each cell has
// its own rounding step. All rows of a computed table have the same step, so that rounding keeps their order.
func rounded(a query.Answer) query.Answer {
	a.Readings = slices.Clone(a.Readings)
	for i := range a.Readings {
		r := a.Readings[i].Answer
		finest := sync.OnceValues(func() (int, bool) { return finestStep(r) })
		a.Readings[i].Answer = roundedBy(r, func(_, _ float64) (int, bool) { return finest() })
	}
	return roundedBy(a, roundingStep)
}

// roundedBy rounds each cell of an answer to a power of ten. step returns the exponent for the ends of the cell's
// interval; if it returns false, the cell stays as it is.
func roundedBy(a query.Answer, step func(low, high float64) (exponent int, ok bool)) query.Answer {
	if a.Estimate == nil || a.Low == nil || a.High == nil {
		return a
	}
	low, high := a.Low, a.High
	each := func(s query.Series, round func(x float64, exponent int) float64) query.Series {
		return func(start int, dst []float64) {
			lows, highs := make([]float64, len(dst)), make([]float64, len(dst))
			low(start, lows)
			high(start, highs)
			s(start, dst)
			for i, x := range dst {
				if exponent, ok := step(lows[i], highs[i]); ok && !math.IsNaN(x) {
					dst[i] = round(x, exponent)
				}
			}
		}
	}
	a.Estimate = each(a.Estimate, func(x float64, e int) float64 { return roundTo(x, e, math.Round) })
	a.Low = each(low, func(x float64, e int) float64 { return roundOutward(x, e, -1) })
	a.High = each(high, func(x float64, e int) float64 { return roundOutward(x, e, 1) })
	return a
}

// roundingStep returns the exponent of the rounding step for an estimate with this interval: floor(log10(error/100)),
// with error = (high - low)/(2·1.96). It returns false if the interval has length 0 or is unknown.
func roundingStep(low, high float64) (exponent int, ok bool) {
	deviation := (high - low) / (2 * calibrate.Z95)
	if !(deviation > 0) || math.IsInf(deviation, 0) {
		return 0, false
	}
	// in floating point, intervals of equal length may differ by this fraction, which must not change the step
	const lastBits = 1e-9
	return int(math.Floor(math.Log10(deviation/stepsOfError) + lastBits)), true
}

// finestStep returns the smallest exponent of the rounding steps of an answer's rows; false if no row has a step.
func finestStep(a query.Answer) (exponent int, ok bool) {
	const block = 1 << 12
	lows, highs := make([]float64, block), make([]float64, block)
	for start := 0; start < a.Cells; start += block {
		n := min(block, a.Cells-start)
		a.Low(start, lows[:n])
		a.High(start, highs[:n])
		for i := range n {
			if e, known := roundingStep(lows[i], highs[i]); known && (!ok || e < exponent) {
				exponent, ok = e, true
			}
		}
	}
	return exponent, ok
}

// roundTo rounds x to a multiple of 10^exponent: the float64 nearest to that decimal. choose is math.Round, math.Floor
// or math.Ceil. It returns x unchanged if x is 2^53 steps or more.
func roundTo(x float64, exponent int, choose func(float64) float64) float64 {
	const maxSteps, maxExponent = 1 << 53, 300
	if exponent < -maxExponent || exponent > maxExponent {
		return x
	}
	power := math.Pow10(max(exponent, -exponent))
	steps, decimal := x/power, func(n float64) float64 { return n * power }
	if exponent < 0 {
		steps, decimal = x*power, func(n float64) float64 { return n / power }
	}
	if !(math.Abs(steps) < maxSteps) {
		return x
	}
	return decimal(choose(steps)) + 0 // + 0 turns -0 into 0
}

// roundOutward rounds an end of an interval outward to a multiple of 10^exponent. direction is -1 for the lower end and
// 1 for the upper end.
func roundOutward(x float64, exponent int, direction float64) float64 {
	away := math.Floor
	if direction > 0 {
		away = math.Ceil
	}
	end := roundTo(x, exponent, away)
	if (end-x)*direction < 0 { // the division x/step was rounded past x
		end = roundTo(end+direction*math.Pow10(exponent), exponent, math.Round)
	}
	return end
}
