package numeric

import (
	"math/big"
	"sync"
)

// Mills' ratio R(x) = (1 - Phi(x))/phi(x) is the normal tail without its exponential decay. It is smooth and between 0
// and 1.26. Up to x = 26 it is computed in double-double from a table of Taylor series at steps of 1/8, and from there
// on by the asymptotic series.

// mills returns Mills' ratio R(x) = (1 - Phi(x))/phi(x) = sqrt(pi/2)·erfcx(x/sqrt 2) for x >= 0, with a relative error
// below 2^-95.
func mills(x dd) dd {
	if x.hi >= asymptoticFrom {
		return millsAsymptotic(x)
	}
	return millsTaylorSum(x)
}

// millsTaylorSum sums the Taylor series of R about the nearest node of the table.
//
// Proof note. The distance h from the node is at most 1/16. Let r(n) = |R^(n)|/n! at the node, which is the integral of
// t^n/n!·e^(-xt - t²/2) over t >= 0. The ratio r(n+1)/r(n) is largest at x = 0 and n = 0: sqrt(2/pi) < 0.8. So each
// term is at most 0.05 times the one before, and the sum is at least 0.95 of its first term. The first ten terms are
// added in double-double; roundings of 2^-103 of each partial sum amount to at most 2^-102. The terms from n = 10 on
// are below r(10)/r(0)·16^-10 <= 2^-51.9 of the first term (r(10)/r(0) <= 1/3840) and are summed in float64 with a
// relative error of 2^-48. The omitted terms, from n = 18 on, are below 2^-99.4. The sum of all errors is below 2^-98.
func millsTaylorSum(x dd) dd {
	k := int(x.hi*(1/millsStep) + 0.5)
	node := &millsTable()[k]
	h := fastTwoSum(x.hi-float64(k)*millsStep, x.lo)
	tail := 0.0
	for n := millsTail - 1; n >= 0; n-- {
		tail = tail*h.hi + node.tail[n]
	}
	s := dd{tail, 0}
	for n := millsHead - 1; n >= 0; n-- {
		s = node.head[n].addSmall(s.mul(h))
	}
	return s
}

// asymptoticHead and asymptoticTail hold (-1)^n (2n-1)!! for n = 0..7 and n = 8..17.
var (
	asymptoticHead = [...]float64{1, -1, 3, -15, 105, -945, 10395, -135135}
	asymptoticTail = [...]float64{
		2027025, -34459425, 654729075, -13749310575, 316234143225, -7905853580625,
		213458046676875, -6190283353629375, 191898783962510625, -6332659870762850625,
	}
)

// millsAsymptotic sums the asymptotic series of R, for x in [26, 2^100].
//
// Proof note. v = 1/x² <= 2^-9.4. The partial sums are alternately above and below R, so the error of the series is
// below the first omitted term, 35!!·v^18 < 2^-101. The terms from n = 8 on are below 2^-54; float64 sums them with a
// relative error of 2^-48. Each of the first eight terms is at most 2^-5 times the one before, so their rounding errors
// amount to at most 2^-102. The rounding errors of v, of the last product and of the quotient are at most 2^-101 each.
// The sum of all errors is below 2^-98.
func millsAsymptotic(x dd) dd {
	inverse := dd{1, 0}.div(x)
	v := inverse.mul(inverse)
	tail := 0.0
	for n := len(asymptoticTail) - 1; n >= 0; n-- {
		tail = tail*v.hi + asymptoticTail[n]
	}
	s := dd{tail, 0}
	for n := len(asymptoticHead) - 1; n >= 0; n-- {
		s = dd{asymptoticHead[n], 0}.addSmall(s.mul(v))
	}
	return s.mul(inverse)
}

// The table of mills has the Taylor series of R at each node: the first millsHead coefficients in double-double, and
// millsTail more in float64.
const (
	millsStep  = 1. / 8
	millsHead  = 10
	millsTail  = 8
	millsNodes = asymptoticFrom*8 + 1

	// the table is computed with tablePrec bits, from series of tableTerms terms
	tablePrec  = 384
	tableTerms = 40
)

// millsNode holds the coefficients R^(n)(x)/n! at one node x.
type millsNode struct {
	head [millsHead]dd
	tail [millsTail]float64
}

// millsTable computes the table at its first use, in a few milliseconds. The alternative would be thousands of digits
// in the source that nobody can read.
//
// Proof note. R(x) is the integral of e^(-xt - t²/2) over t >= 0 and solves y' = x·y - 1. Two solutions of this
// equation differ by a multiple of e^(x²/2), so an error at one node shrinks on the way down to 0. Therefore the nodes
// are computed from 26 down to 0. At 26 the asymptotic series has an error below 2^-450, and each step down sums a
// Taylor series. |R^(n)(x)|/n!, the integral of t^n/n!·e^(-xt - t²/2), is largest at x = 0, and below 2^-80 from n = 41
// on. So a step omits less than 2^-200.
//
// The recurrence for the coefficients enlarges errors: an error of c[0] or c[1] grows like x^n/n!, while R^(n)/n! falls
// about like 1/x^(n+1). Up to n = 18, a relative error of 2^-382 becomes at most 26^37/18!·2^-382 < 2^-260. Later
// coefficients occur only in the steps, multiplied by 8^-n. So the entries have relative errors below 2^-200, before
// they are rounded to 2^-106 (double-double) and 2^-53 (float64).
var millsTable = sync.OnceValue(func() *[millsNodes]millsNode {
	t := new([millsNodes]millsNode)
	value := tableFloat(0).Set(BigMills(BigOf(asymptoticFrom)))
	for i := range t {
		k := millsNodes - 1 - i
		c := millsTaylor(float64(k)*millsStep, value)
		t[k].fill(c)
		value = stepDown(c)
	}
	return t
})

func tableFloat(x float64) *big.Float { return new(big.Float).SetPrec(tablePrec).SetFloat64(x) }

// millsTaylor returns the Taylor coefficients c[n] of R at x, from c[0] = R(x) and c[1] = x·R(x) - 1. The recurrence
// (n+2)·c[n+2] = c[n] + x·c[n+1] follows from the derivative of R' = x·R - 1.
func millsTaylor(x float64, value *big.Float) []*big.Float {
	at := tableFloat(x)
	c := make([]*big.Float, tableTerms+1)
	c[0] = value
	c[1] = tableFloat(0).Mul(at, value)
	c[1].Sub(c[1], tableFloat(1))
	for n := 2; n <= tableTerms; n++ {
		c[n] = tableFloat(0).Mul(at, c[n-1])
		c[n].Add(c[n], c[n-2])
		c[n].Quo(c[n], tableFloat(float64(n)))
	}
	return c
}

// stepDown evaluates the Taylor series with coefficients c at -millsStep.
func stepDown(c []*big.Float) *big.Float {
	s := tableFloat(0)
	step := tableFloat(-millsStep)
	for n := tableTerms; n >= 0; n-- {
		s.Mul(s, step)
		s.Add(s, c[n])
	}
	return s
}

func (n *millsNode) fill(c []*big.Float) {
	for i := range n.head {
		n.head[i] = ddOfBig(c[i])
	}
	for i := range n.tail {
		n.tail[i], _ = c[millsHead+i].Float64()
	}
}
