package denoise_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
)

var counts = calibrate.Mechanism{
	Query: "counts", Sens: calibrate.Sensitivity{L2: 5, Why: "five rows a unit"}, Sigma: 40, Grid: 2,
}

func values(n mechanism.Noisy) []float64 {
	out := make([]float64, n.Len())
	n.Fill(0, out)
	return out
}

func steps(t *testing.T, methods ...string) []denoise.Step {
	t.Helper()
	var out []denoise.Step
	for _, m := range methods {
		s, err := denoise.New(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

func TestApplyChainsTheEstimators(t *testing.T) {
	y := []float64{120, -36, 2, 400, 70}
	s := counts.Deviation()
	if s <= 40 {
		t.Fatalf("deviation %v, want sigma and the grid's share", s)
	}
	soft := denoise.SoftThreshold(y, denoise.UniversalThreshold(len(y), s))
	for _, c := range []struct {
		methods []string
		want    []float64
	}{
		{nil, y},
		{[]string{"james-stein"}, denoise.JamesStein(y, s, true)},
		{[]string{"james-stein", "nonnegative", "round"}, denoise.Round(denoise.Nonnegative(denoise.JamesStein(y, s, true)))},
		{[]string{"soft-threshold", "round"}, denoise.Round(soft)},
	} {
		noisy := mechanismtest.Make(t, counts, slices.Clone(y))
		got, err := denoise.Apply(t.Context(), noisy, steps(t, c.methods...))
		if err != nil || !slices.Equal(values(got), c.want) {
			t.Errorf("%v: %v, %v, want %v", c.methods, values(got), err, c.want)
		}
		if !slices.Equal(got.Steps(), c.methods) || got.Mechanism() != counts {
			t.Errorf("%v: steps %v of %v", c.methods, got.Steps(), got.Mechanism())
		}
		if !slices.Equal(values(noisy), y) {
			t.Errorf("%v changed the noisy vector: %v", c.methods, values(noisy))
		}
	}
}

func TestParametersReachTheEstimators(t *testing.T) {
	y := []float64{10, -4, 2}
	for _, c := range []struct {
		method string
		args   denoise.Args
		want   []float64
	}{
		{"soft-threshold", denoise.Args{"threshold": "3"}, []float64{7, -1, 0}},
		{"soft-threshold", denoise.Args{"threshold": "0"}, y},
		{"james-stein", denoise.Args{"positive_part": "false"}, denoise.JamesStein(y, counts.Deviation(), false)},
		{"james-stein", nil, []float64{0, 0, 0}},
		{"james-stein", denoise.Args{"positive_part": "true"}, []float64{0, 0, 0}},
	} {
		step, err := denoise.New(c.method, c.args)
		if err != nil {
			t.Fatal(err)
		}
		got, err := denoise.Apply(t.Context(), mechanismtest.Make(t, counts, y), []denoise.Step{step})
		if err != nil || !slices.Equal(values(got), c.want) {
			t.Errorf("%s %v: %v, %v, want %v", c.method, c.args, values(got), err, c.want)
		}
	}
}

func TestApplyRefusesWhatCheckRefuses(t *testing.T) {
	noisy := mechanismtest.Make(t, counts, []float64{1, 2, 3})
	after, err := denoise.Apply(t.Context(), noisy, steps(t, "nonnegative"))
	if err != nil {
		t.Fatal(err)
	}
	for what, try := range map[string]func() (mechanism.Noisy, error){
		"in one chain": func() (mechanism.Noisy, error) {
			return denoise.Apply(t.Context(), noisy, steps(t, "round", "james-stein"))
		},
		"in two chains": func() (mechanism.Noisy, error) {
			return denoise.Apply(t.Context(), after,
				steps(t, "james-stein"))
		},
		"two shrinkings": func() (mechanism.Noisy, error) {
			return denoise.Apply(t.Context(), noisy, steps(t, "soft-threshold", "james-stein"))
		},
	} {
		_, err := try()
		var e *denoise.Error
		if !errors.As(err, &e) || e.Code != denoise.CodeOrder {
			t.Errorf("%s: %v, want the order refused", what, err)
		}
	}
}

func TestApplyStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := denoise.Apply(ctx, mechanismtest.Make(t, counts, []float64{1, 2, 3}), steps(t, "round"))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want cancelled", err)
	}
}

func TestNotesSayWhatWasChosen(t *testing.T) {
	noisy := mechanismtest.Make(t, counts, []float64{900, -3, 8, 30, -41, 0, 700, 12})
	soft, err := denoise.New("soft-threshold", denoise.Args{"threshold": "sure"})
	if err != nil {
		t.Fatal(err)
	}
	chain := append([]denoise.Step{soft}, steps(t, "nonnegative")...)
	got, notes, err := denoise.ApplyNoted(t.Context(), noisy, chain)
	if err != nil || !slices.Equal(notes, []string{"soft-threshold: threshold 41"}) {
		t.Errorf("notes %q, %v", notes, err)
	}
	if want := []float64{859, 0, 0, 0, 0, 0, 659, 0}; !slices.Equal(values(got), want) {
		t.Errorf("%v, want %v", values(got), want)
	}
}
