package methods

import (
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// The better conversion from zero-concentrated to (epsilon, delta)-differential privacy. It uses the Renyi rule of
// Canonne, Kamath & Steinke 2020 (Proposition 12, Corollary 13) at the order with the least result. Every order gives a
// valid bound. So the order, which is computed in float64, affects how tight an answer is, never whether it is valid.

// BestRenyi returns the order at which rho-zCDP implies the least epsilon at delta by the better rule of
// Renyi.DPEpsilon: alpha = 1 + b with rho·b² = ln(1/delta) - ln(1+b). The Renyi epsilon at that order is rho·alpha,
// rounded up. Errors are *ArgumentError: "rho", also if rho·alpha is above the largest float64; "delta".
func (r Rho) BestRenyi(delta calibrate.Delta) (Renyi, error) {
	if err := r.validate(); err != nil {
		return Renyi{}, err
	}
	if err := delta.Validate(); err != nil {
		return Renyi{}, err
	}
	l, rho := -math.Log(float64(delta)), float64(r)
	b := findCrossing(func(b float64) bool { return rho*b*b+math.Log1p(b) > l })
	return r.renyi(orderAbove1(b))
}

// renyi returns the Renyi privacy that rho-zCDP implies at order alpha.
func (r Rho) renyi(alpha float64) (Renyi, error) {
	e := numeric.UpOf(float64(r))
	eps := numeric.Ceiling(e.Mul(e, numeric.UpOf(alpha)))
	if math.IsInf(eps, 0) {
		return Renyi{}, argument.New("rho", "= %g is too large at alpha = %g", float64(r), alpha)
	}
	return Renyi{Alpha: alpha, Epsilon: eps}, nil
}

// orderAbove1 returns 1 + b, rounded to a float64 above 1.
func orderAbove1(b float64) float64 { return math.Max(1+b, math.Nextafter(1, 2)) }

// findCrossing approximates the least positive number for which above returns true. above must be false below some
// point and true above it.
func findCrossing(above func(float64) bool) float64 {
	low, high := 0x1p-200, 0x1p1000
	for high > low*(1+0x1p-50) {
		middle := math.Sqrt(low) * math.Sqrt(high)
		if !(middle > low && middle < high) {
			break
		}
		if above(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return low
}

// TightEpsilon returns the epsilon that rho-zCDP implies at delta by the better rule at its best order, rounded up. It
// is at most Epsilon. For Gaussian noise at epsilon = 1 and delta = 1e-6, it exceeds GaussianEpsilon by 7.8 %, and
// Epsilon by 27 %. Errors: as for Epsilon.
func (r Rho) TightEpsilon(delta calibrate.Delta) (calibrate.Epsilon, error) {
	simple, simpleErr := r.Epsilon(delta)
	best, err := r.BestRenyi(delta)
	if err != nil {
		return simple, simpleErr
	}
	eps, err := best.DPEpsilon(delta)
	switch {
	case err != nil:
		return simple, simpleErr
	case simpleErr != nil:
		return eps, nil
	}
	return min(eps, simple), nil
}

// TightZCDPRho returns the largest float64 rho for which rho-zCDP is proven to imply g by TightEpsilon. It is at least
// ZCDPRho. Errors: as for ZCDPRho.
func TightZCDPRho(g calibrate.Guarantee) (Rho, error) {
	least, err := ZCDPRho(g)
	if err != nil {
		return 0, err
	}
	rho, _ := numeric.Boundary(math.Max(roughTightRho(g), float64(least)), false, false, func(rho float64) bool {
		eps, err := Rho(rho).TightEpsilon(g.Delta)
		return rho <= float64(least) || err == nil && eps <= g.Epsilon
	})
	return Rho(rho), nil
}

// roughTightRho approximates TightZCDPRho. The best order 1 + b belongs to rho = (ln(1/delta) - ln(1+b))/b², and
// epsilon falls as b grows.
func roughTightRho(g calibrate.Guarantee) float64 {
	l := -math.Log(float64(g.Delta))
	rho := func(b float64) float64 { return (l - math.Log1p(b)) / b / b }
	b := findCrossing(func(b float64) bool {
		return !(rho(b) > 0) || rho(b)*(1+b)+math.Log(b/(1+b))+(l-math.Log1p(b))/b < float64(g.Epsilon)
	})
	return rho(b)
}
