package quantize

import (
	"math"
)

// Quantize bounds the numbers of a row and writes them to dst in quanta, without subtracting the centre. dst must have
// [Quantizer.Numbers] items. It returns false if the row has no value.
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

// rounder is 1.5·2^52. float64s from 2^52 to 2^53 are integers, so for |y| <= 2^51 the sum y + rounder rounds y to an
// integer, ties to even. This integer is the bits of the sum minus the bits of rounder, both taken as integers.
const rounder = 3 << 51

// Fast quantizes single numbers with a clamp, without branches that depend on the numbers.
type Fast struct {
	inverse, min, max float64
	offset            int64 // the centre plus the bits of rounder
}

// Fast returns a Fast with the quantizer's clamp, quantum and centre.
func (q *Quantizer) Fast() Fast {
	return Fast{q.inverse, float64(q.Min), float64(q.Max), q.Centre + int64(math.Float64bits(rounder))}
}

// Quantize returns x clamped, in quanta, minus the centre. x must not be NaN. The result equals the result of
// [Quantizer.Quantize] minus the centre: min and max are integers, so clamping and rounding can be in any order.
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
