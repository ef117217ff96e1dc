package quantize

import (
	"math"
	"math/big"
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/queries/problem"
)

// quantizerOf checks a value and returns its quantizer.
func quantizerOf(tb testing.TB, v Value) *Quantizer {
	tb.Helper()
	if v.Columns == nil {
		v.Columns = []string{"x"}
	}
	p := &problem.Problems{}
	q := New(&v, Options{Field: "sum"}, p)
	if err := p.Err(); err != nil {
		tb.Fatal(err)
	}
	return q
}

func square(x int64) *big.Int {
	b := big.NewInt(x)
	return b.Mul(b, b)
}

func normSquared(x []int64) *big.Int {
	sum := new(big.Int)
	for _, v := range x {
		sum.Add(sum, square(v))
	}
	return sum
}

// drawVector draws a vector whose components have very different magnitudes. inverse is 1/quantum.
func drawVector(t *rapid.T, inverse float64) []float64 {
	row := make([]float64, rapid.IntRange(1, 6).Draw(t, "components"))
	for i := range row {
		row[i] = rapid.Float64Range(-1, 1).Draw(t, "x") * math.Ldexp(1,
			rapid.SampledFrom([]int{-60, -5, 0, 1, 30, 52, 80, 1000}).Draw(t, "size")) / inverse
	}
	return row
}

// A clipped vector is never longer than the norm, and no component is longer than the original's or has the other sign.
func TestClippedIsWithinTheNorm(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		q := quantizerOf(t, Value{ClipL2: rapid.SampledFrom([]string{"1", "0.3", "7e-90", "1e90"}).Draw(rt, "norm")})
		row := drawVector(rt, q.inverse)
		for i := range row {
			switch rapid.IntRange(0, 19).Draw(rt, "infinite") {
			case 0:
				row[i] = math.Inf(1)
			case 1:
				row[i] = math.Inf(-1)
			}
		}
		got := make([]int64, len(row))
		if !q.clipVector(got, row) {
			rt.Fatal("no value")
		}
		if normSquared(got).Cmp(square(q.Max)) > 0 {
			rt.Fatalf("%v became %v, norm %d", row, got, q.Max)
		}
		for i, x := range row {
			if float64(got[i])*x < 0 || math.Abs(q.Real(got[i])) > math.Abs(x) {
				rt.Fatalf("%g became %d quanta", x, got[i])
			}
		}
	})
}

// A clipped vector keeps its direction, and has the norm as its length, to within one unit per component.
func TestClippedKeepsTheDirection(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		q := quantizerOf(t, Value{ClipL2: "1"})
		row := drawVector(rt, q.inverse)
		norm := new(big.Float).SetPrec(200)
		for _, x := range row {
			f := new(big.Float).SetPrec(200).SetFloat64(x)
			norm.Add(norm, f.Mul(f, f))
		}
		norm.Sqrt(norm)
		shrink := new(big.Float).SetPrec(200).SetFloat64(1)
		if norm.Cmp(shrink) > 0 {
			shrink.Quo(shrink, norm)
		}
		got := make([]int64, len(row))
		q.clipVector(got, row)
		for i, x := range row {
			want := new(big.Float).Mul(new(big.Float).SetFloat64(x), shrink)
			f, _ := want.Mul(want, new(big.Float).SetFloat64(q.inverse)).Float64()
			if math.Abs(f-float64(got[i])) > 2 {
				rt.Fatalf("%v: component %d is %d quanta, want %g", row, i, got[i], f)
			}
		}
	})
}

func TestClippedInfinities(t *testing.T) {
	q := quantizerOf(t, Value{ClipL2: "5"})
	got := make([]int64, 3)
	q.clipVector(got, []float64{math.Inf(1), 1e300, math.Inf(-1)})
	if half := 5 / math.Sqrt2; got[1] != 0 || math.Abs(q.Real(got[0])-half) > 1e-9 || got[2] != -got[0] {
		t.Errorf("%v", got)
	}
	for _, none := range [][]float64{{1, math.NaN(), 1}, {math.Inf(1), math.NaN(), 0}, {1, 2}, nil} {
		if q.Quantize(got, none) || quantizerOf(t, Value{Lo: "0", Hi: "1"}).Quantize(got, none) {
			t.Errorf("%v has a value", none)
		}
	}
}

func TestRootUp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		high, low := rapid.Uint64Range(0, 1<<62-1).Draw(rt, "high"), rapid.Uint64().Draw(rt, "low")
		switch rapid.IntRange(0, 4).Draw(rt, "form") {
		case 0:
			high = 0
		case 2: // the largest
			high, low = 1<<62-1, -rapid.Uint64Range(1, 9).Draw(rt, "below")
		case 1: // at and next to squares
			n := rapid.Uint64Range(1, 1<<62).Draw(rt, "root")
			high, low = bits.Mul64(n, n)
			low += rapid.SampledFrom([]uint64{0, 1}).Draw(rt, "beside")
		}
		x := int128.Int{High: int64(high), Low: low}
		n := rootUp(x)
		if squareBelow(n, x) || n > 0 && !squareBelow(n-1, x) {
			rt.Fatalf("root of %#x %016x: %d", high, low, n)
		}
	})
}

// The fast form rounds and clamps as the general one does, whatever the number.
func TestFastQuantizesAlike(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := rapid.SampledFrom([]Value{{Lo: "-1", Hi: "2"}, {Lo: "0.1", Hi: "2.7"}, {Lo: "-1e12", Hi: "3"},
			{Lo: "-3.3", Hi: "1e-200"}}).Draw(rt, "value")
		v.Columns = []string{"float"}
		q := New(&v, Options{Field: "q", Centred: rapid.Bool().Draw(rt, "centred")}, &problem.Problems{})
		p := q.Fast()
		x := rapid.OneOf(
			rapid.Float64(), rapid.Float64Range(-4, 4),
			rapid.SampledFrom([]float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), 5e-324, math.MaxFloat64}),
			rapid.Custom(func(rt *rapid.T) float64 { // between two quanta
				return math.Ldexp(float64(rapid.Int64Range(-1<<42, 1<<42).Draw(rt, "half quanta")), q.Exponent-1)
			}),
		).Draw(rt, "x")
		if want := q.clamp(x) - q.Centre; p.Quantize(x) != want {
			rt.Fatalf("%g: got %d, want %d", x, p.Quantize(x), want)
		}
	})
}
