package gauss

import (
	"crypto/rand"
	"math"
	"math/big"
	mathrand "math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
)

// If 64-bit arithmetic decides an attempt, arbitrary precision decides it in the same way.
func TestRunAgreesWithSettle(t *testing.T) {
	r := mathrand.New(mathrand.NewPCG(7, 1))
	made := 0
	for range cases(50_000) {
		s := Scale{mantissa: 1<<52 | r.Uint64()>>12, exponent: r.IntN(62) - 59}
		cell := int64(r.Uint64()) >> r.IntN(64)
		first, second := r.Uint64(), r.Uint64()
		sampler := newSampler(t, s, -r.IntN(130), script(first, second))
		cells := []int64{cell}
		done, _, open := sampler.attemptPairs(int128.Narrow(cells), sampler.source.unread)
		if open {
			continue
		}
		made++
		sampler.source = script()
		value, ok, err := sampler.settle(int128.Of(cell), first, second)
		if err != nil || ok != (done == 1) || ok && value != cells[0] {
			t.Fatalf("%+v, cell %d, words %#x %#x: run %d, %d; settle %v, %d, %v", s, cell, first, second, done, cells[0], ok,
				value, err)
		}
	}
	if made < cases(50_000)*9/10 {
		t.Errorf("only %d attempts were decided in 64 bits", made)
	}
}

// An exact answer with digits below the grid keeps them all.
func TestSplit(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		below := rapid.IntRange(0, 200).Draw(r, "below")
		cell := rapid.Int64().Draw(r, "cell")
		whole, fraction := newSampler(t, Scale{1 << 52, 0}, -below, nil).split(cell)
		x := new(big.Int).Lsh(big.NewInt(cell), 64)
		x.Rsh(x, uint(below)) // floor(cell/2^below·2^64)
		got := new(big.Int).Lsh(big.NewInt(whole), 64)
		if got.Add(got, new(big.Int).SetUint64(fraction)); got.Cmp(x) != 0 {
			r.Fatalf("%v, want %v", got, x)
		}
	})
}

// Noisy values are saturated at the limits of int64 and never wrap around, on any path.
func TestSaturation(t *testing.T) {
	source, err := NewBits(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		cell int64
		lift int
		high bool
	}{{math.MaxInt64, 0, true}, {math.MinInt64, 0, false}, {1, 63, true}, {-1, 63, false}, {1, 1982, true}, {-1, 1982,
		false}, {1 << 40, 30, true}} {
		cells := make([]int64, 2000)
		for i := range cells {
			cells[i] = c.cell
		}
		sampler := newSampler(t, newScale(t, 1<<55, 1), c.lift, source)
		if err := sampler.Add(cells); err != nil {
			t.Fatal(err)
		}
		ends := 0
		for _, y := range cells {
			if y < 0 == c.high {
				t.Fatalf("%+v: %d", c, y)
			}
			if y == limitOf(c.cell) {
				ends++
			}
		}
		if ends < 800 || ends > 1200 { // 1000 expected, 9 standard errors
			t.Errorf("%+v: %d of 2000 at the end", c, ends)
		}
	}
}

func TestRaise(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		above := rapid.IntRange(1, 70).Draw(r, "above")
		cell := rapid.Int64().Draw(r, "cell") >> rapid.IntRange(0, 63).Draw(r, "small")
		cells := []int64{cell}
		newSampler(t, Scale{1 << 52, 0}, above, nil).raise(cells)
		if want := saturate(new(big.Int).Lsh(big.NewInt(cell), uint(above))); cells[0] != want {
			r.Fatalf("%d·2^%d is %d, want %d", cell, above, cells[0], want)
		}
	})
}

func TestPlus(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := rapid.Int64().Draw(t, "x"), rapid.Int64().Draw(t, "y")
		if got, want := Plus(x, y), saturate(new(big.Int).Add(big.NewInt(x), big.NewInt(y))); got != want {
			t.Fatalf("%d + %d is %d, want %d", x, y, got, want)
		}
	})
}
