package gauss

import (
	"errors"
	"math"
	"math/big"
	mathrand "math/rand/v2"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
)

// If digits decide a rounding, exact rationals agree at both bounds of the numbers that start with these digits. If
// they leave it open, the bounds round differently. Half of the cases are near a point at which the rounded sum
// changes.
func TestRounder(t *testing.T) {
	owntest.Slow(t)
	r := mathrand.New(mathrand.NewPCG(7, 4))
	open, turning := 0, 0
	for range cases(50_000) {
		scale := Scale{mantissa: 1<<52 | r.Uint64()>>12, exponent: -1 - r.IntN(59)}
		lift := r.IntN(90) - 80
		cell := int64(r.Uint64()) >> (12 + r.IntN(52))
		z := Real{Negative: r.IntN(2) == 1, Whole: uint64(r.IntN(300)), Digits: []uint64{r.Uint64()}}
		x := new(big.Rat).Mul(new(big.Rat).SetInt64(cell), power(lift))
		if u, ok := turn(r, new(big.Rat).Mul(scale.rat(), big.NewRat(16, 1)), x, int64(z.Whole), z.Negative); ok &&
			z.Whole < levels {
			z.Digits = append([]uint64{head(u)}, words(u, depth)...)[:1+r.IntN(depth)]
			turning++
		}
		rounder, err := NewRounder(scale, lift)
		if err != nil {
			t.Fatal(err)
		}
		raised := []int64{cell}
		rounder.Raise(raised)
		got, ok := rounder.Round(raised[0], z)
		low := new(big.Rat).Add(fraction(z.Digits, 0), new(big.Rat).SetInt(new(big.Int).SetUint64(z.Whole)))
		high := new(big.Rat).Add(fraction(z.Digits, 1), new(big.Rat).SetInt(new(big.Int).SetUint64(z.Whole)))
		from, to := refRound(x, scale.rat(), low, z.Negative), refRound(x, scale.rat(), high, z.Negative)
		if ok != (from.Cmp(to) == 0) || ok && got != saturate(from) {
			t.Fatalf("S = %+v, lift %d, cell %d, %+v: %d, %v; want %v to %v", scale, lift, cell, z, got, ok, from, to)
		}
		if !ok {
			open++
		}
	}
	if turning < cases(50_000)/20 || open < turning/20 {
		t.Errorf("%d cases at the threshold, %d open: too few to show anything", turning, open)
	}
}

// fraction returns the number with these digits, plus a number of units of the last digit.
func fraction(digits []uint64, more int64) *big.Rat {
	l := lazyOf(digits)
	return new(big.Rat).Mul(new(big.Rat).SetInt(new(big.Int).Add(l.drawn, big.NewInt(more))), power(-int(l.n)))
}

func TestNewRounderRefuses(t *testing.T) {
	for _, s := range []Scale{{}, {1 << 52, 0}, {1 << 52, 3}, {1 << 51, -10}} {
		if _, err := NewRounder(s, 0); !errors.Is(err, ErrScale) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	for _, sigma := range []float64{1.0 / 128, math.Nextafter(1<<52, 0)} {
		if _, err := NewRounder(newScale(t, sigma, 1), 0); err != nil {
			t.Errorf("S = %g: %v", sigma, err)
		}
	}
}
