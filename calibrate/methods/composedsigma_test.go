package methods

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/curvetest"
)

// TestComposedSigmaIsLeast checks that the composed mechanisms meet the guarantee, and that they do not with a sigma
// that is smaller by 1e-15.
func TestComposedSigmaIsLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, times := drawGuarantee(t, "g"), rapid.IntRange(1, 300).Draw(t, "times")
		sigma, err := ComposedSigma(calibrate.Sensitivity{L2: 3}, g, times)
		if err != nil {
			t.Fatal(err)
		}
		one := calibrate.Mechanism{Sens: calibrate.Sensitivity{L2: 3}, Sigma: sigma}
		if err := calibrate.Verify(slices.Repeat([]calibrate.Mechanism{one}, times), g); err != nil {
			t.Fatal(err)
		}
		one.Sigma *= 1 - 1e-15
		if calibrate.Verify(slices.Repeat([]calibrate.Mechanism{one}, times), g) == nil {
			t.Fatalf("%v is not the least sigma", sigma)
		}
	})
}

// TestComposedSigmaAnswersOrNamesAnArgument checks that ComposedSigma returns a valid sigma or an error that names an
// argument.
func TestComposedSigmaAnswersOrNamesAnArgument(t *testing.T) {
	for _, x := range curvetest.Odd {
		for _, y := range curvetest.Odd {
			for _, times := range []int{math.MinInt, 0, 1, 2, maxTimes, maxTimes + 1} {
				sigma, err := ComposedSigma(calibrate.Sensitivity{L2: x},
					calibrate.Guarantee{Epsilon: 1, Delta: calibrate.Delta(y)}, times)
				curvetest.MustAnswer(t, fmt.Sprintf("ComposedSigma(%v, %v, %d)", x, y, times), float64(sigma), 5e-324,
					math.MaxFloat64, err, "sensitivity delta times")
			}
		}
	}
}
