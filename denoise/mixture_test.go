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
	got := m.posterior(y)
	want := csvtest.Floats(t, table["posterior_mean"])
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 1e-6*max(1, math.Abs(want[i]))) {
			t.Errorf("cell %d: %v, want %v", i, got[i], want[i])
		}
	}
}
