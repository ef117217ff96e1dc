package quantize

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

// decimals draws bounds and values of all sizes.
func decimals(label string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		x := strconv.FormatFloat(rapid.Float64Range(-1e3, 1e3).Draw(t, label), 'g', -1, 64)
		if strings.Contains(x, "e") {
			return x
		}
		return x + rapid.SampledFrom([]string{"", "e-200", "e-9", "e9", "e30", "e200"}).Draw(t, label)
	})
}

// The quantum is a power of two from V·2^-40 to V·2^-30, and the range on its multiples is within the bounds, by less
// than a quantum, or two if values are centred.
func TestQuantumAndRange(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		lo, hi := decimals("lo").Draw(rt, "lo"), decimals("hi").Draw(rt, "hi")
		low, _ := domain.Number(lo)
		high, _ := domain.Number(hi)
		if low.Cmp(high) > 0 {
			lo, hi, low, high = hi, lo, high, low
		}
		centred, p := rapid.Bool().Draw(rt, "centred"), &problem.Problems{}
		q := New(&Value{Columns: []string{"x"}, Lo: lo, Hi: hi}, Options{Field: "mean", Centred: centred}, p)
		if err := p.Err(); err != nil {
			if !strings.Contains(err.Error(), "clamp: bad-value") {
				rt.Fatal(err)
			}
			return // equal, or nearly so
		}
		u := powerOfTwo(q.Exponent)
		v := new(big.Rat).Abs(low)
		if w := new(big.Rat).Abs(high); w.Cmp(v) > 0 {
			v = w
		}
		quanta := v.Quo(v, u)
		if quanta.Cmp(powerOfTwo(30)) < 0 || quanta.Cmp(powerOfTwo(40)) > 0 {
			rt.Fatalf("V is %v quanta", quanta)
		}
		below := new(big.Rat).Sub(new(big.Rat).SetInt64(q.Min), new(big.Rat).Quo(low, u))
		above := new(big.Rat).Sub(new(big.Rat).Quo(high, u), new(big.Rat).SetInt64(q.Max))
		if below.Sign() < 0 || above.Sign() < 0 || below.Cmp(powerOfTwo(0)) >= 0 || above.Cmp(powerOfTwo(1)) >= 0 {
			rt.Fatalf("[%s, %s] became [%d, %d], quantum 2^%d", lo, hi, q.Min, q.Max, q.Exponent)
		}
		if centred && q.Centre-q.Min != q.Max-q.Centre {
			rt.Fatalf("centre %d of [%d, %d]", q.Centre, q.Min, q.Max)
		}
	})
}

// Values are rounded to the nearest multiple of the quantum, ties to even, and moved into the range.
func TestClampedIsTheNearest(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := rapid.SampledFrom([]Value{{Lo: "0", Hi: "99"}, {Lo: "-0.1", Hi: "0.3"}, {Lo: "1e9", Hi: "1000000001"},
			{Lo: "-5e-200", Hi: "1e-200"}, {Lo: "-1e15", Hi: "7e200"}}).Draw(rt, "value")
		v.Columns = []string{"x"}
		q := New(&v, Options{Field: "mean", Centred: rapid.Bool().Draw(rt, "centred")}, &problem.Problems{})
		x := rapid.Float64Range(2*q.Real(q.Min)-q.Real(q.Max), 2*q.Real(q.Max)).Draw(rt, "x")
		if rapid.Bool().Draw(rt, "tie") {
			x = q.Real(rapid.Int64Range(q.Min, q.Max).Draw(rt, "quanta")) + q.Real(1)/2
		}
		quanta := new(big.Rat).Mul(new(big.Rat).SetFloat64(x), powerOfTwo(-q.Exponent))
		down := domain.Floor(quanta)
		twice := quanta.Sub(quanta, new(big.Rat).SetInt(down))
		twice.Add(twice, twice)
		want := down
		if c := twice.Cmp(powerOfTwo(0)); c > 0 || c == 0 && down.Bit(0) == 1 {
			want = down.Add(down, big.NewInt(1))
		}
		if want.Cmp(big.NewInt(q.Min)) < 0 {
			want = big.NewInt(q.Min)
		}
		if want.Cmp(big.NewInt(q.Max)) > 0 {
			want = big.NewInt(q.Max)
		}
		if got := q.clamp(x); got != want.Int64() {
			rt.Fatalf("%g is %d quanta, want %v", x, got, want)
		}
	})
}

func TestWholeNumbersAreExact(t *testing.T) {
	for _, v := range []Value{{Lo: "0", Hi: "99"}, {Lo: "-1099511627776", Hi: "1099511627776"}, {Lo: "1", Hi: "2"}} {
		q := quantizerOf(t, v)
		for _, x := range []float64{q.Real(q.Min), q.Real(q.Max), 1, 2} {
			if got := q.Real(q.clamp(x)); got != x {
				t.Errorf("%+v: %g became %g", v, x, got)
			}
		}
		if q.clamp(math.Inf(1)) != q.Max || q.clamp(math.Inf(-1)) != q.Min {
			t.Errorf("%+v: infinite values are not at the min and max", v)
		}
	}
}
