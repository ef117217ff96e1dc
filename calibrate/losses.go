package calibrate

import "math/big"

// losses walks down the losses (k-2l)·e of k randomised responses of epsilon e, from the largest, l = 0. With q = e^-e,
// their probabilities are B(l) = C(k,l)·q^l/(1+q)^k, and what they lose at eps = (k-2l)·e is
//
//	D(l) = sum over j < l of B(j)·(1 - e^(-2(l-j)·e)),  so  D(l+1) = q²·D(l) + (1-q²)·sum over j <= l of B(j).
//
// Proof note. Every term is positive, and 1-q² is worked out without cancellation, so that a walk of at most 2^20 steps of
// a few roundings of 2^-1023 each is within 2^-1000, relative, of B(0)'s own 2^-930 or so: k·ln(1+q) < 2^20 is within
// 2^-980, absolute.
type losses struct {
	k, l int
	e    *big.Float
	// b is B(l); sum is the sum of B up to l; lost is D(l).
	b, sum, lost *big.Float
	// q is e^-e, square its square, and gain 1 - q².
	q, square, gain *big.Float
}

func (p Part) walk() *losses {
	e := bigOf(float64(p.Guarantee.Epsilon))
	q := bigExpFar(newBig().Neg(e))
	all := bigLn(newBig().Add(bigOf(1), q))
	all.Mul(all, bigOf(float64(-p.Times)))
	first := bigExpFar(all)
	return &losses{
		k: p.Times, e: e, b: first, sum: newBig().Set(first), lost: newBig(),
		q: q, square: newBig().Mul(q, q), gain: oneLessExp(newBig().SetMantExp(e, 1)),
	}
}

// at is the loss at l.
func (w *losses) at() *big.Float { return newBig().Mul(bigOf(float64(w.k-2*w.l)), w.e) }

// next is D(l+1).
func (w *losses) next() *big.Float {
	d := newBig().Mul(w.square, w.lost)
	return d.Add(d, newBig().Mul(w.gain, w.sum))
}

// step goes on to l + 1.
func (w *losses) step() {
	w.lost = w.next()
	w.b.Mul(w.b, bigOf(float64(w.k-w.l)))
	w.b.Mul(w.b, w.q)
	w.l++
	w.b.Quo(w.b, bigOf(float64(w.l)))
	w.sum.Add(w.sum, w.b)
}

// below is what is lost at eps = at() - s, within l's segment: D(l) + (1 - e^-s)·(sum - D(l)).
func (w *losses) below(s *big.Float) *big.Float {
	d := newBig().Sub(w.sum, w.lost)
	d.Mul(d, oneLessExp(s))
	return d.Add(d, w.lost)
}

// last says whether l's segment ends at an epsilon of 0 or below.
func (w *losses) last() bool { return w.k-2*w.l <= 2 }
