package mechanism_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
)

// Synthetic vectors have the form of noisy ones, for every kind of noise and length. They are noise around 0: all six
// cells are within 12 standard deviations, except with a probability below 1e-30.
func TestSynthetic(t *testing.T) {
	pure, err := calibrate.SplitPure(1, []calibrate.PureAsk{{Query: "q", L1: 1, Why: "one row", Cost: 1, Quantum: 1,
		RowBound: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]calibrate.Mechanism{"gaussian": gaussian(1, 0.5), "geometric": pure[0]} {
		for _, cells := range []int{1, 6, 1<<20 + 1} {
			if m.Noise != calibrate.Gaussian && cells > 1<<20 {
				continue
			}
			n, err := mechanism.Synthetic(t.Context(), m, cells, 2)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got := make([]float64, min(cells, 6))
			n.Fill(cells-len(got), got)
			if n.Len() != cells || n.Mechanism() != m || slices.ContainsFunc(got,
				func(x float64) bool { return math.Abs(x) > 100 }) {
				t.Errorf("%s: %d cells, %v", name, n.Len(), got)
			}
		}
	}
	if _, err := mechanism.Synthetic(t.Context(), gaussian(1, 0.5), 0, 1); !errors.Is(err, mechanism.ErrEmpty) {
		t.Errorf("no cells: %v", err)
	}
	if _, err := mechanism.Synthetic(t.Context(), calibrate.Mechanism{}, 1, 1); !errors.Is(err, mechanism.ErrMechanism) {
		t.Errorf("no mechanism: %v", err)
	}
	n, err := mechanism.SyntheticKeys(calibrate.KeySelection{Mechanism: gaussian(1, 0.5), Keys: 1, Failure: 1e-9},
		[]string{"a", "b"})
	if err != nil || n.Len() != 2 || !slices.Equal(n.Keys(), []string{"a", "b"}) {
		t.Errorf("keys: %v, %v", n.Keys(), err)
	}
}
