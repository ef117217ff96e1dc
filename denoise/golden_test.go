package denoise

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/dprelease/dprelease/internal/csvtest"
)

// The files in testdata were made with numpy, independently of this project: shrink_manifest.csv holds the cases and
// their factors and thresholds, shrink_<case>.csv the noisy values and the estimates.

// golden reads a table of testdata: the columns by name, each as text.
func golden(t *testing.T, name string) map[string][]string {
	t.Helper()
	return csvtest.Columns(t, filepath.Join("testdata", name))
}

var numbers = csvtest.Floats

func TestGolden(t *testing.T) {
	manifest := golden(t, "shrink_manifest.csv")
	deviations := numbers(t, manifest["sigma"])
	universal := numbers(t, manifest["t_universal"])
	factors := numbers(t, manifest["js_factor"])
	known := map[string][]float64{}
	for name, column := range manifest {
		if name != "case" {
			known[name] = numbers(t, column)
		}
	}
	if len(deviations) < 5 {
		t.Fatalf("%d cases, want at least 5", len(deviations))
	}
	for i, name := range manifest["case"] {
		s := deviations[i]
		table := golden(t, "shrink_"+name+".csv")
		y := numbers(t, table["y"])
		near(t, name+" threshold", []float64{UniversalThreshold(len(y), s)}, universal[i:i+1])
		near(t, name+" factor", []float64{1 - shrinkFraction(y, s)}, factors[i:i+1])
		near(t, name+" James-Stein", JamesStein(y, s, false), numbers(t, table["js"]))
		near(t, name+" positive part", JamesStein(y, s, true), numbers(t, table["js_plus"]))
		lindley := Lindley(y, s, true)
		near(t, name+" Lindley", lindley.X, numbers(t, table["lindley_plus"]))
		bySURE := softFit(y, SUREThreshold(y, s))
		near(t, name+" soft by SURE", bySURE.X, numbers(t, table["soft_sure"]))
		near(t, name+" risks", []float64{
			SUREThreshold(y, s), bySURE.SURE(y, s), softFit(y, UniversalThreshold(len(y), s)).SURE(y, s),
			JamesSteinTo(y, s, 0, false).SURE(y, s), Lindley(y, s, false).SURE(y, s),
		}, []float64{
			known["t_sure"][i], known["sure_at_t_sure"][i], known["sure_at_t_universal"][i], known["sure_js"][i],
			known["sure_lindley"][i],
		})
		near(t, name+" soft", SoftThreshold(y, UniversalThreshold(len(y), s)), numbers(t, table["soft_universal"]))
	}
}

// near fails unless got is within 1e-9 of want, relative to the larger of 1 and |want|.
func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 1e-9*max(1, math.Abs(want[i]))) {
			t.Errorf("%s: value %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}
