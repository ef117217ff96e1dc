package calibrate

import (
	"math"
	"strings"
	"testing"
)

// TestGoldenSpecial compares Mills' ratio and the quantiles that the solvers stand on with tabulated special functions.
func TestGoldenSpecial(t *testing.T) {
	root2 := ddOfBig(newBig().Sqrt(bigOf(2)))
	rootHalfPi := invSqrt2Pi.mulFloat(2) // sqrt(2/pi)
	for _, row := range golden(t, "special.csv") {
		x, want := nearest(t, row["x"]), precise(t, row["value"])
		var got float64
		switch fn := row["fn"]; {
		case fn == "erfcx" && x >= 0:
			got = mills(root2.mulFloat(x)).mul(rootHalfPi).hi
		case fn == "erfc" && x >= 0 && x < 27:
			z := root2.mulFloat(x)
			got = wide{phi(z).m.mul(mills(z)).scale(2), phi(z).e}.near()
		case fn == "Phi" && x <= 0 && x > -39:
			z := dd{-x, 0}
			got = wide{phi(z).m.mul(mills(z)), phi(z).e}.near()
		case fn == "inverf":
			mu, err := GaussianMu(Guarantee{0, Delta(x)})
			if err != nil {
				t.Fatal(err)
			}
			got = float64(mu) / math.Sqrt(8)
		default:
			continue
		}
		exact, _ := want.Float64()
		if math.Abs(got-exact) > 4e-16*math.Abs(exact) {
			t.Errorf("%s(%s) = %v, want %s", row["fn"], row["x"], got, row["value"])
		}
	}
}

// TestPapers checks figures that are known from the papers and from other programs' failures.
func TestPapers(t *testing.T) {
	for _, c := range []struct {
		eps, delta float64
		digits     string
	}{
		{1, 1e-6, "4.224678889"},
		{1, 0.4, "0.5872"}, // Balle & Wang's Theorem 4 as printed would ask for more than 1/sqrt 2
		{31.62, 1e-4, "0.19436"},
	} {
		sigma, err := AnalyticGaussian(Sensitivity{L2: 1}, Guarantee{Epsilon(c.eps), Delta(c.delta)})
		if err != nil {
			t.Fatal(err)
		}
		if text := FormatExact(float64(sigma)); !strings.HasPrefix(text, c.digits) {
			t.Errorf("sigma(%g, %g) = %s, want %s…", c.eps, c.delta, text, c.digits)
		}
	}
}
