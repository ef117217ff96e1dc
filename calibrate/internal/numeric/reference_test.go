package numeric

import (
	"math"
	"testing"

	"github.com/dprelease/dprelease/calibrate/internal/curvetest"
	"github.com/dprelease/dprelease/internal/csvtest"
)

// TestSpecialFunctionsAgreeWithReference compares Mills' ratio and the quantiles, which the solvers use, with tabulated
// special functions.
func TestSpecialFunctionsAgreeWithReference(t *testing.T) {
	root2 := ddOfBig(NewBig().Sqrt(BigOf(2)))
	rootHalfPi := invSqrt2Pi.mulFloat(2) // sqrt(2/pi)
	for _, row := range golden(t, "special.csv") {
		x, want := curvetest.Nearest(t, row["x"]), curvetest.Precise(t, row["value"])
		var got float64
		switch fn := row["fn"]; {
		case fn == "erfcx" && x >= 0:
			got = mills(root2.mulFloat(x)).mul(rootHalfPi).hi
		case fn == "erfc" && x >= 0 && x < 27:
			z := root2.mulFloat(x)
			got = wide{phi(z).m.mul(mills(z)).scale(2), phi(z).e}.approximate()
		case fn == "Phi" && x <= 0 && x > -39:
			z := dd{-x, 0}
			got = wide{phi(z).m.mul(mills(z)), phi(z).e}.approximate()
		case fn == "inverf":
			got = LargestMu(0, x) / math.Sqrt(8)
		default:
			continue
		}
		exact, _ := want.Float64()
		if math.Abs(got-exact) > 4e-16*math.Abs(exact) {
			t.Errorf("%s(%s) = %v, want %s", row["fn"], row["x"], got, row["value"])
		}
	}
}

// golden returns the rows of a table of reference values.
func golden(t *testing.T, name string) []csvtest.Row {
	t.Helper()
	return csvtest.Rows(t, csvtest.Shared(t, "golden", "calibration", name))
}
