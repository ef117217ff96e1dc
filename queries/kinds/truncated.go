package kinds

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/dprelease/dprelease/internal/mechanism"
)

// Counts of selected keys
//
// A key is published only if its noisy count reaches a threshold. If its count is near the threshold, this happens only
// if its noise is large. So its noisy count is too large on average, and a usual interval misses the count too often.
// For a selected key with the count f, the noisy count has a normal distribution that is truncated at the threshold.
// The probability of a noisy count of at least y is
//
//	S(f) = P(Y >= y | Y >= threshold) = Q((y - g/2 - f)/sigma) / Q((threshold - g/2 - f)/sigma)
//
// It grows with f. Noisy counts are rounded to multiples of g, and Q is the upper tail of the normal distribution.
//
// The lower end of the interval is the count f with S(f) = 2.5 %, computed with y instead of y - g/2, because the grid
// is small compared with sigma. The upper end is the count for which noisy counts above y, from y + g/2 on, have the
// probability 97.5 %, because at the threshold a single noisy count can have more than 2.5 %. A key has a public least
// count. If an interval begins there, the true count cannot be below it. So such an interval contains counts far below
// the threshold in 97.5 % of cases.
//
// A truncated distribution has no unbiased estimate. The median-unbiased estimate, the count f with S(f) = 1/2, is too
// small on average. Its mean error can be computed for each count. So the mean error at the estimated count is
// subtracted, several times over. This is a parametric bootstrap of the bias, without sampling. No estimate exceeds the
// noisy count, because selection only raises noisy counts. Near the threshold, estimates vary by three to four sigma.
// Their bias there is about a tenth of this, and stays positive for counts that are hardly ever selected.
//
// Sources: E. L. Lehmann and J. P. Romano, Testing Statistical Hypotheses, 3rd edition, 2005, sections 3.4 and 3.5, for
// intervals and median-unbiased estimates in families with monotone likelihood ratio; P. Hall and M. A. Martin, On
// bootstrap resampling and iteration, Biometrika 75, 1988, for iterated corrections of bias.

// truncated holds the facts about a selection of keys by noisy counts, and the estimates for counts near the threshold.
// All its numbers are in privacy units.
type truncated struct {
	selection
	// estimates[i] is the estimate for the noisy count cut + (i/estimatePoints)²·farAbove·sigma.
	estimates []float64
}

// selection decides the table of estimates.
type selection struct {
	cut   float64 // noisy counts of at least this number, before rounding, are selected
	sigma float64
	least float64 // the smallest true count that a key can have
	grid  float64 // noisy counts are multiples of it
}

const (
	estimatePoints = 400
	farAbove       = 16 // noisy counts this far above cut, in standard deviations, are their own estimates
	biasRounds     = 8
)

func newTruncated(n mechanism.Noisy) (*truncated, error) {
	s, _ := n.Selection()
	units, err := s.Threshold()
	if err != nil {
		return nil, err
	}
	t := &truncated{selection: selection{cut: (float64(units) - 0.5) * s.Mechanism.Grid, sigma: float64(s.Mechanism.Sigma),
		least: float64(s.Least()), grid: s.Mechanism.Grid}}
	if last := lastTruncated.Load(); last != nil && t.selection == last.selection {
		return last, nil
	}
	t.correct()
	lastTruncated.Store(t)
	return t, nil
}

// lastTruncated is the newest table of estimates, which does not change. Queries of one job often have the same
// selection.
var lastTruncated atomic.Pointer[truncated]

// correct computes the table of estimates.
func (t *truncated) correct() {
	noisy, medians := make([]float64, estimatePoints+1), make([]float64, estimatePoints+1)
	for i := range noisy {
		u := float64(i) / estimatePoints
		noisy[i] = t.cut + u*u*farAbove*t.sigma
		medians[i] = t.solve(noisy[i], 0.5)
	}
	// likely[j][i] is the probability that the noisy count of a key with the count counts[j] is from noisy[i] to
	// noisy[i+1].
	counts, likely := make([]float64, estimatePoints+1), make([][]float64, estimatePoints+1)
	step := (noisy[estimatePoints] - t.least) / estimatePoints
	for j := range counts {
		counts[j], likely[j] = t.least+float64(j)*step, make([]float64, estimatePoints)
		last := 1.0
		for i := range likely[j] {
			next := t.above(noisy[i+1], counts[j])
			likely[j][i], last = last-next, next
		}
	}
	t.estimates = slices.Clone(medians)
	bias := make([]float64, len(counts))
	for range biasRounds {
		for j, f := range counts {
			bias[j] = -f
			for i, p := range likely[j] {
				bias[j] += p * (t.estimates[i] + t.estimates[i+1]) / 2
			}
			bias[j] += t.beyond(noisy[estimatePoints], f)
		}
		for i, f := range medians {
			corrected := t.estimates[i] - interpolate(bias, (f-t.least)/step)
			t.estimates[i] = min(max(t.least, corrected), max(noisy[i], t.least)) // selection only raises noisy counts
		}
		for i := estimatePoints - 1; i >= 0; i-- { // make the estimates rise with the noisy counts
			t.estimates[i] = min(t.estimates[i], t.estimates[i+1])
		}
	}
}

// beyond returns the contribution of noisy counts above end to the mean estimate of a count f. These noisy counts are
// their own estimates.
func (t *truncated) beyond(end, f float64) float64 {
	p := t.above(end, f)
	if p < 1e-12 {
		return 0
	}
	z := (end - f) / t.sigma
	return p * (f + t.sigma*math.Exp(-z*z/2)/math.Sqrt(2*math.Pi)/(math.Erfc(z/math.Sqrt2)/2))
}

// interpolate returns the value of a table at a position between two indices, by linear interpolation.
func interpolate(table []float64, at float64) float64 {
	i := int(max(at, 0))
	if i >= len(table)-1 {
		return table[len(table)-1]
	}
	return table[i] + (max(at, 0)-float64(i))*(table[i+1]-table[i])
}

func (t *truncated) low(y float64) float64  { return min(t.solve(y, 0.025), t.estimate(y)) }
func (t *truncated) high(y float64) float64 { return max(t.solve(y+t.grid/2, 0.975), t.estimate(y)) }

func (t *truncated) estimate(y float64) float64 {
	u := math.Sqrt(max(y-t.cut, 0) / (farAbove * t.sigma))
	if u >= 1 {
		return y
	}
	return min(interpolate(t.estimates, u*estimatePoints), max(y, t.least))
}

// solve returns the count f, at least the smallest possible count, for which a selected noisy count is at least y with
// probability p. Its error is below 10^-6·sigma.
func (t *truncated) solve(y, p float64) float64 {
	low, high := t.least, math.Max(y, t.least)+10*t.sigma
	if t.above(y, low) >= p {
		return low
	}
	for high-low > 1e-6*t.sigma {
		middle := low + (high-low)/2
		if middle <= low || middle >= high {
			break
		}
		if t.above(y, middle) < p {
			low = middle
		} else {
			high = middle
		}
	}
	return low + (high-low)/2
}

// above returns the probability that the noisy count of a selected key with count f is at least y. If both tails are
// too small for a float64, it returns the ratio of their leading terms.
func (t *truncated) above(y, f float64) float64 {
	a, b := (y-f)/t.sigma, (t.cut-f)/t.sigma
	switch {
	case a <= b:
		return 1
	case b > 30:
		return b / a * math.Exp((b-a)*(b+a)/2)
	}
	return math.Erfc(a/math.Sqrt2) / math.Erfc(b/math.Sqrt2)
}
