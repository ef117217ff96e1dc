package gauss

import (
	"math"
	"math/big"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
)

// guard is the number of digits with which computations are more precise than the digits that were drawn.
const guard = 64

// attempt is an attempt whose first two words do not decide its result.
type attempt struct {
	sampler *Sampler
	first   uint64
	w, u, v *lazy
}

// settle finishes the attempt that starts with these two words. It draws more digits until every decision is made. Its
// result is the same function of the sign and of w, u and v as in [Sampler.attemptPairs].
func (s *Sampler) settle(cell int128.Int, first, second uint64) (value int64, ok bool, err error) {
	t := &attempt{
		sampler: s,
		first:   first,
		w:       newLazy(uint64(firstDigits(first)), levelBits),
		u:       newLazy(second, 64),
		v:       newLazy(first>>(64-acceptBits), acceptBits),
	}
	a, err := t.level()
	if err != nil {
		return 0, false, err
	}
	if ok, err = t.accept(a, second); !ok || err != nil {
		return 0, false, err
	}
	value, err = t.round(a, cell)
	return value, err == nil, err
}

// level selects a: from the table, or from the exact sums if w's first digits equal a limit in the table or exceed the
// last one.
func (t *attempt) level() (int64, error) {
	if a, ok := lookup(t.first); ok {
		return int64(a), nil
	}
	for {
		if err := t.w.extend(t.sampler.source); err != nil {
			return 0, err
		}
		if a, ok := search(t.w); ok {
			return a, nil
		}
	}
}

// search returns the j for which G(j−1) <= w·N < G(j), with the sums of fixed.sums; ok is false if w's digits do not
// decide.
func search(w *lazy) (int64, bool) {
	g, n := fixed(w.n + guard).sums()
	from := new(big.Int).Mul(w.drawn, n.low)
	to := new(big.Int).Mul(w.upperLimit(), n.high)
	for j := range g {
		if to.Cmp(new(big.Int).Lsh(g[j].low, w.n)) <= 0 {
			return int64(j), j == 0 || from.Cmp(new(big.Int).Lsh(g[j-1].high, w.n)) >= 0
		}
	}
	return 0, false
}

// accept compares v with e^(−t), t = u(2a+u)/512.
func (t *attempt) accept(a int64, second uint64) (bool, error) {
	d := undecided
	if a < levels {
		d = decide(t.first, exponent(uint64(a), second))
	}
	for d == undecided {
		if err := t.u.extend(t.sampler.source); err != nil {
			return false, err
		}
		if err := t.v.extend(t.sampler.source); err != nil {
			return false, err
		}
		d = compare(t.v, t.u, a)
	}
	return d == accepted, nil
}

func compare(v, u *lazy, a int64) decision {
	p := fixed(max(u.n, v.n) + guard)
	x := u.enclose(p)
	twice := p.ratio(big.NewInt(2*a), 0)
	t := p.mul(x, p.add(twice, x))
	e := p.exp(roundOutwards(t.low, t.high, 9))
	y := v.enclose(p)
	switch {
	case y.high.Cmp(e.low) <= 0:
		return accepted
	case y.low.Cmp(e.high) >= 0:
		return rejected
	}
	return undecided
}

// round returns floor(cell/2^below ± S(a+u)/16 + 1/2), saturated at the limits of int64.
func (t *attempt) round(a int64, cell int128.Int) (int64, error) {
	for {
		if y, ok := t.sampler.floor(cell, t.first&1 != 0, big.NewInt(a), t.u); ok {
			return saturate(y), nil
		}
		if err := t.u.extend(t.sampler.source); err != nil {
			return 0, err
		}
	}
}

// floor returns floor(cell/2^below ± mantissa·(a+u)·2^-shift + 1/2); ok is false if the digits of u do not decide it.
// It computes the floor for both ends of the interval [low, low+1)/2^n that contains a+u, in units of 2^-d, in which
// every term is an integer.
func (s *Sampler) floor(cell int128.Int, negative bool, a *big.Int, u *lazy) (*big.Int, bool) {
	n := u.n + s.shift
	d := max(n, s.below, 1)
	exact := new(big.Int).Lsh(cell.Big(), d-s.below)
	exact.Add(exact, new(big.Int).Lsh(one, d-1))
	low := new(big.Int).Lsh(a, u.n)
	low.Add(low, u.drawn)
	mantissa := new(big.Int).SetUint64(s.mantissa)
	from := low.Mul(low, mantissa)
	to := new(big.Int).Add(from, mantissa)
	from.Lsh(from, d-n)
	to.Lsh(to, d-n)
	if negative {
		from, to = from.Neg(from), to.Neg(to)
	}
	from.Rsh(from.Add(from, exact), d)
	to.Rsh(to.Add(to, exact), d)
	return from, from.Cmp(to) == 0
}

func saturate(x *big.Int) int64 {
	switch {
	case x.IsInt64():
		return x.Int64()
	case x.Sign() < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}
