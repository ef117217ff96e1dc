package gauss

import (
	"math"
	"math/big"
	mathrand "math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
)

func anyWide(r *rapid.T) int128.Int {
	x := int128.Int{High: rapid.Int64().Draw(r, "high"), Low: rapid.Uint64().Draw(r, "low")}
	return x.ShiftRight(rapid.UintRange(0, 127).Draw(r, "shift"))
}

// The integer and the fraction of a cell in grid units are exact, and saturated at the limits of int64.
func TestRaiseAndSplitWide(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		x := anyWide(r)
		lift := rapid.IntRange(-200, 200).Draw(r, "lift")
		s := newSampler(t, Scale{1 << 52, 0}, lift, nil)
		cells := int128.Slice{High: []int64{x.High}, Low: []uint64{x.Low}}
		s.raiseWide(cells)
		whole, fraction := s.splitWide(cells.At(0))
		got := new(big.Int).Lsh(big.NewInt(whole), 64)
		got.Or(got, new(big.Int).SetUint64(fraction))

		want := new(big.Int).Lsh(x.Big(), uint(max(0, lift)+64))
		want.Rsh(want, uint(max(0, -lift)))
		if x.High >= 0 && want.Cmp(new(big.Int).Lsh(one, 127)) >= 0 {
			want.Lsh(big.NewInt(math.MaxInt64), 64)
		} else if want.Cmp(new(big.Int).Lsh(big.NewInt(-1), 127)) < 0 {
			want.Lsh(big.NewInt(math.MinInt64), 64)
		}
		if got.Cmp(want) != 0 {
			r.Fatalf("%v, lift %d: %v, want %v", x, lift, got, want)
		}
	})
}

// If 64-bit arithmetic decides an attempt on a cell of 128 bits, arbitrary precision decides it in the same way.
func TestWideRunAgreesWithSettle(t *testing.T) {
	r := mathrand.New(mathrand.NewPCG(7, 2))
	for range cases(20_000) {
		s := Scale{mantissa: 1<<52 | r.Uint64()>>12, exponent: r.IntN(62) - 59}
		x := int128.Int{High: int64(r.Uint64()), Low: r.Uint64()}.ShiftRight(uint(r.IntN(128)))
		first, second := r.Uint64(), r.Uint64()
		sampler := newSampler(t, s, -r.IntN(150), script(first, second))
		cells := int128.Slice{High: []int64{x.High}, Low: []uint64{x.Low}}
		sampler.raiseWide(cells)
		cell := cells.At(0)
		done, _, open := sampler.attemptPairs(cells, sampler.source.unread)
		if open {
			continue
		}
		sampler.source = script()
		value, ok, err := sampler.settle(cell, first, second)
		if err != nil || ok != (done == 1) || ok && value != cells.High[0] {
			t.Fatalf("%+v, cell %v, words %#x %#x: run %d, %d; settle %v, %d, %v", s, cell, first, second, done, cells.High[0],
				ok, value, err)
		}
	}
}

// If a cell fits int64, AddWide and Add give it the same value from the same random bits.
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
		wide := int128.Make(len(cells))
		for i := range cells {
			cells[i] = int64(r.Uint64()) >> r.IntN(64)
			wide.Add(i, int128.Of(cells[i]))
		}
		errNarrow := newSampler(t, s, lift, script(random[:]...)).Add(cells)
		errWide := newSampler(t, s, lift, script(random[:]...)).AddWide(wide)
		if errNarrow != nil || errWide != nil {
			t.Fatal(errNarrow, errWide)
		}
		for i := range cells {
			if cells[i] != wide.High[i] {
				t.Fatalf("%+v, lift %d, cell %d: %d and %d", s, lift, i, cells[i], wide.High[i])
			}
		}
	}
}
