package gauss

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// The 64-bit enclosure contains the exact value and is a few units wide.
func TestExpFixed(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for range cases(2_000) {
		from := r.Uint64() >> (1 + r.IntN(40))
		low, high := expFixed(from, from+tSlack)
		least := refExp(refUnit(new(big.Int).SetUint64(from+tSlack), 64))
		most := refExp(refUnit(new(big.Int).SetUint64(from), 64))
		if refUnit(new(big.Int).SetUint64(low), 63).Cmp(least) > 0 ||
			refUnit(new(big.Int).SetUint64(high), 63).Cmp(most) < 0 {
			t.Fatalf("t = %#x: [%#x, %#x] does not enclose e^-t", from, low, high)
		}
		if high-low > 64 {
			t.Fatalf("t = %#x: [%#x, %#x] is wide", from, low, high)
		}
	}
}

// The first 64 digits of u enclose t, whatever digits follow.
func TestExponent(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for range cases(5_000) {
		a, u := uint64(r.IntN(levels)), r.Uint64()>>r.IntN(64)
		if r.IntN(4) == 0 {
			u = ^u
		}
		got := exponent(a, u)
		first := refExponent(int64(a), refUnit(new(big.Int).SetUint64(u), 64))
		last := refExponent(int64(a), refUnit(new(big.Int).Add(new(big.Int).SetUint64(u), one), 64))
		end := refUnit(new(big.Int).Add(new(big.Int).SetUint64(got), big.NewInt(tSlack)), 64)
		if refUnit(new(big.Int).SetUint64(got), 64).Cmp(first) > 0 || end.Cmp(last) < 0 {
			t.Fatalf("a = %d, u = %#x: t = %#x", a, u, got)
		}
	}
}

// TestDecide draws v near the bounds of the squeezes, so that the fixed-point exponential has to decide.
func TestDecide(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	var seen [3]int
	for range cases(5_000) {
		a, u := uint64(r.IntN(levels)), r.Uint64()
		e := exponent(a, u)
		half := new(big.Int).Mul(new(big.Int).SetUint64(e), new(big.Int).SetUint64(e))
		gap := half.Rsh(half, 65).Uint64() + 1<<33 // from 1 − t to 1 − t + t²/2, and a little
		first := -e - 1<<32 + r.Uint64N(gap)
		d := decide(first, e)
		seen[d]++
		v := new(big.Int).SetUint64(first >> (64 - acceptBits))
		p := refExp(refExponent(int64(a), refUnit(new(big.Int).SetUint64(u), 64)))
		below := refUnit(new(big.Int).Add(v, one), acceptBits).Cmp(p) <= 0
		above := refUnit(v, acceptBits).Cmp(p) >= 0
		if d == accepted && !below || d == rejected && !above {
			t.Fatalf("a = %d, u = %#x, v = %#x: decision %d", a, u, v, d)
		}
	}
	if seen[accepted] == 0 || seen[rejected] == 0 || seen[undecided] > seen[accepted]/10 {
		t.Errorf("decisions %v", seen)
	}
}

// At any precision the sums enclose the exact values, and the table is their floor.
func TestSums(t *testing.T) {
	f := refCumulative()
	for _, p := range []fixed{96, 160, 512} {
		g, n := p.sums()
		for j := range g {
			low := new(big.Float).Quo(refUnit(g[j].low, 0), refUnit(n.high, 0))
			high := new(big.Float).Quo(refUnit(g[j].high, 0), refUnit(n.low, 0))
			if low.Cmp(f[j]) > 0 || high.Cmp(f[j]) < 0 {
				t.Fatalf("precision %d: F(%d) is not enclosed", p, j)
			}
			if width, _ := new(big.Float).SetMantExp(high.Sub(high, low), int(p)-32).Float64(); width > 1 {
				t.Fatalf("precision %d: F(%d) is wide", p, j)
			}
		}
	}
	for j, c := range cumulative {
		if floor, _ := new(big.Float).SetMantExp(f[j], 64).Int(nil); floor.Uint64() != c {
			t.Errorf("cumulative[%d] = %#x, want %#x", j, c, floor)
		}
	}
}

// TestLookup compares the guide with its definition, at every limit and at random points.
func TestLookup(t *testing.T) {
	var ws []uint32
	for _, l := range limits {
		ws = append(ws, l-1, l, min(l+1, 1<<levelBits-1))
	}
	for b := range uint32(len(guide)) {
		ws = append(ws, b<<(levelBits-guideBits), (b+1)<<(levelBits-guideBits)-1)
	}
	for _, w := range ws {
		level, at := uint64(0), false
		for _, l := range limits {
			at = at || l == w
			if l < w {
				level++
			}
		}
		for low := range uint64(2) {
			if a, ok := lookup(uint64(w)<<1 | low); ok == at || ok && a != level {
				t.Fatalf("w = %#x: level %d, %v; want %d, %v", w, a, ok, level, !at)
			}
		}
	}
}
