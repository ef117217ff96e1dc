package sure_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/denoise/internal/sure"
)

// By the definition, no candidate has a smaller risk, and no smaller candidate an equal one.
func TestThreshold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom([]float64{1, 0.25, 8}).Draw(t, "s")
		c := make([]float64, rapid.IntRange(0, 30).Draw(t, "n"))
		for i := range c { // eighths, so that every risk is exact
			c[i] = float64(rapid.IntRange(-40, 40).Draw(t, "c")) / 8
		}
		risk := func(at float64) (sum float64) {
			for _, v := range c {
				sum += min(v*v, at*at)
				if math.Abs(v) > at {
					sum += 2 * s * s
				}
			}
			return sum
		}
		got := sure.Threshold(c, s)
		candidate := got == 0
		for _, v := range append(c, 0) {
			at := math.Abs(v)
			candidate = candidate || at == got
			if risk(at) < risk(got) || at < got && risk(at) == risk(got) {
				t.Fatalf("%v, s = %g: %g, and %g is no worse", c, s, got, at)
			}
		}
		if !candidate {
			t.Fatalf("%v: %g is no candidate", c, got)
		}
	})
}
