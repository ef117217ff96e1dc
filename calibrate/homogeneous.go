package calibrate

import (
	"math"
	"math/big"
)

// What is here is the exact composition of k mechanisms of which nothing is known but that each is (e, d)-differentially
// private (Kairouz, Oh & Viswanath 2017, Theorem 3.3): together they are (eps, delta)-differentially private with
//
//	delta(eps) = 1 - (1-d)^k·(1 - what k randomised responses of epsilon e lose at eps),
//
// which is linear in e^eps between the corners of the theorem.

// Corner is one vertex of the exact privacy region.
type Corner struct {
	// Guarantee is what holds there.
	Guarantee Guarantee
	// Loss is delta_i of Theorem 3.3: delta without what the parts' own deltas add.
	Loss float64
}

// Corners is the exact privacy region of the part's mechanisms together: ((k-2i)·epsilon, delta), i = 0 … k/2, rounded up
// (Kairouz, Oh & Viswanath 2017, Theorem 3.3). Errors are *ArgumentError: those of ComposeBasic.
func (p Part) Corners() ([]Corner, error) {
	if err := validateParts([]Part{p}); err != nil {
		return nil, err
	}
	corners, own := make([]Corner, 0, p.Times/2+1), p.own()
	for w := p.walk(); ; w.step() {
		corners = append(corners, Corner{
			Guarantee{Epsilon(ceiling(w.at())), probabilityUp(either(own, w.lost))}, float64(probabilityUp(w.lost)),
		})
		if 2*(w.l+1) > p.Times {
			return corners, nil
		}
	}
}

// probabilityUp is x in [0, 1], rounded up.
func probabilityUp(x *big.Float) Delta {
	if x.Sign() == 0 {
		return 0
	}
	return Delta(math.Min(roundedUp(x), 1))
}

// Delta is the least delta of the part's mechanisms together at eps: exact for mechanisms of which nothing else is known,
// rounded up. Errors are *ArgumentError: those of ComposeBasic; "epsilon" if it is negative or not finite.
func (p Part) Delta(eps Epsilon) (Delta, error) {
	if err := validateParts([]Part{p}); err != nil {
		return 0, err
	}
	if !(eps >= 0 && eps <= math.MaxFloat64) {
		return 0, argument("epsilon", "must be finite and not negative, not %g", float64(eps))
	}
	return probabilityUp(p.exact(bigOf(float64(eps)))), nil
}

// exact is delta(eps), eps >= 0.
func (p Part) exact(eps *big.Float) *big.Float {
	w := p.walk()
	s := newBig().Sub(w.at(), eps)
	if s.Sign() <= 0 {
		return p.own()
	}
	segment := newBig().SetMantExp(w.e, 1)
	for ; s.Cmp(segment) > 0 && !w.last(); s.Sub(w.at(), eps) {
		w.step()
	}
	return either(p.own(), w.below(s))
}

// Epsilon is the least epsilon of the part's mechanisms together at delta: exact for mechanisms of which nothing else is
// known, rounded up. Errors are *ArgumentError: those of ComposeBasic; "delta" outside of [MinDelta, 1), or below what the
// parts' own deltas add up to, which no epsilon undercuts.
func (p Part) Epsilon(delta Delta) (Epsilon, error) {
	if err := validateParts([]Part{p}); err != nil {
		return 0, err
	}
	if err := delta.validate(); err != nil {
		return 0, err
	}
	spare := p.spare(delta)
	if spare.Sign() < 0 {
		return 0, argument("delta", "must be at least %g, to which the parts' own deltas add up, not %g",
			float64(probabilityUp(p.own())), float64(delta))
	}
	w := p.walk()
	for !w.last() && w.next().Cmp(spare) <= 0 {
		w.step()
	}
	return w.least(spare), nil
}

// regionSlack is the exponent of what makes up for errors in the exact region, relative: they are below 2^-900.
const regionSlack = -500

// least is the epsilon in l's segment at which spare is lost, rounded up.
//
// Proof note. spare is lowered and the answer raised, relative, by more than all errors; the raise keeps it from falling between
// two float64s if spare is so small that its own lowering is lost beside at().
func (w *losses) least(spare *big.Float) Epsilon {
	top := w.at()
	most := Epsilon(ceiling(top))
	share := newBig().Sub(spare, newBig().SetMantExp(spare, regionSlack))
	if share.Sub(share, w.lost).Sign() <= 0 {
		return most
	}
	room := newBig().Sub(w.sum, w.lost)
	if share.Cmp(room) >= 0 {
		return 0
	}
	raise := newBig().SetMantExp(top, regionSlack)
	top.Sub(top, bigLogRest(share.Quo(share, room)))
	if top.Sign() <= 0 {
		return 0
	}
	return min(most, Epsilon(ceiling(top.Add(top, raise))))
}

// spare is the loss that delta leaves: 1 - (1 - delta)/(1 - d)^k; negative if it leaves none.
func (p Part) spare(delta Delta) *big.Float { return spare(delta, p.logKept()) }

// spare is 1 - (1 - delta)/e^-kept; negative if that is.
func spare(delta Delta, kept *big.Float) *big.Float {
	gap := newBig().Sub(bigLogRest(bigOf(float64(delta))), kept)
	if gap.Sign() < 0 {
		return gap
	}
	return oneLessExp(gap)
}

// logKept is -k·ln(1 - d).
func (p Part) logKept() *big.Float {
	l := bigLogRest(bigOf(float64(p.Guarantee.Delta)))
	return l.Mul(l, bigOf(float64(p.Times)))
}

// own is what the part's own deltas add up to: 1 - (1-d)^k.
func (p Part) own() *big.Float { return oneLessExp(p.logKept()) }

// either is 1 - (1-x)·(1-y) = x + (1-x)·y.
func either(x, y *big.Float) *big.Float {
	rest := newBig().Sub(bigOf(1), x)
	return rest.Add(rest.Mul(rest, y), x)
}
