package kinds

import (
	"math"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
)

// outsideOfTwo is P(|X + Y| > x) for independent Laplace variables with scales a and b: (a²·e^(-x/a) − b²·e^(-x/b))/(a²
// − b²).
func outsideOfTwo(x, a, b float64) float64 {
	switch {
	case b == 0:
		return math.Exp(-x / a)
	case a == b:
		return math.Exp(-x/a) * (1 + x/(2*a))
	}
	return (a*a*math.Exp(-x/a) - b*b*math.Exp(-x/b)) / (a*a - b*b)
}

// The interval of a sum of two holds it with the stated probability, to within 0.2 %, and not less.
func TestSumsOfTwo(t *testing.T) {
	for i := 0; i <= 100; i++ {
		b := float64(i) / 100
		deviation := math.Sqrt(2 + 2*b*b)
		k := kurtosisOfTwo(math.Sqrt2, math.Sqrt2*b)
		for level, z := range map[float64]float64{0.95: HeavyZ95(k), 0.975: heavyZ975(k)} {
			if p := 1 - outsideOfTwo(z*deviation, 1, b); p < level || p > level+0.002 {
				t.Errorf("scales 1 and %v: %v, want %v", b, p, level)
			}
		}
	}
}

// Quantiles grow with the kurtosis, from the quantile of a normal variable to the quantile of a Laplace variable.
func TestMonotone(t *testing.T) {
	for k := 0.0; k < 3; k += 0.001 {
		if HeavyZ95(k+0.001) < HeavyZ95(k) || heavyZ975(k+0.001) < heavyZ975(k) {
			t.Fatalf("falls at %v", k)
		}
	}
	if HeavyZ95(0) != calibrate.Z95 || HeavyZ95(3) != 2.1184 || HeavyZ95(50) != 2.1184 ||
		HeavyZ95(3) < math.Log(20)/math.Sqrt2 || heavyZ975(3) < math.Log(40)/math.Sqrt2 {
		t.Errorf("%v %v %v", HeavyZ95(0), HeavyZ95(3), heavyZ975(3))
	}
}
