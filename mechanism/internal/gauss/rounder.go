package gauss

import (
	"math/big"

	"github.com/dprelease/dprelease/mechanism/int128"
)

// Rounder rounds x ± S·r to the grid, exactly, for samplers that draw r >= 0 themselves, digit by digit.
type Rounder struct{ s Sampler }

// Real is a number ±(Whole + u) of which the first digits are known: 0 <= u < 1 has 64 of them in each of Digits, the most
// significant first. There is at least one.
type Real struct {
	Negative bool
	Whole    uint64
	Digits   []uint64
}

// NewRounder returns a Rounder of scale s for cells in units of 2^lift grid units. ErrScale if NewScale did not make s
// or S is 2^52 or more.
func NewRounder(s Scale, lift int) (*Rounder, error) {
	if !s.inRange() || s.exponent > -1 {
		return nil, ErrScale
	}
	return &Rounder{s.sampler(-s.exponent, lift)}, nil
}

// Raise turns cells into grid units if their unit is larger than the grid, saturated at the ends of int64. It comes
// once before [Rounder.Round] of these cells.
func (r *Rounder) Raise(cells []int64) { r.s.raise(cells) }

// Round returns floor(x + S·z + 1/2) for a raised cell, x = cell·2^min(lift, 0), saturated at the ends of int64. ok says that
// it is the same for every number that starts with z's digits; if it is not, more digits are needed.
func (r *Rounder) Round(cell int64, z Real) (value int64, ok bool) {
	if z.Whole < levels {
		if value, ok := r.quick(cell, z); ok {
			return value, true
		}
	}
	y, ok := r.s.floor(int128.Of(cell), z.Negative, new(big.Int).SetUint64(z.Whole), lazyOf(z.Digits))
	return saturate(y), ok
}

// quick decides by the first 64 digits in 64-bit arithmetic, if it can.
func (r *Rounder) quick(cell int64, z Real) (value int64, ok bool) {
	var sign uint64
	if z.Negative {
		sign = 1
	}
	k, part := r.s.split(cell)
	whole, rest := r.s.noise(sign, z.Whole, z.Digits[0])
	whole, ok = r.s.nearest(whole, rest, part)
	return Plus(k, int64(whole)), ok
}

// lazyOf returns the uniform number of which these digits are drawn.
func lazyOf(words []uint64) *lazy {
	l := &lazy{drawn: new(big.Int)}
	for _, w := range words {
		l.push(w)
	}
	return l
}
