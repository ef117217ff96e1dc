package main

import (
	"fmt"
	"math/big"
	"strings"
)

// promise is the manifest's guarantee: the Gaussian part's mu, the epsilon of the pure parts, and the probability that
// key selection fails.
type promise struct {
	mu, pure, failure *big.Float
	// both: mu and pure are two bounds of the same noise, as in releases with delta 0; otherwise they are separate
	// parts.
	both bool
}

// apart splits a promise in which both is true into two promises, one for each bound. Both hold for the same noise.
func (p promise) apart() (a, b promise) {
	return promise{mu: p.mu, pure: zero(digits), failure: p.failure}, promise{mu: zero(digits), pure: p.pure,
		failure: p.failure}
}

func smaller(a, b *big.Float) *big.Float {
	if a == nil || b != nil && b.Cmp(a) < 0 {
		return b
	}
	return a
}

func one() *big.Float { return number(1) }

func sum(a, b *big.Float) *big.Float        { return zero(8000).Add(a, b) }
func difference(a, b *big.Float) *big.Float { return zero(8000).Sub(a, b) }
func product(a, b *big.Float) *big.Float    { return zero(8000).Mul(a, b) }
func quotient(a, b *big.Float) *big.Float   { return zero(digits).Quo(a, b) }

// gaussian returns Phi(mu/2 - eps/mu) - e^eps·Phi(-mu/2 - eps/mu), the delta of Gaussian noise, for any real eps.
func (p promise) gaussian(eps *big.Float) *big.Float {
	if p.mu.Sign() == 0 {
		d := difference(one(), exp(eps))
		if d.Sign() < 0 {
			return zero(digits)
		}
		return d
	}
	half, ratio := quotient(p.mu, number(2)), quotient(eps, p.mu)
	far, _ := zero(digits).Sub(half, ratio).Float64()
	if far < -farthest {
		return zero(digits).SetMantExp(one(), -6000) // a positive number, smaller than any that is printed
	}
	left := phi(zero(digits).Sub(half, ratio))
	right := phi(zero(digits).Neg(zero(digits).Add(half, ratio)))
	d := difference(left, product(exp(eps), right))
	if d.Sign() <= 0 {
		return zero(digits).SetMantExp(one(), -6000)
	}
	return d
}

// delta returns the curve of all parts together: a pure part is randomized response, whose likelihood ratio is e^e0
// with probability w = e^e0/(1 + e^e0).
func (p promise) delta(eps *big.Float) *big.Float {
	if p.both {
		a, b := p.apart()
		return smaller(a.delta(eps), b.delta(eps))
	}
	d := p.gaussian(eps)
	if p.pure.Sign() > 0 {
		w := quotient(one(), sum(one(), exp(zero(digits).Neg(p.pure))))
		more := product(w, p.gaussian(difference(eps, p.pure).SetPrec(digits)))
		less := product(difference(one(), w), p.gaussian(sum(eps, p.pure).SetPrec(digits)))
		d = sum(more, less)
	}
	if d = sum(d, p.failure); d.Cmp(one()) > 0 {
		return one()
	}
	return d
}

// guess returns the largest probability that a reader's guess is right if the reader believed with probability belief
// before. For mu alone, and a belief b of at least one half, it is b·Phi(mu/2 + c) + (1 - b)·Phi(mu/2 - c) with c =
// ln(b/(1 - b))/mu.
func (p promise) guess(belief *big.Rat) *big.Float {
	b := new(big.Rat).Set(belief)
	rest := new(big.Rat).Sub(big.NewRat(1, 1), b)
	if b.Cmp(rest) < 0 {
		b, rest = rest, b
	}
	more, less := zero(8000).SetRat(b), zero(8000).SetRat(rest)
	odds := log(zero(digits).SetRat(new(big.Rat).Quo(b, rest)))
	return sum(more, product(less, p.delta(odds)))
}

// gain returns how much the release raises the probability of a right guess.
func (p promise) gain(belief *big.Rat) *big.Float {
	rest := new(big.Rat).Sub(big.NewRat(1, 1), belief)
	if belief.Cmp(rest) > 0 {
		return difference(p.guess(belief), zero(8000).SetRat(belief))
	}
	return difference(p.guess(belief), zero(8000).SetRat(rest))
}

// tiny is the smallest gain that the page prints.
const tiny = 1e-14

// right returns the probability of a right guess in percent, rounded up. If the gain is tiny, it returns the belief.
func (p promise) right(belief *big.Rat) string {
	if p.gain(belief).Cmp(number(tiny)) >= 0 {
		return percent(p.guess(belief))
	}
	alone := new(big.Rat).Sub(big.NewRat(1, 1), belief)
	if alone.Cmp(belief) < 0 {
		alone = belief
	}
	whole, _ := new(big.Rat).Mul(alone, big.NewRat(100, 1)).Float64()
	return fmt.Sprintf("%g %%", whole)
}

// formula computes guess by the formula for mu alone, to check it.
func (p promise) formula(belief *big.Rat) *big.Float {
	b := zero(digits).SetRat(belief)
	rest := zero(digits).SetRat(new(big.Rat).Sub(big.NewRat(1, 1), belief))
	c := quotient(log(quotient(b, rest)), p.mu)
	half := quotient(p.mu, number(2))
	return sum(product(b, phi(zero(digits).Add(half, c))), product(rest, phi(zero(digits).Sub(half, c))))
}

// alarms returns the largest true positive rate of a membership test whose false positive rate is a. For mu alone, this
// is Phi(Phi⁻¹(a) + mu); otherwise it is the least e^eps·a + delta(eps), which is convex in e^eps.
func (p promise) alarms(a *big.Rat) *big.Float {
	if p.both {
		x, y := p.apart()
		return smaller(x.alarms(a), y.alarms(a))
	}
	share := zero(digits).SetRat(a)
	if p.pure.Sign() == 0 && p.mu.Sign() > 0 {
		return atMostOne(sum(phi(zero(digits).Add(inverse(share), p.mu)), p.failure))
	}
	value := func(eps *big.Float) *big.Float { return sum(product(exp(eps), share), p.delta(eps)) }
	low, high := number(-40), number(40)
	best := value(p.pure)
	for range 140 {
		third := quotient(difference(high, low), number(3))
		x, y := sum(low, third).SetPrec(digits), difference(high, third).SetPrec(digits)
		fx, fy := value(x), value(y)
		if fx.Cmp(best) < 0 {
			best = fx
		}
		if fx.Cmp(fy) < 0 {
			high = y
		} else {
			low = x
		}
	}
	return atMostOne(best)
}

func atMostOne(x *big.Float) *big.Float {
	if x.Cmp(one()) > 0 {
		return one()
	}
	return x
}

// epsilon returns the least epsilon at a delta, rounded up, with some 100 bits; nil if there is none.
func (p promise) epsilon(delta *big.Rat) *big.Float {
	if p.both {
		a, b := p.apart()
		return smaller(a.epsilon(delta), b.epsilon(delta))
	}
	goal := zero(digits).SetRat(delta)
	if p.failure.Cmp(goal) >= 0 {
		return nil
	}
	low, high := number(0), number(1)
	if p.delta(low).Cmp(goal) <= 0 {
		return low
	}
	for p.delta(high).Cmp(goal) > 0 {
		if high.Add(high, high); high.Cmp(number(1e7)) > 0 {
			return nil
		}
	}
	for range 66 {
		middle := quotient(sum(low, high), number(2))
		if p.delta(middle).Cmp(goal) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// up formats x with the given number of decimals, rounded up.
func up(x *big.Rat, decimals int) string {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
	scaled := new(big.Rat).Mul(x, new(big.Rat).SetInt(scale))
	whole, rest := new(big.Int).QuoRem(scaled.Num(), scaled.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		whole.Add(whole, big.NewInt(1))
	}
	return new(big.Rat).SetFrac(whole, scale).FloatString(decimals)
}

// down formats x, not below 0, with the given number of decimals, rounded down.
func down(x *big.Rat, decimals int) string {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
	scaled := new(big.Rat).Mul(x, new(big.Rat).SetInt(scale))
	whole := new(big.Int).Quo(scaled.Num(), scaled.Denom())
	return new(big.Rat).SetFrac(whole, scale).FloatString(decimals)
}

func percent(x *big.Float) string {
	r, _ := x.Rat(nil)
	return up(r.Mul(r, big.NewRat(100, 1)), 2) + " %"
}

// sameNumber reports whether two texts are the same number.
func sameNumber(a, b string) bool {
	x, ok := new(big.Rat).SetString(strings.TrimSpace(a))
	y, ok2 := new(big.Rat).SetString(strings.TrimSpace(b))
	return ok && ok2 && x.Cmp(y) == 0
}

// significant formats x with count significant digits, rounded up.
func significant(x *big.Float, count int) string {
	r, _ := x.Rat(nil)
	if r.Sign() == 0 {
		return "0"
	}
	exponent := 0
	for limit := r; ; exponent++ {
		if limit.Cmp(big.NewRat(10, 1)) < 0 {
			break
		}
		limit = new(big.Rat).Quo(limit, big.NewRat(10, 1))
	}
	for limit := r; limit.Cmp(big.NewRat(1, 1)) < 0; exponent-- {
		limit = new(big.Rat).Mul(limit, big.NewRat(10, 1))
	}
	decimals := count - 1 - exponent
	if decimals >= 0 {
		return up(r, decimals)
	}
	power := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-decimals)), nil))
	whole, _ := new(big.Rat).SetString(up(new(big.Rat).Quo(r, power), 0))
	return whole.Mul(whole, power).FloatString(0)
}
