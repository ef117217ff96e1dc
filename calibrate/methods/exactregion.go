package methods

import (
	"math"
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// The exact composition of k mechanisms of which only one fact is known: each is (e, d)-differentially private
// (Kairouz, Oh & Viswanath 2017, Theorem 3.3). The worst such mechanisms are randomised responses. The k mechanisms
// together are (eps, delta)-differentially private if and only if delta is at least
//
//	delta(eps) = 1 - (1-d)^k·(1 - lost(eps)).
//
// lost(eps) is the delta, at eps, of k randomised responses with epsilon e. Between the vertices of the theorem's
// region, delta(eps) is linear in e^eps. Type losses visits the vertices one by one and computes delta(eps) without
// cancellation.

// Corner is one vertex of the exact privacy region.
type Corner struct {
	// Guarantee is the (epsilon, delta) of the vertex.
	Guarantee calibrate.Guarantee
	// Loss is delta_i of Theorem 3.3: delta without the contribution of the mechanisms' own deltas.
	Loss float64
}

// Corners returns the exact privacy region of the part's mechanisms together: ((k-2i)·epsilon, delta), i = 0 … k/2,
// rounded up (Kairouz, Oh & Viswanath 2017, Theorem 3.3). Errors are *ArgumentError: as for ComposeBasic.
func (p Part) Corners() ([]Corner, error) {
	if err := validateParts([]Part{p}); err != nil {
		return nil, err
	}
	corners, own := make([]Corner, 0, p.Times/2+1), p.ownDelta()
	for w := p.walk(); ; w.step() {
		corners = append(corners, Corner{
			calibrate.Guarantee{Epsilon: calibrate.Epsilon(numeric.Ceiling(w.loss())),
				Delta: calibrate.Delta(numeric.ProbabilityUp(composeDeltas(own, w.lost)))}, numeric.ProbabilityUp(w.lost),
		})
		if 2*(w.l+1) > p.Times {
			return corners, nil
		}
	}
}

// Delta returns the least delta with which all mechanisms of the part together are (eps, delta)-differentially private,
// rounded up. It is exact if only the part's guarantee is known. Errors are *ArgumentError: as for ComposeBasic;
// "epsilon" if it is negative or not finite.
func (p Part) Delta(eps calibrate.Epsilon) (calibrate.Delta, error) {
	if err := validateParts([]Part{p}); err != nil {
		return 0, err
	}
	if !(eps >= 0 && eps <= math.MaxFloat64) {
		return 0, argument.New("epsilon", "must be finite and not negative, not %g", float64(eps))
	}
	return calibrate.Delta(numeric.ProbabilityUp(p.deltaAt(numeric.BigOf(float64(eps))))), nil
}

// deltaAt returns delta(eps), for eps >= 0.
func (p Part) deltaAt(eps *big.Float) *big.Float {
	w := p.walk()
	s := numeric.NewBig().Sub(w.loss(), eps)
	if s.Sign() <= 0 {
		return p.ownDelta()
	}
	segment := numeric.NewBig().SetMantExp(w.e, 1)
	for ; s.Cmp(segment) > 0 && !w.isLast(); s.Sub(w.loss(), eps) {
		w.step()
	}
	return composeDeltas(p.ownDelta(), w.interpolate(s))
}

// Epsilon returns the least epsilon with which all mechanisms of the part together are (epsilon, delta)-differentially
// private, rounded up. It is exact if only the part's guarantee is known. Errors are *ArgumentError: as for
// ComposeBasic; "delta" outside of [MinDelta, 1), or below the composed delta of the mechanisms, since then no epsilon
// is large enough.
func (p Part) Epsilon(delta calibrate.Delta) (calibrate.Epsilon, error) {
	if err := validateParts([]Part{p}); err != nil {
		return 0, err
	}
	if err := delta.Validate(); err != nil {
		return 0, err
	}
	spare := p.spare(delta)
	if spare.Sign() < 0 {
		return 0, argument.New("delta", "must be at least %g, to which the parts' own deltas add up, not %g",
			numeric.ProbabilityUp(p.ownDelta()), float64(delta))
	}
	w := p.walk()
	for !w.isLast() && w.next().Cmp(spare) <= 0 {
		w.step()
	}
	return w.findEpsilon(spare), nil
}

// regionSlack is an exponent of two: 2^regionSlack, relative, exceeds all errors in the exact region, which are below
// 2^-900.
const regionSlack = -500

// findEpsilon returns the epsilon at which lost(eps) is spare, rounded up. The epsilon must lie between the vertices l
// and l + 1.
//
// Proof note. spare is lowered, and the answer raised, by more than all errors. The raise is needed if spare is tiny:
// the amount by which it is lowered may then vanish in the rounding of loss(), and the answer must still be rounded up.
func (w *losses) findEpsilon(spare *big.Float) calibrate.Epsilon {
	top := w.loss()
	most := calibrate.Epsilon(numeric.Ceiling(top))
	share := numeric.NewBig().Sub(spare, numeric.NewBig().SetMantExp(spare, regionSlack))
	if share.Sub(share, w.lost).Sign() <= 0 {
		return most
	}
	room := numeric.NewBig().Sub(w.sum, w.lost)
	if share.Cmp(room) >= 0 {
		return 0
	}
	raise := numeric.NewBig().SetMantExp(top, regionSlack)
	top.Sub(top, numeric.NegLogOneLess(share.Quo(share, room)))
	if top.Sign() <= 0 {
		return 0
	}
	return min(most, calibrate.Epsilon(numeric.Ceiling(top.Add(top, raise))))
}

// ownDelta returns the joint delta of the part's mechanisms if only their own deltas count: 1 - (1-d)^k.
func (p Part) ownDelta() *big.Float { return numeric.OneLessExp(p.logKept()) }

// composeDeltas returns 1 - (1-x)·(1-y) = x + (1-x)·y.
func composeDeltas(x, y *big.Float) *big.Float {
	rest := numeric.NewBig().Sub(numeric.BigOf(1), x)
	return rest.Add(rest.Mul(rest, y), x)
}

// losses visits the possible privacy losses (k-2l)·e of k randomised responses with epsilon e, from the largest, l = 0,
// downwards. With q = e^-e, their probabilities are B(l) = C(k,l)·q^l/(1+q)^k, and the delta at eps = (k-2l)·e is
//
//	D(l) = sum over j < l of B(j)·(1 - e^(-2(l-j)·e)),  so  D(l+1) = q²·D(l) + (1-q²)·sum over j <= l of B(j).
//
// Proof note. Every term is positive, and 1-q² is computed without cancellation. At most 2^20 steps, each with a few
// roundings of 2^-1023, add a relative error below 2^-1000 to the error of B(0). B(0) has a relative error of about
// 2^-930, since the absolute error of k·ln(1+q) < 2^20 is below 2^-980.
type losses struct {
	k, l int
	e    *big.Float
	// b is B(l), sum is B(0) + … + B(l), and lost is D(l).
	b, sum, lost *big.Float
	// q is e^-e, square its square, and gain 1 - q².
	q, square, gain *big.Float
}

func (p Part) walk() *losses {
	e := numeric.BigOf(float64(p.Guarantee.Epsilon))
	q := numeric.BigExpFar(numeric.NewBig().Neg(e))
	all := numeric.BigLn(numeric.NewBig().Add(numeric.BigOf(1), q))
	all.Mul(all, numeric.BigOf(float64(-p.Times)))
	first := numeric.BigExpFar(all)
	return &losses{
		k: p.Times, e: e, b: first, sum: numeric.NewBig().Set(first), lost: numeric.NewBig(),
		q: q, square: numeric.NewBig().Mul(q, q), gain: numeric.OneLessExp(numeric.NewBig().SetMantExp(e, 1)),
	}
}

// loss returns the privacy loss (k-2l)·e.
func (w *losses) loss() *big.Float {
	return numeric.NewBig().Mul(numeric.BigOf(float64(w.k-2*w.l)), w.e)
}

// next returns D(l+1).
func (w *losses) next() *big.Float {
	d := numeric.NewBig().Mul(w.square, w.lost)
	return d.Add(d, numeric.NewBig().Mul(w.gain, w.sum))
}

// step goes on from l to l + 1.
func (w *losses) step() {
	w.lost = w.next()
	w.b.Mul(w.b, numeric.BigOf(float64(w.k-w.l)))
	w.b.Mul(w.b, w.q)
	w.l++
	w.b.Quo(w.b, numeric.BigOf(float64(w.l)))
	w.sum.Add(w.sum, w.b)
}

// interpolate returns the delta at eps = loss() - s, between the vertices l and l + 1: D(l) + (1 - e^-s)·(sum - D(l)).
func (w *losses) interpolate(s *big.Float) *big.Float {
	d := numeric.NewBig().Sub(w.sum, w.lost)
	d.Mul(d, numeric.OneLessExp(s))
	return d.Add(d, w.lost)
}

// isLast reports whether the vertex l + 1 has an epsilon of 0 or below.
func (w *losses) isLast() bool { return w.k-2*w.l <= 2 }
