package queries

import (
	"fmt"
	"math"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/queries/domain"
)

// labelOf returns the label of a cell in a key column, as text. Strings are quoted.
func labelOf(k domain.KeyColumn, cell int) string {
	l := k.Labels
	n := len(l.Strings) + len(l.Ints) + len(l.Floats)
	i := cell / k.Stride % n
	switch {
	case l.Strings != nil:
		return fmt.Sprintf("%q", l.Strings[i])
	case l.Ints != nil:
		return fmt.Sprint(l.Ints[i])
	}
	return fmt.Sprintf("%.1f", l.Floats[i])
}

func finish(t *testing.T, q Query, values []float64) Answer {
	t.Helper()
	m := calibrate.Mechanism{Query: "q", Sens: calibrate.Sensitivity{L2: 1}, Sigma: 2, Grid: 0.125}
	n := mechanismtest.Make(t, m, values)
	a, err := q.Finish(t.Context(), []mechanism.Noisy{n}, []mechanism.Noisy{n})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestKeysOfCells(t *testing.T) {
	q := must(t, Spec{Name: "q", Kind: Histogram, By: []domain.Dimension{
		{Column: "sex", Labels: []domain.Label{{Name: "F", Members: []string{"f"}}, {Name: "M", Members: []string{"m"}}},
			Null: domain.OwnCell},
		{Column: "age", Edges: []string{"0", "18.0", "99"}},
		{Column: "fare", As: "usd", Edges: []string{"0", "2.5", "5"}},
		{Column: "day", Edges: []string{"2013-01-01", "2013-01-02"}, Other: domain.OwnCell},
	}})
	a := finish(t, q, make([]float64, q.Cells()))
	if q.Cells() != 3*2*2*2 || a.Cells != q.Cells() {
		t.Fatalf("%d cells", q.Cells())
	}
	for cell, want := range map[int]string{
		0:  `sex="F" age_from=0 age_to=18 usd_from=0.0 usd_to=2.5 day_from="2013-01-01" day_to="2013-01-02" `,
		1:  `sex="F" age_from=0 age_to=18 usd_from=0.0 usd_to=2.5 day_from="other" day_to="other" `,
		2:  `sex="F" age_from=0 age_to=18 usd_from=2.5 usd_to=5.0 day_from="2013-01-01" day_to="2013-01-02" `,
		23: `sex="null" age_from=18 age_to=99 usd_from=2.5 usd_to=5.0 day_from="other" day_to="other" `,
	} {
		got := ""
		for _, k := range a.Keys {
			got += k.Name + "=" + labelOf(k, cell) + " "
		}
		if got != want {
			t.Errorf("cell %d: %s, want %s", cell, got, want)
		}
	}
	if keys := finish(t, must(t, Spec{Name: "q", Kind: Count}), []float64{1}).Keys; len(keys) != 0 {
		t.Errorf("a count has keys %v", keys)
	}
}

func TestIntervals(t *testing.T) {
	a := finish(t, must(t, spec(3, Bounds{MaxRows: 1})), []float64{-1, 0, 1e6})
	deviation := math.Sqrt(4 + 0.125*0.125/12)
	noisy, sigma, low, high := make([]float64, 2), make([]float64, 2), make([]float64, 2), make([]float64, 2)
	for i, s := range []Series{a.Noisy, a.Sigma, a.Low, a.High} {
		s(1, [][]float64{noisy, sigma, low, high}[i])
	}
	for i, want := range []float64{0, 1e6} {
		half := 1.959963984540054 * deviation
		switch {
		case noisy[i] != want, math.Abs(sigma[i]-deviation) > 1e-12:
			t.Errorf("cell %d: %g ± %g", i+1, noisy[i], sigma[i])
		case low[i] > want-half, high[i] < want+half, high[i]-low[i] > 2*half+1e-9:
			t.Errorf("cell %d: [%g, %g]", i+1, low[i], high[i])
		}
	}
}

func TestFinishChecksItsParts(t *testing.T) {
	q := must(t, spec(3, Bounds{MaxRows: 1}))
	n := mechanismtest.Make(t, calibrate.Mechanism{Sigma: 1, Grid: 1}, make([]float64, 2))
	for _, components := range [][]mechanism.Noisy{nil, {n}, {n, n}} {
		if _, err := q.Finish(t.Context(), components, components); err == nil {
			t.Errorf("%d components of 2 cells are accepted", len(components))
		}
	}
}
