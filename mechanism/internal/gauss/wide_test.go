package gauss

import (
	"math"
	"math/big"
	mathrand "math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func anyWide(r *rapid.T) wide {
	x := wide{rapid.Int64().Draw(r, "high"), rapid.Uint64().Draw(r, "low")}
	return x.right(rapid.UintRange(0, 127).Draw(r, "shift"))
}

// TestWideAgreesWithBig: shifts and conversions are those of big integers.
func TestWideAgreesWithBig(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		x := anyWide(r)
		n := rapid.UintRange(0, 200).Draw(r, "n")
		if got, want := x.right(n).big(), new(big.Int).Rsh(x.big(), n); got.Cmp(want) != 0 {
			r.Fatalf("%v >> %d = %v, want %v", x, n, got, want)
		}
		want := new(big.Int).Lsh(x.big(), n)
		want.And(want, new(big.Int).Sub(new(big.Int).Lsh(one, 128), one))
		if got := x.left(n).big(); new(big.Int).And(got, new(big.Int).Sub(new(big.Int).Lsh(one, 128), one)).Cmp(want) != 0 {
			r.Fatalf("%v << %d = %v, want %v", x, n, got, want)
		}
		if x.narrow() != x.big().IsInt64() {
			r.Fatalf("%v narrow: %v", x, x.narrow())
		}
	})
}

// TestRaiseAndSplitWide: grid units and fraction are those of the exact quotient, moved to the ends of int64.
func TestRaiseAndSplitWide(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		x := anyWide(r)
		lift := rapid.IntRange(-200, 200).Draw(r, "lift")
		s := newSampler(t, Scale{1 << 52, 0}, lift, nil)
		high, low := []int64{x.high}, []uint64{x.low}
		s.raiseWide(high, low)
		whole, fraction := s.splitWide(exact(high, low, 0))
		got := new(big.Int).Lsh(big.NewInt(whole), 64)
		got.Or(got, new(big.Int).SetUint64(fraction))

		want := new(big.Int).Lsh(x.big(), uint(max(0, lift)+64))
		want.Rsh(want, uint(max(0, -lift)))
		if x.high >= 0 && want.Cmp(new(big.Int).Lsh(one, 127)) >= 0 {
			want.Lsh(big.NewInt(math.MaxInt64), 64)
		} else if want.Cmp(new(big.Int).Lsh(big.NewInt(-1), 127)) < 0 {
			want.Lsh(big.NewInt(math.MinInt64), 64)
		}
		if got.Cmp(want) != 0 {
			r.Fatalf("%v, lift %d: %v, want %v", x, lift, got, want)
		}
	})
}

// TestWideRunAgreesWithSettle: if 64-bit arithmetic decides an attempt on a cell of 128 bits, the arbitrary precision
// decides it alike.
func TestWideRunAgreesWithSettle(t *testing.T) {
	r := mathrand.New(mathrand.NewPCG(7, 2))
	for range cases(20_000) {
		s := Scale{mantissa: 1<<52 | r.Uint64()>>12, exponent: r.IntN(62) - 59}
		x := wide{int64(r.Uint64()), r.Uint64()}.right(uint(r.IntN(128)))
		first, second := r.Uint64(), r.Uint64()
		sampler := newSampler(t, s, -r.IntN(150), script(first, second))
		high, low := []int64{x.high}, []uint64{x.low}
		sampler.raiseWide(high, low)
		cell := exact(high, low, 0)
		done, _, open := sampler.run(high, low, sampler.source.unread)
		if open {
			continue
		}
		sampler.source = script()
		value, ok, err := sampler.settle(cell, first, second)
		if err != nil || ok != (done == 1) || ok && value != high[0] {
			t.Fatalf("%+v, cell %v, words %#x %#x: run %d, %d; settle %v, %d, %v", s, cell, first, second, done, high[0], ok, value, err)
		}
	}
}

// TestWideIsAddOnNarrowCells: with the same random bits, a cell that fits int64 becomes the same on both paths.
func TestWideIsAddOnNarrowCells(t *testing.T) {
	r := mathrand.New(mathrand.NewPCG(7, 3))
	for range cases(200) {
		s := Scale{mantissa: 1<<52 | r.Uint64()>>12, exponent: r.IntN(62) - 59}
		lift := r.IntN(200) - 130
		var random [3000]uint64
		for i := range random {
			random[i] = r.Uint64()
		}
		cells := make([]int64, 1000)
		high, low := make([]int64, len(cells)), make([]uint64, len(cells))
		for i := range cells {
			cells[i] = int64(r.Uint64()) >> r.IntN(64)
			high[i], low[i] = cells[i]>>63, uint64(cells[i])
		}
		errNarrow := newSampler(t, s, lift, script(random[:]...)).Add(cells)
		errWide := newSampler(t, s, lift, script(random[:]...)).AddWide(high, low)
		if errNarrow != nil || errWide != nil {
			t.Fatal(errNarrow, errWide)
		}
		for i := range cells {
			if cells[i] != high[i] {
				t.Fatalf("%+v, lift %d, cell %d: %d and %d", s, lift, i, cells[i], high[i])
			}
		}
	}
}
