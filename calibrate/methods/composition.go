package methods

import (
	"math"
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// Composition of mechanisms of which only the (epsilon, delta) are known: by their sums, and by the theorem of Kairouz,
// Oh & Viswanath 2017 for different parameters. exactregion.go has the exact answer for equal parameters. For Gaussian
// mechanisms calibrate.Compose is exact and much better.

// ComposeBasic returns the sum of epsilon and the sum of delta, at most 1 (Dwork & Roth 2014, Corollary B.2), each
// rounded up. Errors are *ArgumentError: "parts…" if there are none, one is outside of the range of guarantees (delta
// may be 0), or the sum of epsilon is above 1e8.
func ComposeBasic(parts []Part) (calibrate.Guarantee, error) {
	if err := validateParts(parts); err != nil {
		return calibrate.Guarantee{}, err
	}
	eps, delta := numeric.NewUp(), numeric.NewUp()
	for _, p := range parts {
		n := numeric.UpOf(float64(p.Times))
		eps.Add(eps, numeric.NewUp().Mul(n, numeric.UpOf(float64(p.Guarantee.Epsilon))))
		delta.Add(delta, numeric.NewUp().Mul(n, numeric.UpOf(float64(p.Guarantee.Delta))))
	}
	return calibrate.Guarantee{Epsilon: calibrate.Epsilon(numeric.Ceiling(eps)),
		Delta: calibrate.Delta(math.Min(numeric.Ceiling(delta), 1))}, nil
}

// Advanced is the result of Theorem 3.5 of Kairouz, Oh & Viswanath 2017.
type Advanced struct {
	// Guarantee holds the composed guarantee. Its epsilon is the least of Terms.
	Guarantee calibrate.Guarantee
	// Terms holds the theorem's three bounds on epsilon: the sum, the bound with log(e + sqrt(sum eps²)/slack), and the
	// bound with log(1/slack).
	Terms [3]calibrate.Epsilon
}

// ComposeAdvanced is Theorem 3.5 of Kairouz, Oh & Viswanath 2017, and Theorem 3.4 if all parts are equal. With slack as
// the theorem's delta~ it returns
//
//	epsilon = min(sum e, sum e·tanh(e/2) + sqrt(2·sum e²·log(e + sqrt(sum e²)/slack)), sum e·tanh(e/2) + sqrt(2·sum e²·log(1/slack))),
//	delta = 1 - (1 - slack)·product of (1 - delta_i),
//
// each rounded up. Errors are *ArgumentError: as for ComposeBasic; "slack" outside of [MinDelta, 1).
func ComposeAdvanced(parts []Part, slack calibrate.Delta) (Advanced, error) {
	if err := validateParts(parts); err != nil {
		return Advanced{}, err
	}
	if slack.Validate() != nil {
		return Advanced{}, argument.New("slack", "must be at least %g and below 1, not %g", calibrate.MinDelta,
			float64(slack))
	}
	sum, drift, squares, kept := numeric.NewBig().SetMode(big.ToPositiveInf), numeric.NewBig(), numeric.NewBig(),
		numeric.NewBig()
	for _, p := range parts {
		e, n := numeric.BigOf(float64(p.Guarantee.Epsilon)), numeric.BigOf(float64(p.Times))
		ne := numeric.NewBig().Mul(n, e)
		sum.Add(sum, ne)
		squares.Add(squares, numeric.NewBig().Mul(ne, e))
		drift.Add(drift, ne.Mul(ne, halfTanh(e)))
		kept.Add(kept, p.logKept())
	}
	kept.Add(kept, numeric.NegLogOneLess(numeric.BigOf(float64(slack))))
	inverse := numeric.NewBig().Quo(numeric.BigOf(1), numeric.BigOf(float64(slack)))
	widened := numeric.NewBig().Mul(numeric.NewBig().Sqrt(squares), inverse)
	a := Advanced{Terms: [3]calibrate.Epsilon{
		calibrate.Epsilon(numeric.Ceiling(sum)),
		calibrate.Epsilon(numeric.RoundedUp(concentrated(drift, squares,
			widened.Add(widened, numeric.BigExp(numeric.BigOf(1)))))),
		calibrate.Epsilon(numeric.RoundedUp(concentrated(drift, squares, inverse))),
	}}
	a.Guarantee.Epsilon = min(a.Terms[0], a.Terms[1], a.Terms[2])
	a.Guarantee.Delta = calibrate.Delta(math.Min(numeric.RoundedUp(numeric.OneLessExp(kept)), 1))
	return a, nil
}

// concentrated returns drift + sqrt(2·squares·ln(x)), the form of the last two terms of ComposeAdvanced.
func concentrated(drift, squares, x *big.Float) *big.Float {
	t := numeric.NewBig().Mul(squares, numeric.BigLn(x))
	t.SetMantExp(t, 1)
	return t.Add(t.Sqrt(t), drift)
}

// halfTanh returns tanh(e/2) = (e^e - 1)/(e^e + 1), with a relative error below 2^-960. If e is above 4000, it returns
// the upper bound 1.
func halfTanh(e *big.Float) *big.Float {
	if e.Cmp(numeric.BigOf(4000)) > 0 {
		return numeric.BigOf(1)
	}
	grown := numeric.OneLessExp(numeric.NewBig().Neg(e)) // 1 - e^-e
	return grown.Quo(grown, numeric.NewBig().Sub(numeric.BigOf(2), grown))
}

// AdvancedAt returns ComposeAdvanced with the largest slack that keeps the composed delta at most delta. Errors are
// *ArgumentError: as for ComposeBasic; "delta" outside of [MinDelta, 1) or below the composed delta of the parts alone.
func AdvancedAt(parts []Part, delta calibrate.Delta) (Advanced, error) {
	if err := validateParts(parts); err != nil {
		return Advanced{}, err
	}
	if err := delta.Validate(); err != nil {
		return Advanced{}, err
	}
	kept := numeric.NewBig()
	for _, p := range parts {
		kept.Add(kept, p.logKept())
	}
	slack := numeric.NearestFloat(spare(delta, kept)) * (1 - 0x1p-50)
	a, err := ComposeAdvanced(parts, calibrate.Delta(math.Min(slack, 1-0x1p-53)))
	if err != nil || a.Guarantee.Delta > delta {
		return Advanced{}, argument.New("delta", "= %g leaves nothing beside the parts' own deltas", float64(delta))
	}
	return a, nil
}
