package gauss

import "math/bits"

type decision uint8

const (
	rejected decision = iota
	accepted
	undecided
)

// vDigits masks the digits of v in the first word: as a 64-bit fraction, v lies in [first&vDigits, (first|^vDigits)+1).
const vDigits uint64 = (1<<acceptBits - 1) << (64 - acceptBits)

// tSlack bounds the rounding error of exponent, in units of 2^-64.
const tSlack = 3

// exponent returns t = u(2a+u)/512 in units of 2^-64, from the first 64 digits of u: the true t lies in [exponent,
// exponent+tSlack), and below 1/2. a must be below 128.
func exponent(a, u uint64) uint64 {
	t, _ := bits.Mul64(u, a<<56|u>>9)
	return t
}

// acceptsFast reports whether v < 1 − t. Then also v < e^(−t), so that the attempt is accepted.
func acceptsFast(first, t uint64) bool { return t+tSlack <= ^first&vDigits }

// decide compares v with e^(−t) to accept or reject an attempt, for t = exponent(a, u). The first digits of v can leave
// it undecided.
func decide(first, t uint64) decision {
	if acceptsFast(first, t) {
		return accepted
	}
	low, high := first&vDigits, first|^vDigits
	half, _ := bits.Mul64(t, t)
	// v >= 1 − t + t²/2 >= e^(−t).
	if up := half/2 + 2; up < t && low >= -(t-up) {
		return rejected
	}
	from, to := expFixed(t, t+tSlack)
	switch {
	case high>>1+1 <= from:
		return accepted
	case low>>1 >= to:
		return rejected
	}
	return undecided
}

// expFixed encloses e^(−t) in units of 2^-63, for every t in [from, to], units of 2^-64, below 1/2 + 2^-60. It encloses
// the remainder of Taylor's series from the inside out: with R_k = k·∫(1−s)^(k−1)·e^(−ts) ds over [0, 1], e^(−t) = R_0
// = 1 − t/1·R_1, R_(k−1) = 1 − t/k·R_k, and R_k is in [0, 1].
func expFixed(from, to uint64) (low, high uint64) {
	const terms, unit = 16, 1 << 63
	high = unit
	for k := uint64(terms); k > 0; k-- {
		most, _ := bits.Mul64(to, high)
		least, _ := bits.Mul64(from, low)
		low, high = unit-(most/k+2), unit-least/k
	}
	return low, high
}
