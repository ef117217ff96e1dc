package curvetest

import (
	"math"
	"math/big"
	"math/rand"
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/internal/owntest"
)

// NewRand returns a random stream with a fixed seed for each test name, so that failures repeat.
func NewRand(t testing.TB) *rand.Rand {
	seed := int64(0)
	for _, c := range t.Name() {
		seed = seed*31 + int64(c)
	}
	return rand.New(rand.NewSource(seed))
}

// long reports whether DPRELEASE_LONG=1 asks for tests of full size.
func long() bool { return os.Getenv("DPRELEASE_LONG") == "1" }

// Points returns how many random points a test compares with extended precision: many in long runs, few if make check
// runs, and few/5 in quick runs. A package whose tests call it calls owntest.DrawLess too, by which .ci/run finds it.
func Points(few, many int) int {
	switch {
	case long():
		return many
	case testing.Short() || !owntest.Checking():
		return few / 5
	}
	return few
}

// TooSlow reports whether a test should skip a point whose tiny mu would need thousands of bits. Long runs skip none,
// and other runs keep a random quarter of these points.
func TooSlow(r *rand.Rand, mu float64) bool {
	return !long() && mu < 0x1p-150 && r.Intn(4) > 0
}

// Point is a point of the curve: epsilon is Eps and mu is Num/Den.
type Point struct{ Eps, Num, Den float64 }

// RandomEpsilon draws an epsilon from [0, 1e6]: usually a common one, sometimes 0, 1e6 or a subnormal number.
func RandomEpsilon(r *rand.Rand) float64 {
	switch r.Intn(12) {
	case 0:
		return 0
	case 1:
		return math.Pow(10, -324*r.Float64())
	case 2:
		return 1e6 * r.Float64()
	case 3:
		return 1e6
	case 4:
		return 700 + 20*r.Float64()
	}
	return math.Pow(10, -7+13*r.Float64())
}

// RandomDelta draws a delta from [1e-300, 1), often near one of the limits.
func RandomDelta(r *rand.Rand) float64 {
	switch r.Intn(10) {
	case 0:
		return math.Min(1-math.Pow(10, -16*r.Float64()), 1-0x1p-53)
	case 1:
		return 1e-300
	case 2:
		return 1 - 0x1p-53*float64(1+r.Intn(3))
	case 3:
		return r.Float64()*0.98 + 0.01
	case 4:
		return 0.5 + float64(r.Intn(5)-2)*0x1p-53
	case 5, 6:
		return math.Max(1e-300, math.Pow(10, -300*r.Float64()))
	}
	return math.Pow(10, -20*r.Float64()-0.001)
}

// SamplePoints draws points at which delta is neither 0 nor 1 in float64. They are spread over epsilon and x = eps/mu -
// mu/2.
func SamplePoints(t testing.TB, few, many int) []Point {
	n, r := Points(few, many), NewRand(t)
	sample := make([]Point, 0, n)
	for len(sample) < n {
		eps, x := RandomEpsilon(r), r.Float64()*48-9
		mu := MuAtX(eps, x)
		if r.Intn(4) == 0 || mu == 0 {
			mu = math.Pow(10, -4+5*r.Float64())
		}
		p := Point{eps, mu, 1}
		if r.Intn(2) == 0 {
			p.Num = math.Pow(10, 6*r.Float64()-3)
			p.Den = p.Num / mu
		}
		if p.Num > 0 && p.Den > 0 && p.Den <= math.MaxFloat64 && !TooSlow(r, mu) {
			sample = append(sample, p)
		}
	}
	return sample
}

// RelativeBits returns log2 of |got - want|/|want|, or -9999 if they are equal.
func RelativeBits(got, want *big.Float) int {
	gap := new(big.Float).SetPrec(want.Prec()+64).Sub(got, want)
	if gap.Sign() == 0 {
		return -9999
	}
	return gap.MantExp(nil) - want.MantExp(nil) + 1
}

// MuAtX returns the mu for which eps/mu - mu/2 = x.
func MuAtX(eps, x float64) float64 {
	root := math.Sqrt(x*x + 2*eps)
	if x > 0 {
		return 2 * eps / (x + root)
	}
	return root - x
}

// DrawEpsilonDelta draws a guarantee; every guarantee that calibrate accepts can occur.
func DrawEpsilonDelta(t *rapid.T, label string) (eps, delta float64) {
	eps = rapid.OneOf(
		rapid.Float64Range(0, 20), rapid.Float64Range(0, 1e6), rapid.SampledFrom([]float64{0, 5e-324, 1e-300, 1, 709.5, 1e6}),
		rapid.Map(rapid.Float64Range(-30, 6), func(e float64) float64 { return math.Min(math.Pow(10, e), 1e6) }),
	).Draw(t, label+" epsilon")
	delta = rapid.OneOf(
		rapid.Float64Range(1e-12, 0.999), rapid.SampledFrom([]float64{1e-300, 1e-16, 0.5, 1 - 0x1p-53}),
		rapid.Map(rapid.Float64Range(-300, -0.001), func(e float64) float64 { return math.Max(math.Pow(10, e), 1e-300) }),
	).Draw(t, label+" delta")
	return eps, delta
}
