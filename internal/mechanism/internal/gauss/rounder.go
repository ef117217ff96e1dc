package gauss

import (
	"math/big"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
)

// Rounder rounds x ± S·r to the grid exactly, where S is the scale of the noise in grid units. It is for samplers that
// draw r >= 0 by themselves, digit by digit.
type Rounder struct{ s Sampler }

// Real is a number ±(Whole + u), 0 <= u < 1, whose first digits are known. Each item of Digits holds 64 digits of u,
// the most significant first. There is at least one item.
type Real struct {
	Negative bool
	Whole    uint64
	Digits   []uint64
}

// NewRounder returns a Rounder of scale s for cells in units of 2^lift grid units. It returns ErrScale if NewScale did
// not make s, or if the scale is 2^52 or more.
func NewRounder(s Scale, lift int) (*Rounder, error) {
	if !s.inRange() || s.exponent > -1 {
		return nil, ErrScale
	}
	return &Rounder{s.sampler(-s.exponent, lift)}, nil
}

// Raise multiplies cells by 2^lift if lift is positive, so that they are in grid units, saturated at the limits of
// int64. It is called once, before [Rounder.Round] of these cells.
func (r *Rounder) Raise(cells []int64) { r.s.raise(cells) }

// Round returns floor(x + S·z + 1/2) for a raised cell, x = cell·2^min(lift, 0), saturated at the limits of int64. ok
// is false if z's digits do not decide the result, so that more digits are needed.
func (r *Rounder) Round(cell int64, z Real) (value int64, ok bool) {
	if z.Whole < levels {
		if value, ok := r.roundFast(cell, z); ok {
			return value, true
		}
	}
	y, ok := r.s.floor(int128.Of(cell), z.Negative, new(big.Int).SetUint64(z.Whole), lazyOf(z.Digits))
	return saturate(y), ok
}

// RaiseWide does the same as [Rounder.Raise] for cells of 128 bits. Afterwards they are in units of 2^min(lift, 0) grid
// units and, in grid units, within int64.
func (r *Rounder) RaiseWide(cells int128.Slice) { r.s.raiseWide(cells) }

// Whole returns floor(x) in grid units, for a cell that RaiseWide raised.
func (r *Rounder) Whole(cell int128.Int) int64 {
	whole, _ := r.s.splitWide(cell)
	return whole
}

// RoundWide does the same as [Rounder.Round] for a cell that RaiseWide raised.
func (r *Rounder) RoundWide(cell int128.Int, z Real) (value int64, ok bool) {
	if z.Whole < levels {
		k, part := r.s.splitWide(cell)
		if value, ok := r.addFast(k, part, z); ok {
			return value, true
		}
	}
	y, ok := r.s.floor(cell, z.Negative, new(big.Int).SetUint64(z.Whole), lazyOf(z.Digits))
	return saturate(y), ok
}

// roundFast does the same as Round in 64-bit arithmetic on the first 64 digits; ok is false if they do not decide the
// result.
func (r *Rounder) roundFast(cell int64, z Real) (value int64, ok bool) {
	k, part := r.s.split(cell)
	return r.addFast(k, part, z)
}

// addFast does the work of roundFast, for a cell that is given as an integer k and a fraction part in units of 2^-64.
func (r *Rounder) addFast(k int64, part uint64, z Real) (value int64, ok bool) {
	var sign uint64
	if z.Negative {
		sign = 1
	}
	whole, rest := r.s.noise(sign, z.Whole, z.Digits[0])
	whole, ok = r.s.roundNearest(whole, rest, part)
	return Plus(k, int64(whole)), ok
}

// lazyOf returns the uniform number in [0, 1) that starts with these digits.
func lazyOf(words []uint64) *lazy {
	l := &lazy{drawn: new(big.Int)}
	for _, w := range words {
		l.appendDigits(w)
	}
	return l
}
