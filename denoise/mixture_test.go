package denoise

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/dprelease/dprelease/internal/csvtest"
)

// TestMixtureGolden compares with npmle_200.csv, a fit on the fixed grid 0, 2.5, … whose posterior means are unique.
func TestMixtureGolden(t *testing.T) {
	table := csvtest.Columns(t, filepath.Join("testdata", "npmle_200.csv"))
	y := csvtest.Floats(t, table["y"])
	points := make([]float64, 209)
	for j := range points {
		points[j] = 2.5 * float64(j)
	}
	const s = 10.0
	values, counts := rounded(y, s)
	m := mixture{points: points, s: s, weights: fitWeights(kernel(values, counts, points, s))}
	got, variances := m.posterior(y)
	want := csvtest.Floats(t, table["posterior_mean"])
	var df float64
	for i, slope := range csvtest.Floats(t, table["dposterior_mean_dy"]) {
		df += slope
		if !(math.Abs(got[i]-want[i]) <= 1e-6*max(1, math.Abs(want[i]))) {
			t.Errorf("cell %d: %v, want %v", i, got[i], want[i])
		}
	}
	if !(math.Abs(variances-df) <= 1e-5*df) {
		t.Errorf("degrees of freedom %v, want %v", variances, df)
	}
}
