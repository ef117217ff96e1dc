package quantize

import (
	"math"
	"math/bits"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
)

// farAway replaces infinite components. It is larger than any allowed norm, in quanta.
const farAway = 1 << (MaxBits + 1)

// clipVector writes a vector in quanta, rounded towards zero, and shortens it if its norm exceeds Max. After rounding
// it computes with integers, so the norm is bounded without error.
func (q *Quantizer) clipVector(dst []int64, row []float64) bool {
	longest := 0.0
	for _, x := range row {
		longest = max(longest, math.Abs(x)) // longest becomes NaN if a component is NaN
	}
	switch {
	case len(row) != len(dst), math.IsNaN(longest):
		return false
	case math.IsInf(longest, 0):
		for i, x := range row {
			dst[i] = direction(x)
		}
	default:
		scale := q.scale(longest)
		for i, x := range row {
			dst[i] = int64(x * scale)
		}
	}
	shorten(dst, uint64(q.Max))
	return true
}

func direction(x float64) int64 {
	switch {
	case math.IsInf(x, 1):
		return farAway
	case math.IsInf(x, -1):
		return -farAway
	}
	return 0
}

// scale returns the power of two by which components are multiplied to get quanta. longest is the largest magnitude of
// a component. If this component would have more than 53 binary digits, scale returns a smaller power that gives it 53
// digits: the vector will be shortened anyway.
func (q *Quantizer) scale(longest float64) float64 {
	const digits = 53
	if longest*q.inverse < 1<<digits {
		return q.inverse
	}
	_, e := math.Frexp(longest)
	return math.Ldexp(1, digits-e)
}

// shorten multiplies x by norm/N if N, the norm of x rounded up, is larger than norm. x has at most 2^20 components
// below 2^53. Each component is rounded towards zero, so the norm of the result is at most norm.
func shorten(x []int64, norm uint64) {
	var squared int128.Int
	for _, v := range x {
		squared = squared.Add(int128.Square(magnitude(v)))
	}
	own := rootUp(squared)
	if own <= norm {
		return
	}
	for i, v := range x {
		h, l := bits.Mul64(magnitude(v), norm)
		y, _ := bits.Div64(h, l, own) // a component is at most as long as the vector, so the quotient is at most norm
		x[i] = int64(y)
		if v < 0 {
			x[i] = -x[i]
		}
	}
}

func magnitude(x int64) uint64 { return uint64(max(x, -x)) }

// rootUp returns the smallest n with n² >= x, for 0 <= x < 2^126. It starts with a root in floats, which has about 52
// correct binary digits, and one step of Newton's method. The result is off by a few units, which the loops correct.
func rootUp(x int128.Int) uint64 {
	if x == (int128.Int{}) {
		return 0
	}
	n := uint64(math.Sqrt(math.Ldexp(float64(x.High), 64)+float64(x.Low))) + 1
	if uint64(x.High) < n {
		quotient, _ := bits.Div64(uint64(x.High), x.Low, n)
		n = n/2 + quotient/2 + 1 // the sum may have 65 binary digits, so halve each term before adding
	}
	for n > 0 && !squareBelow(n-1, x) {
		n--
	}
	for squareBelow(n, x) {
		n++
	}
	return n
}

// squareBelow reports whether n² < x.
func squareBelow(n uint64, x int128.Int) bool { return int128.Square(n).Cmp(x) < 0 }
