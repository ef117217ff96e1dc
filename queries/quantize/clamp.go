package quantize

import (
	"math"
)

// Quantize writes the numbers of a row, bounded and in quanta, to dst. It returns false if the row has no value.
func (q *Quantizer) Quantize(dst []int64, row []float64) bool {
	if q.Factors != nil {
		return q.Factors.quantize(dst, row)
	}
	if q.Clip {
		return q.clipVector(dst, row)
	}
	if len(row) != len(dst) {
		return false
	}
	for i, x := range row {
		if math.IsNaN(x) {
			return false
		}
		dst[i] = q.clamp(x)
	}
	return true
}

// clamp rounds a number to quanta, ties to even, and moves it into the range. Scaling by a power of two is exact.
func (q *Quantizer) clamp(x float64) int64 {
	y := math.RoundToEven(x * q.inverse)
	switch {
	case y <= float64(q.Min):
		return q.Min
	case y >= float64(q.Max):
		return q.Max
	}
	return int64(y)
}

// rounder is 1.5·2^52: the doubles from 2^52 to 2^53 are the integers, so y + rounder is rounder plus y rounded to an
// integer, ties to even, for |y| <= 2^51, and its bits are rounder's plus that integer.
const rounder = 3 << 51

// Fast quantizes single numbers that are clamped, without a branch that depends on them.
type Fast struct {
	inverse, min, max float64
	offset            int64 // the centre and the bits of rounder
}

// Fast returns the fast form of the quantizer.
func (q *Quantizer) Fast() Fast {
	return Fast{q.inverse, float64(q.Min), float64(q.Max), q.Centre + int64(math.Float64bits(rounder))}
}

// Quantize returns x, which is not NaN, clamped and in quanta, less the centre. It agrees with [Quantizer.Quantize]:
// moving into the range, whose min and max are integers, and rounding can change places.
func (f *Fast) Quantize(x float64) int64 {
	y := x * f.inverse
	if y < f.min {
		y = f.min
	}
	if y > f.max {
		y = f.max
	}
	y += rounder
	return int64(math.Float64bits(y)) - f.offset
}
