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

// stepsOfError is the least number of steps of the rounding in an estimate's error.
const stepsOfError = 100

// rounds reports whether the estimates of a query are rounded. They are not if they agree exactly with a public total
// or with other tables: sums of rounded cells would differ from it.
func (c *RunPlan) rounds(i int) bool {
	q := &c.queries[i]
	agrees := q.Kind == query.Crosstab || len(q.margins) > 0 ||
		slices.ContainsFunc(q.Steps, func(s *denoise.Step) bool { return s.Name() == "total" })
	for k := range c.queries {
		agrees = agrees || slices.ContainsFunc(c.queries[k].margins, func(m margin) bool { return m.query == i })
	}
	return !agrees
}

// rounded returns an answer with rounded estimates and intervals, also in the tables that were computed from it. Each
// cell has its own step. A computed table has one step for all rows, so that their order stays.
func rounded(a query.Answer) query.Answer {
	a.Readings = slices.Clone(a.Readings)
	for i := range a.Readings {
		r := a.Readings[i].Answer
		finest := sync.OnceValues(func() (int, bool) { return finestStep(r) })
		a.Readings[i].Answer = roundedBy(r, func(_, _ float64) (int, bool) { return finest() })
	}
	return roundedBy(a, roundingStep)
}

// roundedBy rounds each cell of an answer to a power of ten, whose exponent step returns for the ends of its interval;
// false leaves the cell as it is.
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

// roundingStep returns the exponent of the step of an estimate with this interval, floor(log10(error/100)), in which
// the error is (high - low)/(2·1.96). It is false if the interval has no length, or none that is known.
func roundingStep(low, high float64) (exponent int, ok bool) {
	deviation := (high - low) / (2 * calibrate.Z95)
	if !(deviation > 0) || math.IsInf(deviation, 0) {
		return 0, false
	}
	const lastBits = 1e-9 // intervals of equal length differ by this in floating point, which must not decide
	return int(math.Floor(math.Log10(deviation/stepsOfError) + lastBits)), true
}

// finestStep returns the smallest exponent of any row's step; false if no row has one.
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

// roundTo returns the multiple of 10^exponent that choose returns, which is math.Round, math.Floor or math.Ceil: the
// float64 nearest to that decimal. It returns x itself if x has 2^53 steps or more.
func roundTo(x float64, exponent int, choose func(float64) float64) float64 {
	const mostSteps, mostExponent = 1 << 53, 300
	if exponent < -mostExponent || exponent > mostExponent {
		return x
	}
	power := math.Pow10(max(exponent, -exponent))
	steps, decimal := x/power, func(n float64) float64 { return n * power }
	if exponent < 0 {
		steps, decimal = x*power, func(n float64) float64 { return n / power }
	}
	if !(math.Abs(steps) < mostSteps) {
		return x
	}
	return decimal(choose(steps)) + 0 // + 0: no negative zero
}

// roundOutward moves an end of an interval to a multiple of 10^exponent that is not inside of it. Direction is -1 for
// the lower end and 1 for the upper end.
func roundOutward(x float64, exponent int, direction float64) float64 {
	away := math.Floor
	if direction > 0 {
		away = math.Ceil
	}
	end := roundTo(x, exponent, away)
	if (end-x)*direction < 0 { // the number of steps was rounded inward
		end = roundTo(end+direction*math.Pow10(exponent), exponent, math.Round)
	}
	return end
}
