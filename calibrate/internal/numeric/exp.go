package numeric

import "math"

// e^-t in double-double: subtract a multiple of ln 2 from the argument, divide the rest by 32, sum twelve terms of the
// Taylor series, and square the result five times.

// Constants as double-doubles, each with a relative error below 2^-107.
var (
	ln2        = dd{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}
	invSqrt2Pi = dd{0x1.9884533d43651p-2, -0x1.cbc0d30ebfd15p-56} // 1/sqrt(2 pi)
)

// expHead holds 1/n! for n = 0..5, in double-double. expTail holds 1/n! for n = 6..11, rounded to float64.
var (
	expHead = [...]dd{
		{1, 0},
		{1, 0},
		{0.5, 0},
		{0x1.5555555555555p-3, 0x1.5555555555555p-57},
		{0x1.5555555555555p-5, 0x1.5555555555555p-59},
		{0x1.1111111111111p-7, 0x1.1111111111111p-63},
	}
	expTail = [...]float64{1. / 720, 1. / 5040, 1. / 40320, 1. / 362880, 1. / 3628800, 1. / 39916800}
)

// expNeg returns e^-t for t in [0, 800], with a relative error below 2^-89.
//
// Proof note. t = k·ln2 + r with k = round(t/ln2) <= 1155 and |r| < 0.3467. The rounding of k·ln2 and the error of the
// constant ln2 are each below 2^-101·800 < 2^-91. Let r' = -r/32, so |r'| < 0.01084. The series ends at n = 11; the
// omitted terms are below 2^-106. The terms from n = 6 on are below 2^-48.6 and are summed in float64 with a relative
// error of 2^-50 (2^-98.6). The first six terms need at most 12 operations with errors of 2^-103. So the error of e^r'
// is below 2^-97.9. Five squarings multiply it by 32 and add at most 31·2^-104, which gives 2^-92.8. The sum of the
// three errors is below 2^-89.5.
func expNeg(t dd) wide {
	k := math.Round(t.hi * (1 / math.Ln2))
	r := ln2.mulFloat(k).sub(t).scale(1. / 32)
	y := expSeries(r)
	for range 5 {
		y = y.mul(y)
	}
	return wide{y, -int(k)}
}

// expSeries returns the Taylor series of e^r for |r| < 0.011.
func expSeries(r dd) dd {
	tail := 0.0
	for n := len(expTail) - 1; n >= 0; n-- {
		tail = tail*r.hi + expTail[n]
	}
	s := dd{tail, 0}
	for n := len(expHead) - 1; n >= 0; n-- {
		s = expHead[n].addSmall(s.mul(r))
	}
	return s
}
