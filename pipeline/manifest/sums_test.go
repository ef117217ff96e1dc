package manifest

import "testing"

// A damaged manifest that does not state the noise of a query has no sums of its cells, and no step.
func TestNoSumWithoutNoise(t *testing.T) {
	noise := []Mechanism{{Noise: Gaussian, Sigma: 1, StandardDeviation: 1}}
	for _, q := range []Query{{Kind: "histogram"}, {Kind: "crosstabs", Strategy: &Strategy{}}, {Kind: "crosstabs", Mechanisms: noise}} {
		if q.WhyNoSum("sex") == "" || q.GeometricStep() != 0 {
			t.Errorf("%+v: %q, a step of %g", q, q.WhyNoSum("sex"), q.GeometricStep())
		}
	}
	whole := Query{Kind: "crosstabs", Mechanisms: noise, Strategy: &Strategy{}}
	if why := whole.WhyNoSum("sex"); why != "" {
		t.Error(why)
	}
}
