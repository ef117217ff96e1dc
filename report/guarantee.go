package report

import (
	"math"
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
)

// What a guarantee means
//
// All numbers follow from one curve, delta(eps): for every set S of outputs, every real eps and neighbouring tables,
//
//	P(S) <= e^eps · Q(S) + delta(eps).
//
// Gaussian noise of parameter mu has the curve of Balle & Wang 2018, Theorem 8. A part that is pure(e0) beside it is
// dominated by randomized response, whose likelihood ratio is e^e0 with probability w = e^e0/(1+e^e0) and e^-e0 else
// (Kairouz, Oh & Viswanath 2015), so that delta(eps) = w·delta_mu(eps - e0) + (1-w)·delta_mu(eps + e0). The probability
// that partition selection fails is added to every delta(eps).
//
// An observer who believes with probability p that the unit is in the table, and guesses optimally, is right with
// probability at most p + (1-p)·delta(ln(p/(1-p))) for p >= 1/2, and symmetrically below: for mu alone p·Phi(mu/2+c) +
// (1-p)·Phi(mu/2-c) with c = ln(p/(1-p))/mu. A membership test with false positive rate a has a true positive rate of
// at most e^eps·a + delta(eps), for every eps: for mu alone Phi(Phi⁻¹(a) + mu) (Dong, Roth & Su 2022).
//
// Every step is rounded up, so that no number promises too much.

// guarantee is the differential privacy guarantee of a release.
type guarantee struct {
	// Mu is the parameter of the Gaussian mechanisms together, Pure the epsilon of the pure mechanisms together, and
	// Failure the probability that partition selection fails. Each may be 0.
	Mu, Pure, Failure float64
	// Both is true if Mu and Pure are two bounds for the same noise, and false if they are the guarantees of two
	// independent parts.
	Both bool
}

// apart splits a guarantee in which Both is true into its two bounds, Mu and Pure. Each of them alone holds for the
// release.
func (g guarantee) apart() (gaussian, pure guarantee) {
	return guarantee{Mu: g.Mu, Failure: g.Failure}, guarantee{Pure: g.Pure, Failure: g.Failure}
}

// slack is an upper bound on the relative error of a few float64 operations.
const slack = 1e-14

// upward returns a number above x by more than the rounding error of a few operations.
func upward(x float64) float64 {
	if math.IsInf(x, 0) {
		return x // infinity plus its slack would be NaN for -Inf
	}
	return x + math.Abs(x)*slack
}

// probability returns x, an upper bound of a probability, as a fraction; 1 if x is NaN or above 1.
func probability(x float64) *big.Rat {
	r := new(big.Rat).SetFloat64(x)
	if r == nil || r.Cmp(big.NewRat(1, 1)) > 0 {
		return big.NewRat(1, 1)
	}
	return r
}

// Delta returns an upper bound of delta(eps), at most 1: the release is (eps, Delta(eps))-differentially private.
func (g guarantee) Delta(eps float64) float64 {
	if g.Both {
		gaussian, pure := g.apart()
		return min(gaussian.Delta(eps), pure.Delta(eps))
	}
	d := g.gaussian(eps)
	if g.Pure > 0 {
		w := 1 / (1 + math.Exp(-g.Pure))
		d = upward(w*g.gaussian(eps-g.Pure) + (1-w)*g.gaussian(eps+g.Pure))
	}
	if g.Failure > 0 {
		d = upward(d + g.Failure)
	}
	return min(d, 1)
}

// gaussian returns delta(eps) of the Gaussian mechanisms, also for eps below 0: delta(-eps) = 1 - e^-eps·(1 -
// delta(eps)).
func (g guarantee) gaussian(eps float64) float64 {
	switch {
	case g.Mu == 0 && eps >= 0:
		return 0
	case g.Mu == 0:
		return min(1, upward(-math.Expm1(eps)))
	case eps < 0:
		return min(1, upward(-math.Expm1(eps)+math.Exp(eps)*g.gaussian(-eps)))
	case eps > float64(calibrate.MaxEpsilon):
		return g.gaussian(float64(calibrate.MaxEpsilon))
	}
	d, err := calibrate.GaussianDelta(calibrate.Epsilon(eps), calibrate.Mu(g.Mu))
	if err != nil {
		return 1
	}
	return float64(d)
}

// Guess returns the largest probability of a right guess by an observer who believed with probability p, between 0 and
// 1, that the unit is in the table. It is exact except for the rounding of delta.
func (g guarantee) Guess(p *big.Rat) *big.Rat {
	more := new(big.Rat).Set(p)
	less := new(big.Rat).Sub(big.NewRat(1, 1), p)
	if more.Cmp(less) < 0 {
		more, less = less, more
	}
	odds, _ := new(big.Rat).Quo(more, less).Float64()
	eps := math.Log(odds)
	eps -= math.Abs(eps) * slack // a smaller epsilon, so that its rounding error makes delta larger
	gain := probability(g.Delta(max(eps, 0)))
	gain.Mul(gain, less)
	return gain.Add(gain, more)
}

// TruePositives returns the largest true positive rate of a test for membership whose false positive rate is a.
func (g guarantee) TruePositives(a float64) float64 {
	if g.Both {
		gaussian, pure := g.apart()
		return min(gaussian.TruePositives(a), pure.TruePositives(a))
	}
	if g.Pure == 0 && g.Mu > 0 {
		quantile, err := methods.InvErfc(2 * a)
		if err != nil {
			return 1
		}
		x := quantile - g.Mu/math.Sqrt2 // (-Phi⁻¹(a) - mu)/sqrt 2
		return min(1, upward(math.Erfc(x-math.Abs(x)*slack)/2+g.Failure))
	}
	// e^eps·a + delta(eps) is convex in e^eps, so a search of nested intervals finds its minimum. Every eps gives a valid
	// bound.
	value := func(eps float64) float64 { return upward(math.Exp(eps)*a + g.Delta(eps)) }
	low, high := -40.0, 40.0
	for range 200 {
		x, y := low+(high-low)/3, high-(high-low)/3
		if value(x) < value(y) {
			high = y
		} else {
			low = x
		}
	}
	return min(1, value(low), value(g.Pure), value(0))
}

// Epsilon returns the least epsilon, up to rounding, at which the release is (epsilon, delta)-differentially private;
// ok is false if no epsilon suffices.
func (g guarantee) Epsilon(delta float64) (eps float64, ok bool) {
	if g.Both {
		gaussian, pure := g.apart()
		eps, ok = gaussian.Epsilon(delta)
		if own, found := pure.Epsilon(delta); found && (!ok || own < eps) {
			return own, true
		}
		return eps, ok
	}
	if g.Pure == 0 && g.Mu > 0 {
		left := new(big.Rat).SetFloat64(delta)
		left.Sub(left, new(big.Rat).SetFloat64(g.Failure))
		e, err := calibrate.GaussianEpsilon(calibrate.Delta(calibrate.RoundDown(left)), calibrate.Mu(g.Mu))
		return float64(e), err == nil
	}
	low, high := 0.0, 1.0
	for g.Delta(high) > delta {
		if high *= 2; high > 1e6 {
			return 0, false
		}
	}
	if g.Delta(0) <= delta {
		return 0, true
	}
	for range 100 {
		if middle := (low + high) / 2; g.Delta(middle) > delta {
			low = middle
		} else {
			high = middle
		}
	}
	return high, true
}

// rootUp returns the square root of x, rounded up.
func rootUp(x float64) float64 { return upward(math.Sqrt(upward(x))) }
