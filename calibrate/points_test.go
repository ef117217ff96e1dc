package calibrate

import (
	"math"
	"math/rand"
	"os"
	"testing"
)

// newRand is a fixed stream, another one for each test: failures repeat.
func newRand(t testing.TB) *rand.Rand {
	seed := int64(0)
	for _, c := range t.Name() {
		seed = seed*31 + int64(c)
	}
	return rand.New(rand.NewSource(seed))
}

// long says whether tests run at full size.
func long() bool { return os.Getenv("DPRELEASE_LONG") == "1" }

// curvePoint is a place on the curve: mu = num/den.
type curvePoint struct{ eps, num, den float64 }

// randomEpsilon covers [0, 1e6]: mostly what people ask for, also 0, the ends and subnormals.
func randomEpsilon(r *rand.Rand) float64 {
	switch r.Intn(12) {
	case 0:
		return 0
	case 1:
		return math.Pow(10, -324*r.Float64())
	case 2:
		return MaxEpsilon * r.Float64()
	case 3:
		return MaxEpsilon
	case 4:
		return 700 + 20*r.Float64()
	}
	return math.Pow(10, -7+13*r.Float64())
}

// randomDelta covers [1e-300, 1), with weight on both ends.
func randomDelta(r *rand.Rand) float64 {
	switch r.Intn(10) {
	case 0:
		return math.Min(1-math.Pow(10, -16*r.Float64()), 1-0x1p-53)
	case 1:
		return MinDelta
	case 2:
		return 1 - 0x1p-53*float64(1+r.Intn(3))
	case 3:
		return r.Float64()*0.98 + 0.01
	case 4:
		return 0.5 + float64(r.Intn(5)-2)*0x1p-53
	case 5, 6:
		return math.Max(MinDelta, math.Pow(10, -300*r.Float64()))
	}
	return math.Pow(10, -20*r.Float64()-0.001)
}

// samplePoints are random places where delta is neither 0 nor 1 in float64, spread over x and epsilon.
func samplePoints(t testing.TB, few, many int) []curvePoint {
	n, r := points(few, many), newRand(t)
	sample := make([]curvePoint, 0, n)
	for len(sample) < n {
		eps, x := randomEpsilon(r), r.Float64()*48-9
		mu := muAt(eps, x)
		if r.Intn(4) == 0 || mu == 0 {
			mu = math.Pow(10, -4+5*r.Float64())
		}
		p := curvePoint{eps, mu, 1}
		if r.Intn(2) == 0 {
			p.num = math.Pow(10, 6*r.Float64()-3)
			p.den = p.num / mu
		}
		if p.num > 0 && p.den > 0 && p.den <= math.MaxFloat64 && !tooSlow(r, mu) {
			sample = append(sample, p)
		}
	}
	return sample
}
