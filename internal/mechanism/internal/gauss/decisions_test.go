package gauss

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
)

// # Decisions at the threshold
//
// These tests choose digits so that a number is within two units of its last digit of the point at which a decision
// changes, at every depth of digits that the sampler may reach. The oracle decides from all digits.

// cases returns the number of cases: 10^5 in the long run.
func cases(usual int) int {
	switch {
	case os.Getenv("DPRELEASE_LONG") == "1":
		return 100_000
	case testing.Short() || !owntest.Checking():
		return usual / 5
	}
	return usual
}

// depth is the number of words after the first ones in a digit string.
const depth = 5

// near returns a digit string of n digits and 64·depth more, at most two units of digit n+64·k from x in [0, 1), with k
// random. The drawn digits come first, then the words to come. ok is false if the string would leave [0, 1).
func near(r *rand.Rand, x *big.Float, n int) (all *big.Int, ok bool) {
	total := n + 64*depth
	at := n + 64*r.IntN(depth-1)
	scaled, _ := new(big.Float).SetMantExp(x, at).Int(nil)
	scaled.Add(scaled, big.NewInt(int64(r.IntN(5)-2)))
	all = scaled.Lsh(scaled, uint(total-at))
	switch tail := new(big.Int).Lsh(one, uint(total-at)); r.IntN(3) {
	case 0:
		all.Add(all, tail.Sub(tail, one))
	case 1:
		for range (total - at) / 64 {
			all.Xor(all, new(big.Int).Lsh(new(big.Int).SetUint64(r.Uint64()), uint(64*r.IntN((total-at)/64))))
		}
	}
	return all, all.Sign() >= 0 && all.BitLen() <= total
}

// head returns all digits before the last depth words.
func head(all *big.Int) uint64 { return new(big.Int).Rsh(all, 64*depth).Uint64() }

func random(r *rand.Rand, n int) *big.Int {
	x := new(big.Int)
	for range n / 64 {
		x.Or(x.Lsh(x, 64), new(big.Int).SetUint64(r.Uint64()))
	}
	return x
}

func TestLevelAtThreshold(t *testing.T) {
	f := refCumulative()
	r := rand.New(rand.NewPCG(1, 1))
	for range cases(3_000) / 10 { // each takes a millisecond
		w, ok := near(r, f[r.IntN(150)], levelBits)
		if !ok {
			continue
		}
		want := refLevel(f, refUnit(w, levelBits+64*depth))
		if want > 300 { // all digits are ones: the script is too short to decide
			continue
		}
		first := head(w) << 1
		a := &attempt{sampler: &Sampler{source: script(words(w, depth)...)}, first: first, w: newLazy(head(w), levelBits)}
		got, err := a.level()
		if err != nil || got != want {
			t.Fatalf("w = %#x: level %d, %v; want %d", w, got, err, want)
		}
	}
}

func TestLevelBeyondTheTable(t *testing.T) {
	f := refCumulative()
	for _, j := range []int64{126, 127, 128, 129, 150, 200, 250} {
		w, _ := new(big.Float).SetMantExp(f[j-1], levelBits+64*8).Int(nil)
		for _, d := range []int64{-1, 2} {
			v := new(big.Int).Add(w, big.NewInt(d))
			a := &attempt{sampler: &Sampler{source: script(words(v, 8)...)}, first: ^uint64(0),
				w: newLazy(1<<levelBits-1, levelBits)}
			got, err := a.level()
			if want := refLevel(f, refUnit(v, levelBits+64*8)); err != nil || got != want {
				t.Errorf("below F(%d) by %d: level %d, %v; want %d", j-1, d, got, err, want)
			}
		}
	}
}

func TestAcceptAtThreshold(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for range cases(500) {
		a := int64(r.IntN(levels))
		if r.IntN(4) == 0 {
			a = int64(r.IntN(1000)) // mostly levels above those in the table
		}
		u := random(r, 64*(1+depth))
		p := refExp(refExponent(a, refUnit(u, 64*(1+depth))))
		v, ok := near(r, p, acceptBits)
		if !ok {
			continue
		}
		var more []uint64
		us, vs := words(u, depth), words(v, depth)
		for i := range us {
			more = append(more, us[i], vs[i])
		}
		first := head(v)<<(64-acceptBits) | r.Uint64()>>acceptBits
		b := &attempt{sampler: &Sampler{source: script(more...)}, first: first, u: newLazy(head(u), 64),
			v: newLazy(head(v), acceptBits)}
		got, err := b.accept(a, head(u))
		if want := refUnit(v, acceptBits+64*depth).Cmp(p) < 0; err != nil || got != want {
			t.Fatalf("a = %d, u = %#x, v = %#x: accept %v, %v; want %v", a, u, v, got, err, want)
		}
	}
}

// TestRoundAtThreshold runs whole attempts whose u is at a point at which the rounded sum changes.
func TestRoundAtThreshold(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	tried, open := 0, 0
	for range cases(10_000) {
		scale := newScale(t, math.Ldexp(1+r.Float64(), r.IntN(62)-7), 1)
		a, sign, lift := uint64(r.IntN(levels)), r.Uint64()&1, r.IntN(90)-80
		cell := int64(r.Uint64()) >> (10 + r.IntN(54))
		x := new(big.Rat).Mul(new(big.Rat).SetInt64(cell), power(lift))
		first, reached := firstOf(a)
		u, ok := turn(r, scale.rat(), x, int64(a), sign == 1)
		if !reached || !ok {
			continue
		}
		tried++
		z := new(big.Rat).SetInt(u)
		z.Add(z.Mul(z, power(-64*(1+depth))), new(big.Rat).SetInt64(int64(a)))
		want := saturate(refRound(x, scale.rat(), z.Mul(z, big.NewRat(1, 16)), sign == 1))
		cells := []int64{cell}
		source := script(append([]uint64{first | sign, head(u)}, words(u, depth)...)...)
		if err := newSampler(t, scale, lift, source).Add(cells); err != nil || cells[0] != want {
			t.Fatalf("S = %+v, a = %d, sign %d, lift %d, cell %d, u = %#x: %d, %v; want %d", scale, a, sign, lift, cell, u,
				cells[0], err, want)
		}
		if len(source.unread) < depth*wordSize {
			open++
		}
	}
	if tried < cases(10_000)/10 || open < tried/10 {
		t.Errorf("%d cases at the threshold, %d needed more digits: too few to show anything", tried, open)
	}
}

// turn returns the digits of a u near the one at which x ± s(a+u)/16 + 1/2 is an integer.
func turn(r *rand.Rand, s, x *big.Rat, a int64, negative bool) (*big.Int, bool) {
	z := new(big.Rat).Add(big.NewRat(a, 16), big.NewRat(r.Int64N(1<<40), 1<<44))
	boundary := new(big.Rat).SetInt(refRound(x, s, z, negative)) // the point at which floor(… + 1/2) changes to this integer
	boundary.Sub(boundary, big.NewRat(1, 2))
	boundary.Sub(boundary, x)
	if negative {
		boundary.Neg(boundary)
	}
	boundary.Quo(boundary, s)
	boundary.Sub(boundary.Mul(boundary, big.NewRat(16, 1)), new(big.Rat).SetInt64(a))
	if boundary.Sign() < 0 || boundary.Cmp(big.NewRat(1, 1)) >= 0 {
		return nil, false
	}
	return near(r, new(big.Float).SetPrec(refPrecision).SetRat(boundary), 64)
}

// firstOf returns a first word that selects level a and whose v is 0, so that it is accepted for any u. ok is false if
// 31 digits of w do not reach that level.
func firstOf(a uint64) (first uint64, ok bool) {
	first = uint64(limits[a]-1) << 1
	got, ok := lookup(first)
	return first, ok && got == a
}
