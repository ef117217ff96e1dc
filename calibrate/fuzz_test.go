package calibrate

import (
	"math"
	"math/big"
	"testing"
)

// FuzzParse checks that an accepted number lies between the results of ParseDown and ParseUp, which are equal or
// neighbouring float64s.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"1e-6", "0.1", "-.5e+3", "1e999999999", "NaN", "0x1p3", "00000000.10"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		down, errDown := ParseDown(text)
		up, errUp := ParseUp(text)
		if errDown != nil || errUp != nil {
			return
		}
		exact, ok := new(big.Rat).SetString(text)
		if !ok || new(big.Rat).SetFloat64(down).Cmp(exact) > 0 || new(big.Rat).SetFloat64(up).Cmp(exact) < 0 {
			t.Fatalf("%q: [%v, %v]", text, down, up)
		}
		if up != down && up != math.Nextafter(down, math.Inf(1)) {
			t.Fatalf("%q: [%v, %v] are not neighbours", text, down, up)
		}
	})
}

// FuzzSigma checks that AnalyticGaussian returns an error or a sigma that meets the guarantee, for arguments of any
// bits.
func FuzzSigma(f *testing.F) {
	f.Add(1.0, 1e-6, 1.0)
	f.Add(0.0, 1e-300, 5e-324)
	f.Add(1e6, 1-0x1p-53, 1e308)
	f.Fuzz(func(t *testing.T, eps, delta, l2 float64) {
		g := Guarantee{Epsilon(eps), Delta(delta)}
		sigma, err := AnalyticGaussian(Sensitivity{L2: l2}, g)
		if err != nil {
			return
		}
		m := Mechanism{Query: "q", Sens: Sensitivity{L2: l2}, Sigma: sigma}
		if err := Verify([]Mechanism{m}, g); err != nil {
			t.Fatalf("sigma(%v, %v, %v) = %v: %v", eps, delta, l2, sigma, err)
		}
		if d, err := m.Delta(g.Epsilon); err != nil || d > g.Delta {
			t.Fatalf("delta(sigma(%v, %v, %v)) = %v, %v", eps, delta, l2, d, err)
		}
		if e, err := m.Epsilon(g.Delta); err != nil || e > g.Epsilon {
			t.Fatalf("epsilon(sigma(%v, %v, %v)) = %v, %v", eps, delta, l2, e, err)
		}
	})
}
