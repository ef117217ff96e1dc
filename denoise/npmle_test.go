package denoise

import (
	"math"
	"testing"
)

// TestMixtureGolden compares with npmle_200.csv, a fit on the fixed grid 0, 2.5, … whose posterior means are unique.
func TestMixtureGolden(t *testing.T) {
	table := golden(t, "npmle_200.csv")
	y := numbers(t, table["y"])
	points := make([]float64, 209)
	for j := range points {
		points[j] = 2.5 * float64(j)
	}
	const s = 10.0
	values, counts := rounded(y, s)
	m := mixture{points: points, s: s, weights: likeliest(kernel(values, counts, points, s))}
	got, want := m.posterior(y), numbers(t, table["posterior_mean"])
	var df float64
	for i, slope := range numbers(t, table["dposterior_mean_dy"]) {
		df += slope
		if !(math.Abs(got.X[i]-want[i]) <= 1e-6*max(1, math.Abs(want[i]))) {
			t.Errorf("cell %d: %v, want %v", i, got.X[i], want[i])
		}
	}
	if !(math.Abs(got.DF-df) <= 1e-5*df) {
		t.Errorf("degrees of freedom %v, want %v", got.DF, df)
	}
}
