package kinds

import (
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/quantize"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/sensitivity"
)

// Variances
//
// The centre of the range is subtracted from each value. The variance of a group is then the mean of the squares minus
// the square of the mean. So three totals are computed for each group: the sum of values, the sum of squares, and the
// row count. Half of the largest square is subtracted from each square, which halves the sensitivity, as the centre
// does for values. A value is at most 2^30 quanta, so its square is an integer of 60 bits.

const (
	squareBits    = 30
	maxSquareLog2 = 400 // so that the quantum of squares is within the sampler's range
)

var varianceFacts = sumsKind{
	quantizer: quantize.Options{Centred: true, Bits: squareBits, MaxLog2: maxSquareLog2},
	columns:   []string{noisySum, noisySquares, noisyCount}, check: checkVariance,
	summary: func(v *quantize.Quantizer) summary { return varianceOfValues{v} },
}

// varianceOfValues is the summary of a variance.
type varianceOfValues struct{ values *quantize.Quantizer }

// Extra returns two totals: the sums of squares, each minus half of the largest square, and the row counts.
func (k varianceOfValues) Extra() extraVectors {
	most := k.values.Half() * k.values.Half()
	return extraVectors{second: &aggregation.Second{Less: most / 2, Exponent: 2 * k.values.Exponent}, Rows: true}
}

// checkVariance reports parts of a spec that a variance cannot have.
func checkVariance(s query.Spec, p *problem.Problems) {
	v := s.Value
	if v == nil {
		return
	}
	if v.List || len(v.Columns) > 1 || v.ClipL2 != "" {
		p.Add("variance", problem.CodeBadSpec, "a variance is of one column of numbers", "use column and clamp: [lo, hi]")
	}
	if s.Declared != 0 {
		p.Add(problem.FieldSensitivity, problem.CodeBadSpec,
			"a variance made of noisy sums and a noisy count has three sensitivities", "leave the declaration out")
	}
}

// components returns the three components of a variance: values, squares and row counts.
//
// Let h be half the range, m the mean minus the centre, and q the mean square. Let sigma_s, sigma_q and sigma_c be the
// standard deviations of the noise in the sums of values, the sums of squares and the count. The squared error of the
// variance of n rows is about (sigma_q² + (2·m·sigma_s)² + (2·m² − (q − h²/2))²·sigma_c²)/n². For m = h/2 and q = h²/2
// this is (sigma_q² + h²·sigma_s² + h⁴/4·sigma_c²)/n². It is least if each component's fraction of mu² is proportional
// to its sensitivity times the root of the factor of its variance.
func (varianceOfValues) components(q *Sums, adj query.Adjacency) ([]query.Component, error) {
	sum, count := q.sumAndCount(adj)
	r, h := q.squareReach(), q.Quantizer.Real(q.Quantizer.Half())
	l2 := r.Norm(q.Limits, adj, q.Size)
	square := query.Component{
		Name: "squares", Cells: q.Size, Quantum: math.Ldexp(1, r.Exponent), RowBound: math.Ldexp(float64(r.More),
			r.Exponent), Scale: 1, Weight: l2,
		Sens: calibrate.Sensitivity{L2: l2, Why: q.whySum(adj) + ", squared and less half of the largest square: " +
			spelling.Exact(l2)},
	}
	square.L1 = r.AbsoluteNorm(q.Limits, adj, q.Size)
	square.WhyL1 = q.whySum(adj) + ", squared and less half of the largest square: " + spelling.Exact(square.L1)
	// costs are relative to the square of the largest variance, which is h²/2
	sum.Cost, square.Cost = 4*float64(q.Size)/(h*h), 4*float64(q.Size)/(h*h*h*h)
	sum.Weight, count.Weight = h*sum.Sens.L2, h*h/2*count.Sens.L2
	return []query.Component{sum, square, count}, nil
}

// answer returns the columns of the variances, and of the three noisy vectors.
func (varianceOfValues) answer(q *Sums, noisy, estimate []noisyVector) query.Answer {
	m := moments{
		half: q.Quantizer.Real(q.Quantizer.Half()), sum: noisy[0].deviation, square: noisy[1].deviation,
		count: noisy[2].deviation, tail: tailOf(heavyZ975, noisy...),
	}
	of := func(f func(s, q, n float64) float64) query.Series { return three(noisy, f) }
	return query.Answer{
		Noisy: of(m.variance), Estimate: three(estimate, m.estimate), Sigma: of(m.sigma),
		Low:  of(func(s, q, n float64) float64 { low, _ := m.interval(s, q, n); return low }),
		High: of(func(s, q, n float64) float64 { _, high := m.interval(s, q, n); return high }),
		Extra: []query.Extra{{Name: noisySum, Values: noisy[0].own.Fill}, {Name: noisySquares, Values: noisy[1].own.Fill},
			{Name: noisyCount, Values: noisy[2].own.Fill}},
	}
}

func (varianceOfValues) readBack(q *Sums, c query.Columns, grids []float64) (query.Recovered, error) {
	if len(c.Extra) != 3 {
		return query.Recovered{}, errInexact
	}
	return recoverColumns(q.Cells(), grids, c.Extra[0], c.Extra[1], c.Extra[2])
}

// looksEmpty reports whether the noisy counts could be noise alone.
func (varianceOfValues) looksEmpty(q *Sums, noisy []mechanism.Noisy) bool {
	return q.isNoise(noisy[2], 1)
}

// squareReach returns the largest difference between a square and half of the largest square, which is subtracted from
// it.
func (q *Sums) squareReach() *sensitivity.Reach {
	most := q.Quantizer.Half() * q.Quantizer.Half()
	return &sensitivity.Reach{More: most - most/2, Less: most / 2, Components: 1, Exponent: 2 * q.Quantizer.Exponent}
}

// moments computes a variance from three noisy numbers: s, the sum of values minus the centre; q, the sum of squares
// minus h²/2 each; and n, the number of rows. sum, square and count are the standard deviations of their noise.
type moments struct {
	half               float64 // h: half the range of the values
	sum, square, count float64
	tail               func(kurtosis float64) float64 // see the field tail of ratio
}

// varianceZ is the half-width, in standard deviations, of a 97.5 % interval. Two such intervals both contain the true
// values with a probability of at least 95 %. It is Phi⁻¹(0.9875) = 2.2414027276049464…, rounded up.
const varianceZ = 0x1.1ee648da1d3ddp+1

// ratios returns the quotients by which the mean and the mean square are computed.
func (m moments) ratios() (mean, square ratio) {
	mean = ratio{Half: m.half, Sum: m.sum, Count: m.count, Z: varianceZ, tail: m.tail}
	square = ratio{Centre: m.half * m.half / 2, Half: m.half * m.half / 2, Sum: m.square, Count: m.count, Z: varianceZ,
		tail: m.tail}
	return mean, square
}

// variance returns the mean square minus the square of the mean, limited to [0, h²], or NaN if n is not positive.
func (m moments) variance(s, q, n float64) float64 {
	if n <= 0 {
		return math.NaN()
	}
	mean, square := m.ratios()
	x := mean.mean(s, n)
	return m.clip(square.mean(q, n) - x*x)
}

func (m moments) clip(x float64) float64 { return min(max(x, 0), m.half*m.half) }

// estimate returns the variance, computed with n of at least 1. It is NaN if n is not positive.
func (m moments) estimate(s, q, n float64) float64 {
	if n <= 0 {
		return math.NaN()
	}
	return m.variance(s, q, max(n, 1))
}

// sigma returns the standard deviation of the variance by the delta method, or NaN if n is not positive.
func (m moments) sigma(s, q, n float64) float64 {
	if n <= 0 {
		return math.NaN()
	}
	mean, square := m.ratios()
	x := mean.mean(s, n)
	less := square.mean(q, n) - square.Centre
	return math.Hypot(math.Hypot(m.square, 2*x*m.sum), (2*x*x-less)*m.count) / n
}

// interval returns an interval that contains the true variance with a probability of 95 %. It inverts a test: if the
// true variance were at an end, a noisy variance as far away as the observed one, or farther, would have a probability
// of 2.5 %. The test uses the noisy count and the noisy mean instead of the true ones. This is too inexact if the count
// does not far exceed its noise, or if the noise is not normal. Then the interval contains all variances that Fieller's
// 97.5 % intervals of the mean and of the mean square allow, which covers the true variance more often.
func (m moments) interval(s, q, n float64) (low, high float64) {
	low, high = m.jointInterval(s, q, n)
	if m.tail != nil || n < manyCounts*m.count {
		return low, high
	}
	mean, _ := m.ratios()
	at := variedVariance{moments: m, noisy: m.raw(s, q, n), rows: n, mean: mean.clip(s / n)}
	deviation, noisy := m.sigma(s, q, n), m.variance(s, q, n)
	return min(max(low, at.solve(-calibrate.Z95, deviation)), noisy),
		max(min(high, at.solve(calibrate.Z95, deviation)), noisy)
}

// manyCounts decides about the inverted test: it is used if the count is at least this many standard deviations of its
// noise.
const manyCounts = 15

// jointInterval returns an interval that contains the true variance with a probability of at least 95 %: all variances
// that the 97.5 % intervals of the mean and of the mean square allow.
func (m moments) jointInterval(s, q, n float64) (low, high float64) {
	mean, square := m.ratios()
	a, b := mean.interval(s, n)
	c, d := square.interval(q, n)
	most, least := max(a*a, b*b), min(a*a, b*b)
	if a <= 0 && b >= 0 {
		least = 0
	}
	return m.clip(outwards(c-most, -1)), m.clip(outwards(d-least, 1))
}

// raw returns the mean square minus the square of the mean. It limits the mean to its range, but neither the mean
// square nor the result.
func (m moments) raw(s, q, n float64) float64 {
	x := min(max(s/n, -m.half), m.half)
	return q/n + m.half*m.half/2 - x*x
}

// variedVariance is the distribution of the noisy variance, for a given number of rows and a given mean.
type variedVariance struct {
	moments
	noisy, rows, mean float64
}

// solve returns the true variance for which the noisy variance is z normal deviations below the middle of its
// distribution. It makes Newton's steps, from a linear approximation with the given standard deviation. The result may
// be outside of [0, h²].
func (v variedVariance) solve(z, deviation float64) float64 {
	x := v.noisy + z*deviation
	for range 4 {
		p := v.above(x)
		if p <= 0 || p >= 1 {
			break
		}
		x -= deviation * (math.Sqrt2*math.Erfinv(2*p-1) - z)
	}
	return x
}

// above returns the probability that a noisy variance is at least the observed one, if the true variance is x. The
// noise of sum and count is integrated by quadrature, the noise of the squares in closed form.
func (v variedVariance) above(x float64) (p float64) {
	offset := v.half * v.half / 2
	sum, square := v.mean*v.rows, (x+v.mean*v.mean-offset)*v.rows
	for i, a := range hermiteNodes {
		n := v.rows + a*v.count
		for j, b := range hermiteNodes {
			mean := min(max((sum+b*v.sum)/n, -v.half), v.half)
			needed := (v.noisy-offset+mean*mean)*n - square // the noise of the squares must be at least this
			p += hermiteWeights[i] * hermiteWeights[j] * math.Erfc(needed/(v.square*math.Sqrt2)) / 2
		}
	}
	return p
}

// hermiteNodes and hermiteWeights are the Gauss-Hermite rule with nine points for a standard normal variable
// (Abramowitz and Stegun, table 25.10, scaled).
var (
	hermiteNodes = [9]float64{-4.512745863399783, -3.2054290028564703, -2.07684797867783, -1.0232556637891324, 0,
		1.0232556637891324, 2.07684797867783, 3.2054290028564703, 4.512745863399783}
	hermiteWeights = [9]float64{2.234584400774657e-05, 0.0027891413212317645, 0.04991640676521785, 0.24409750289493937,
		0.40634920634920635, 0.24409750289493937, 0.04991640676521785, 0.0027891413212317645, 2.234584400774657e-05}
)

// three returns a series with f(s, q, n) for the values of three vectors, cell by cell.
func three(components []noisyVector, f func(s, q, n float64) float64) query.Series {
	return func(start int, dst []float64) {
		s, n := make([]float64, len(dst)), make([]float64, len(dst))
		components[0].fill(start, s)
		components[1].fill(start, dst)
		components[2].fill(start, n)
		for i, q := range dst {
			dst[i] = f(s[i], q, n[i])
		}
	}
}

// halfWidth returns an upper bound on the half-width of a variance's interval, multiplied by the number of rows, if
// this number far exceeds its noise. h is half the range of values. deviations are the standard deviations of the sums
// of values, the sums of squares and the count.
func (varianceOfValues) halfWidth(h float64, deviations []float64, normal bool) float64 {
	sum, square, count := deviations[0], deviations[1], deviations[2]
	if normal {
		const atTheEnds = 1.02 // intervals are up to 1 % wider if the mean or the mean square is at an end of its range
		return atTheEnds * calibrate.Z95 * math.Hypot(math.Hypot(square, 2*h*sum), 1.5*h*h*count)
	}
	ofMean, ofSquare := math.Hypot(sum, h*count), math.Hypot(square, h*h/2*count)
	return heavyZ975(kurtosisOfTwo(square, h*h/2*count))*ofSquare + heavyZ975(kurtosisOfTwo(sum, h*count))*2*h*ofMean
}
