package kinds

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/calibrate"
)

// The interval is the set in Fieller's definition, cut to the range.
func TestIntervalIsFiellersSet(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := ratio{Least: 1, Z: calibrate.Z95, Centre: 3, Half: rapid.Float64Range(0.1, 10).Draw(rt, "half"),
			Sum: rapid.Float64Range(0.1, 9).Draw(rt, "sum"), Count: rapid.Float64Range(0.1, 9).Draw(rt, "count")}
		s, n := rapid.Float64Range(-100, 100).Draw(rt, "s"), rapid.Float64Range(-5, 60).Draw(rt, "n")
		low, high := r.interval(s, n)
		if n <= calibrate.Z95*r.Count {
			if low != 3-r.Half || high != 3+r.Half {
				rt.Fatalf("unbounded: [%g, %g]", low, high)
			}
			return
		}
		for i := range 101 {
			x := r.Half * (float64(i)/50 - 1)
			d := s - x*n
			excess := d*d/(r.Sum*r.Sum+x*x*r.Count*r.Count) - calibrate.Z95*calibrate.Z95
			inside := low <= 3+x && 3+x <= high
			if excess < -1e-9 && !inside || excess > 1e-9 && inside && low < high && 3+x != low && 3+x != high {
				rt.Fatalf("%+v, s %g, n %g: %g in [%g, %g], excess %g", r, s, n, 3+x, low, high, excess)
			}
		}
	})
}

func TestMeansOfFewRows(t *testing.T) {
	r := ratio{Least: 1, Z: calibrate.Z95, Centre: 15, Half: 5, Sum: 25, Count: 5}
	for _, c := range []struct{ s, n, mean, estimate float64 }{
		{10, 100, 15.1, 15.1}, {1000, 100, 20, 20}, {-1000, 100, 10, 10}, {1, 0.25, 19, 16}, {2, 0, math.NaN(), 17}, {2, -3,
			math.NaN(), 17},
	} {
		mean, sigma := r.mean(c.s, c.n), r.sigma(c.s, c.n)
		if math.Abs(mean-c.mean) > 1e-12 || math.IsNaN(mean) != math.IsNaN(c.mean) ||
			math.Abs(r.estimate(c.s, c.n)-c.estimate) > 1e-12 || math.IsNaN(sigma) != math.IsNaN(c.mean) {
			t.Errorf("%+v: mean %g, estimate %g, sigma %g", c, mean, r.estimate(c.s, c.n), sigma)
		}
	}
	// The delta method, at a count far above its noise.
	if got, want := r.sigma(3e6, 1e6), math.Sqrt(25*25+9*5*5)/1e6; math.Abs(got/want-1) > 1e-12 {
		t.Errorf("sigma %g, want %g", got, want)
	}
}
