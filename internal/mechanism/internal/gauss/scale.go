package gauss

import (
	"errors"
	"math"
)

// Errors of the public parameters.
var (
	ErrPower = errors.New("not a power of two between 2^-1022 and 2^960")
	ErrScale = errors.New("sigma/grid is not between 2^-7 and 2^55")
)

// The range of the binary exponents of a grid or a unit: 2^63·2^maxLog2 is still a finite float64.
const (
	minLog2 = -1022
	maxLog2 = 960
)

// digits is the number of binary digits of a float64's significand.
const digits = 53

// Scale is S = sigma/grid in integers: S = mantissa·2^exponent exactly, with 2^52 <= mantissa < 2^53 and −59 <=
// exponent <= 3. Only [NewScale] makes a valid one; the zero Scale is invalid.
type Scale struct {
	mantissa uint64
	exponent int
}

// NewScale returns sigma/grid. Nothing is rounded: dividing by a power of two only changes the exponent. It returns
// ErrPower if grid is not a power of two, and ErrScale if sigma/grid is not between 2^-7 and 2^55.
func NewScale(sigma, grid float64) (Scale, error) {
	g, err := Log2(grid)
	if err != nil {
		return Scale{}, err
	}
	m, e, ok := decompose(sigma)
	s := Scale{mantissa: m, exponent: e - g}
	if !ok || !s.inRange() {
		return Scale{}, ErrScale
	}
	return s, nil
}

func (s Scale) inRange() bool {
	const least, low, high = 1 << (digits - 1), -7 - (digits - 1), 55 - (digits - 1)
	if s.exponent == high {
		return s.mantissa == least
	}
	return low <= s.exponent && s.exponent < high && s.mantissa >= least
}

// Log2 returns the binary logarithm of a power of two. It returns ErrPower if x is not a power of two or is out of
// range.
func Log2(x float64) (int, error) {
	m, e, ok := decompose(x)
	l := e + digits - 1
	if !ok || m != 1<<(digits-1) || l < minLog2 || l > maxLog2 {
		return 0, ErrPower
	}
	return l, nil
}

// decompose writes a positive normal x as m·2^e with 2^52 <= m < 2^53. It reads the bits; it does no floating-point
// arithmetic.
func decompose(x float64) (m uint64, e int, ok bool) {
	b := math.Float64bits(x)
	biased := int(b >> (digits - 1)) // a negative x has a sign bit, which makes this too large
	m = b&(1<<(digits-1)-1) | 1<<(digits-1)
	return m, biased - 1075, 0 < biased && biased < 0x7ff
}
