package calibrate

import (
	"fmt"
	"math"
	"math/big"
)

// Part is some mechanisms of which nothing is known but that each is (epsilon, delta)-differentially private. Delta may be 0.
type Part struct {
	Guarantee Guarantee
	// Times is how many such mechanisms there are, at least 1.
	Times int
}

// Limits on compositions of parts.
const (
	maxTimes = 1 << 20 // mechanisms in one part, and parts
	// maxTotal bounds the sum of epsilon: beyond, nothing is promised that anybody could use.
	maxTotal = 1e8
)

// validateParts checks each part and the sum of epsilon.
func validateParts(parts []Part) error {
	if len(parts) == 0 || len(parts) > maxTimes {
		return argument("parts", "must be 1 to %d", maxTimes)
	}
	total := 0.0
	for i, p := range parts {
		if err := p.validate(); err != nil {
			return nested(fmt.Sprintf("parts[%d]", i), err)
		}
		total += float64(p.Times) * float64(p.Guarantee.Epsilon)
	}
	if total > maxTotal {
		return argument("parts", "have %g as the sum of epsilon, above %g", total, float64(maxTotal))
	}
	return nil
}

func (p Part) validate() error {
	if p.Times < 1 || p.Times > maxTimes {
		return argument("times", "must be 1 to %d, not %d", maxTimes, p.Times)
	}
	if err := p.Guarantee.Epsilon.validate(); err != nil {
		return err
	}
	if p.Guarantee.Delta == 0 {
		return nil
	}
	return p.Guarantee.Delta.validate()
}

// ComposeBasic is the sum of epsilon and the sum of delta, at most 1 (Dwork & Roth 2014, Corollary B.2), each rounded up. Errors
// are *ArgumentError: "parts…" if there are none, one is outside of the range of guarantees (delta may be 0), or the sum of
// epsilon is above 1e8.
func ComposeBasic(parts []Part) (Guarantee, error) {
	if err := validateParts(parts); err != nil {
		return Guarantee{}, err
	}
	eps, delta := newUp(), newUp()
	for _, p := range parts {
		n := upOf(float64(p.Times))
		eps.Add(eps, newUp().Mul(n, upOf(float64(p.Guarantee.Epsilon))))
		delta.Add(delta, newUp().Mul(n, upOf(float64(p.Guarantee.Delta))))
	}
	return Guarantee{Epsilon(ceiling(eps)), Delta(math.Min(ceiling(delta), 1))}, nil
}

// Advanced is what Theorem 3.5 of Kairouz, Oh & Viswanath 2017 says of mechanisms together.
type Advanced struct {
	// Guarantee has the least of Terms as its epsilon.
	Guarantee Guarantee
	// Terms are the three bounds on epsilon: the sum, that with log(e + sqrt(sum eps²)/slack), that with log(1/slack).
	Terms [3]Epsilon
}

// ComposeAdvanced is Theorem 3.5 of Kairouz, Oh & Viswanath 2017, and 3.4 if all parts are alike: with slack for its delta~,
//
//	epsilon = min(sum e, sum e·tanh(e/2) + sqrt(2·sum e²·log(e + sqrt(sum e²)/slack)), sum e·tanh(e/2) + sqrt(2·sum e²·log(1/slack))),
//	delta = 1 - (1 - slack)·product of (1 - delta_i),
//
// each rounded up. Errors are *ArgumentError: those of ComposeBasic; "slack" outside of [MinDelta, 1).
func ComposeAdvanced(parts []Part, slack Delta) (Advanced, error) {
	if err := validateParts(parts); err != nil {
		return Advanced{}, err
	}
	if slack.validate() != nil {
		return Advanced{}, argument("slack", "must be at least %g and below 1, not %g", MinDelta, float64(slack))
	}
	sum, drift, squares, kept := newBig().SetMode(big.ToPositiveInf), newBig(), newBig(), newBig()
	for _, p := range parts {
		e, n := bigOf(float64(p.Guarantee.Epsilon)), bigOf(float64(p.Times))
		ne := newBig().Mul(n, e)
		sum.Add(sum, ne)
		squares.Add(squares, newBig().Mul(ne, e))
		drift.Add(drift, ne.Mul(ne, halfTanh(e)))
		kept.Add(kept, p.logKept())
	}
	kept.Add(kept, bigLogRest(bigOf(float64(slack))))
	inverse := newBig().Quo(bigOf(1), bigOf(float64(slack)))
	widened := newBig().Mul(newBig().Sqrt(squares), inverse)
	a := Advanced{Terms: [3]Epsilon{
		Epsilon(ceiling(sum)),
		Epsilon(roundedUp(concentrated(drift, squares, widened.Add(widened, bigExp(bigOf(1)))))),
		Epsilon(roundedUp(concentrated(drift, squares, inverse))),
	}}
	a.Guarantee.Epsilon = min(a.Terms[0], a.Terms[1], a.Terms[2])
	a.Guarantee.Delta = Delta(math.Min(roundedUp(oneLessExp(kept)), 1))
	return a, nil
}

// concentrated is drift + sqrt(2·squares·ln(of)).
func concentrated(drift, squares, of *big.Float) *big.Float {
	t := newBig().Mul(squares, bigLn(of))
	t.SetMantExp(t, 1)
	return t.Add(t.Sqrt(t), drift)
}

// halfTanh is tanh(e/2) = (e^e - 1)/(e^e + 1), within 2^-960, relative; 1 beyond 4000, which is above it.
func halfTanh(e *big.Float) *big.Float {
	if e.Cmp(bigOf(4000)) > 0 {
		return bigOf(1)
	}
	grown := oneLessExp(newBig().Neg(e)) // 1 - e^-e
	return grown.Quo(grown, newBig().Sub(bigOf(2), grown))
}

// bigLogRest is -ln(1 - d) for d in [0, 1), within 2^-960, relative: 2·atanh(d/(2-d)) if that converges fast.
func bigLogRest(d *big.Float) *big.Float {
	if d.Sign() == 0 {
		return newBig()
	}
	if d.Cmp(bigOf(0.5)) > 0 {
		l := bigLn(newBig().Sub(bigOf(1), d))
		return l.Neg(l)
	}
	s := bigAtanh(newBig().Quo(d, newBig().Sub(bigOf(2), d)))
	return s.SetMantExp(s, 1)
}

// oneLessExp is 1 - e^-|t|, within 2^-960, relative; t is below 2^30.
func oneLessExp(t *big.Float) *big.Float {
	t = newBig().Abs(t)
	t.Neg(t)
	if t.Cmp(bigOf(-0.5)) > 0 {
		s := bigExpm1(t)
		return s.Neg(s)
	}
	s := bigExpFar(t)
	return s.Sub(bigOf(1), s)
}

// bigExpFar is e^t for |t| < 2^30, within 2^-940, relative: reduced by n·ln 2, whose error is below 2^30·2^-1000.
func bigExpFar(t *big.Float) *big.Float {
	ratio := nearestFloat(newBig().Quo(t, bigLn2()))
	n := math.Round(ratio)
	rest := newBig().Sub(t, newBig().Mul(bigOf(n), bigLn2()))
	e := bigExp(rest)
	return e.SetMantExp(e, int(n))
}
