package mechanism_test

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/int128"
)

func ofL2(l2 float64) calibrate.Mechanism {
	return calibrate.Mechanism{Query: "q", Sens: calibrate.Sensitivity{L2: l2, Why: "w"}, Sigma: 1, Grid: 0.5}
}

// split returns the two halves of x in two's complement of 128 bits.
func split(x *big.Int) (high int64, low uint64) {
	mod := new(big.Int).Lsh(big.NewInt(1), 128)
	y := new(big.Int).Mod(x, mod)
	low = new(big.Int).And(y, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
	return int64(new(big.Int).Rsh(y, 64).Uint64()), low
}

// hideAs hides cells in one of the four forms. The narrow forms use the low 64 bits.
func hideAs(t *rapid.T, form string, unit float64, cells []*big.Int) mechanism.Exact {
	var high []int64
	var low []uint64
	var at []int
	for i, x := range cells {
		h, l := split(x)
		if sparse := form == "sparse" || form == "sparse wide"; sparse && x.Sign() == 0 {
			continue
		}
		at, high, low = append(at, i), append(high, h), append(low, l)
	}
	if form == "plain" || form == "sparse" {
		for i := range high {
			high[i] = int64(low[i])
		}
		low = nil
	}
	var e mechanism.Exact
	var err error
	switch form {
	case "plain":
		e, err = mechanism.Hide(unit, high)
	case "wide":
		e, err = mechanism.HideWide(unit, int128.Slice{High: high, Low: low})
	default:
		e, err = mechanism.HideSparse(unit, mechanism.Sparse{Cells: len(cells), At: at,
			Answers: int128.Slice{High: high, Low: low}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// The comparison is exact for every form of the answers, and right at the bound.
func TestWithinIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "cells")
		narrow := rapid.Bool().Draw(t, "narrow")
		forms := []string{"wide", "sparse wide"}
		if narrow {
			forms = append(forms, "plain", "sparse")
		}
		number := rapid.Custom(func(t *rapid.T) *big.Int {
			x := big.NewInt(rapid.SampledFrom([]int64{0, 0, 1, -1, 3, math.MaxInt64, math.MinInt64}).Draw(t, "number"))
			if !narrow && rapid.Bool().Draw(t, "large") {
				x.Mul(x, big.NewInt(rapid.Int64Range(1, 1<<62).Draw(t, "factor")))
			}
			return x
		})
		x, y := rapid.SliceOfN(number, n, n).Draw(t, "x"), rapid.SliceOfN(number, n, n).Draw(t, "y")
		log := rapid.IntRange(-40, 40).Draw(t, "unit")
		a := hideAs(t, rapid.SampledFrom(forms).Draw(t, "form"), math.Ldexp(1, log), x)
		b := hideAs(t, rapid.SampledFrom(forms).Draw(t, "form"), math.Ldexp(1, log), y)
		sum := new(big.Int)
		for i := range x {
			d := new(big.Int).Sub(x[i], y[i])
			sum.Add(sum, d.Mul(d, d))
		}
		norm := new(big.Float).SetPrec(400).SetInt(sum)
		norm.Sqrt(norm).SetMantExp(norm, log)
		l2, _ := norm.Float64()
		for _, bound := range []float64{0, math.Nextafter(l2, 0), l2, math.Nextafter(l2, math.Inf(1)), 2 * l2} {
			square := new(big.Rat).SetFloat64(bound)
			square.Mul(square, square)
			exact := new(big.Rat).SetInt(sum)
			unit := new(big.Rat).SetFloat64(math.Ldexp(1, 2*log))
			want := exact.Mul(exact, unit).Cmp(square) <= 0
			got, err := mechanism.Within(a, b, ofL2(bound))
			if err != nil || got != want {
				t.Fatalf("%v and %v in units of 2^%d: within %g: %v (%v), want %v", x, y, log, bound, got, err, want)
			}
		}
	})
}

func TestWithinOfPrivateKeys(t *testing.T) {
	for _, c := range []struct {
		x, y   []string
		l2     float64
		within bool
	}{
		{nil, nil, 0, true},
		{[]string{"a", "b"}, []string{"a", "b"}, 0, true},
		{[]string{"a", "b"}, []string{"b"}, 1, true},
		{[]string{"a", "b"}, []string{"c"}, 1.7, false},
		{[]string{"a", "b"}, []string{"c"}, 1.7321, true},
		{nil, []string{"c"}, 0.9, false},
	} {
		for _, pair := range [][2][]string{{c.x, c.y}, {c.y, c.x}} {
			a, b := keys(t, pair[0]), keys(t, pair[1])
			for range 2 {
				if got, err := mechanism.Within(a, b, ofL2(c.l2)); got != c.within || err != nil {
					t.Errorf("%q and %q within %g: %v (%v)", pair[0], pair[1], c.l2, got, err)
				}
			}
			s := calibrate.KeySelection{Keys: 1, Failure: 1e-9, Mechanism: ofL2(1)}
			if _, err := mechanism.SelectKeys(t.Context(), a, ledgertest.Receipt(t, s.Mechanism), s, 1); !errors.Is(err, mechanism.ErrSpent) {
				t.Errorf("keys that were compared were selected: %v", err)
			}
		}
	}
}

// A key that was left out for its count is one of one unit less. What is held of keys is compared if neither table has
// left them out.
func TestWithinOfKeysThatAreLeftOut(t *testing.T) {
	const least = 5
	of := func(counts ...int64) (leader, follower mechanism.Exact) {
		names, sums := []string{"a", "b", "c"}[:len(counts)], sumsByKey{}
		for i, name := range names {
			sums[name] = 100 * counts[i]
		}
		leader, err := mechanism.HideKeyed(least, slices.Clone(names), slices.Clone(counts))
		if err != nil {
			t.Fatal(err)
		}
		follower = mechanism.HideForKeys(sums)
		if err := follower.Among(leader); err != nil {
			t.Fatal(err)
		}
		return leader, follower
	}
	for _, c := range []struct {
		x, y       []int64
		keys, sums float64 // distances
	}{
		{[]int64{5, 7, 4}, []int64{4, 7, 5}, math.Sqrt2, 0},
		{[]int64{5, 7}, []int64{1, 7}, 1, 0}, // 1 is not told from 4
		{[]int64{5, 8}, []int64{5, 7, 4}, 1, 100},
		{[]int64{6}, []int64{4}, 2, 0},
		{[]int64{4, 4, 4}, []int64{1}, 0, 0},
	} {
		for _, swap := range []bool{false, true} {
			if swap {
				c.x, c.y = c.y, c.x
			}
			a, sumsOfA := of(c.x...)
			b, sumsOfB := of(c.y...)
			for _, pair := range []struct {
				a, b     mechanism.Exact
				distance float64
			}{{a, b, c.keys}, {sumsOfA, sumsOfB, c.sums}} {
				at, errAt := mechanism.Within(pair.a, pair.b, ofL2(pair.distance*(1+1e-15)))
				below, errBelow := mechanism.Within(pair.a, pair.b, ofL2(max(0, pair.distance-0.01)))
				if !at || below != (pair.distance == 0) || errAt != nil || errBelow != nil {
					t.Errorf("%v and %v: within %g %v, below it %v (%v, %v)", c.x, c.y, pair.distance, at, below, errAt, errBelow)
				}
			}
		}
	}
	a, sumsOfA := of(9)
	if _, err := mechanism.Within(a, keys(t, []string{"a"}), ofL2(1)); !errors.Is(err, mechanism.ErrKeys) {
		t.Errorf("keys that were left out beside keys that were not: %v", err)
	}
	if _, err := mechanism.Within(sumsOfA, mechanism.HideForKeys(sumsByKey{"a": 1}), ofL2(1)); !errors.Is(err,
		mechanism.ErrKeys) {
		t.Errorf("sums of such keys: %v", err)
	}
	if err := a.Among(a); !errors.Is(err, mechanism.ErrKeys) {
		t.Errorf("counts that wait for keys: %v", err)
	}
}

func keys(t *testing.T, names []string) mechanism.Exact {
	t.Helper()
	e, err := mechanism.HideKeyed(1, slices.Clone(names), slices.Repeat([]int64{1}, len(names)))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Noise cannot be added to compared answers, and answers with noise cannot be compared.
func TestComparedIsNeverNoised(t *testing.T) {
	m := ofL2(1)
	one := func() mechanism.Exact {
		e, err := mechanism.Hide(1, []int64{1, 2})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	a, b := one(), one()
	if ok, err := mechanism.Within(a, b, ofL2(0)); !ok || err != nil {
		t.Errorf("equal answers: %v, %v", ok, err)
	}
	if ok, err := mechanism.Within(a, a, ofL2(0)); !ok || err != nil {
		t.Errorf("an answer and itself: %v, %v", ok, err)
	}
	for _, e := range []mechanism.Exact{a, b} {
		if _, err := mechanism.AddNoise(t.Context(), e, ledgertest.Receipt(t, m), m, 1); !errors.Is(err, mechanism.ErrSpent) {
			t.Errorf("noised after it was compared: %v", err)
		}
	}
	c := one()
	if _, err := mechanism.AddNoise(t.Context(), c, ledgertest.Receipt(t, m), m, 1); err != nil {
		t.Fatal(err)
	}
	other, err := mechanism.Hide(2, []int64{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	short, err := mechanism.Hide(1, []int64{1})
	if err != nil {
		t.Fatal(err)
	}
	for want, e := range map[error]mechanism.Exact{
		mechanism.ErrSpent: c, mechanism.ErrQuantum: other, mechanism.ErrHalves: short, mechanism.ErrEmpty: {}, mechanism.ErrKeys: keys(t, nil),
	} {
		for _, pair := range [][2]mechanism.Exact{{one(), e}, {e, one()}} {
			if ok, err := mechanism.Within(pair[0], pair[1], m); ok || !errors.Is(err, want) {
				t.Errorf("compared: %v, %v, want %v", ok, err, want)
			}
		}
	}
	for _, l2 := range []float64{-1, math.Inf(1), math.NaN()} {
		if ok, err := mechanism.Within(one(), one(), ofL2(l2)); ok || !errors.Is(err, mechanism.ErrMechanism) {
			t.Errorf("within %g: %v, %v", l2, ok, err)
		}
	}
}
