package pipeline

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/int128"
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

func stepsOf(t *testing.T, methods ...string) []*denoise.Step {
	t.Helper()
	var out []*denoise.Step
	for _, m := range methods {
		s, err := denoise.New(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

func TestStepsChainsTheEstimators(t *testing.T) {
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
		got, err := apply(t.Context(), noisy, stepsOf(t, c.methods...))
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

func TestStepsRefusesWhatCheckRefuses(t *testing.T) {
	noisy := mechanismtest.Make(t, counts, []float64{1, 2, 3})
	after, err := apply(t.Context(), noisy, stepsOf(t, "nonnegative"))
	if err != nil {
		t.Fatal(err)
	}
	for what, try := range map[string]func() (mechanism.Noisy, error){
		"in one chain": func() (mechanism.Noisy, error) {
			return apply(t.Context(), noisy, stepsOf(t, "round", "james-stein"))
		},
		"in two chains": func() (mechanism.Noisy, error) {
			return apply(t.Context(), after,
				stepsOf(t, "james-stein"))
		},
		"two shrinkings": func() (mechanism.Noisy, error) {
			return apply(t.Context(), noisy, stepsOf(t, "soft-threshold", "james-stein"))
		},
	} {
		_, err := try()
		var e *denoise.Error
		if !errors.As(err, &e) || e.Code != denoise.CodeOrder {
			t.Errorf("%s: %v, want the order refused", what, err)
		}
	}
}

func TestStepsStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := apply(ctx, mechanismtest.Make(t, counts, []float64{1, 2, 3}), stepsOf(t, "round"))
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
	chain := append([]*denoise.Step{soft}, stepsOf(t, "nonnegative")...)
	got, notes, err := applySteps(t.Context(), noisy, chain)
	if err != nil || !slices.Equal(notes, []string{"soft-threshold: threshold 41"}) {
		t.Errorf("notes %q, %v", notes, err)
	}
	if want := []float64{859, 0, 0, 0, 0, 0, 659, 0}; !slices.Equal(values(got), want) {
		t.Errorf("%v, want %v", values(got), want)
	}
}

// apply is applySteps without the notes.
func apply(ctx context.Context, n mechanism.Noisy, steps []*denoise.Step) (mechanism.Noisy, error) {
	next, _, err := applySteps(ctx, n, steps)
	return next, err
}

// boundTo returns a denoising step, bound to one ordered dimension of this number of cells.
func boundTo(t *testing.T, method string, cells int) *denoise.Step {
	t.Helper()
	s, err := denoise.New(method, nil)
	if err == nil {
		s, err = s.Bind(denoise.Line(cells))
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A method that needs Gaussian noise of known size refuses Laplace noise. Other methods accept it.
func TestOtherNoise(t *testing.T) {
	p := calibrate.Pure{Query: "q", Why: "one row", Noise: calibrate.Laplace{L1: 1, Scale: 8}, Grid: 0.5}
	m, err := p.Mechanism()
	if err != nil {
		t.Fatal(err)
	}
	e, err := mechanism.Hide(1, make([]int64, 10))
	if err != nil {
		t.Fatal(err)
	}
	n, err := mechanism.AddNoise(t.Context(), e, ledgertest.Receipt(t, m), m, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := apply(t.Context(), n, []*denoise.Step{boundTo(t, "soft-threshold", 10)}); !isCode(err, denoise.CodeNoise) {
		t.Error(err)
	}
	if out, err := apply(t.Context(), n, []*denoise.Step{boundTo(t, "nonnegative", 10)}); err != nil || out.Normal() {
		t.Error(err)
	}
}

func isCode(err error, code string) bool {
	var e *denoise.Error
	return errors.As(err, &e) && e.Code == code
}

// If a vector is not held in memory, steps that treat each cell separately are applied as it is read.
func TestStreamIsDenoised(t *testing.T) {
	const cells, sigma = 1<<20 + 1<<19, 4
	m := calibrate.Mechanism{Query: "q", Sens: calibrate.Sensitivity{L2: 1, Why: "one row"}, Sigma: sigma, Grid: 0.25}
	e, err := mechanism.HideSparse(1, mechanism.Sparse{Cells: cells, At: []int{7, 1 << 20},
		Answers: int128.Narrow([]int64{1000, 2000})})
	if err != nil {
		t.Fatal(err)
	}
	n, err := mechanism.AddNoise(t.Context(), e, ledgertest.Receipt(t, m), m, 2)
	if err != nil {
		t.Fatal(err)
	}
	var steps []*denoise.Step
	for _, name := range []string{"soft-threshold", "nonnegative", "round"} {
		steps = append(steps, boundTo(t, name, cells))
	}
	estimate, notes, err := applySteps(t.Context(), n, steps)
	if err != nil || len(notes) != 1 || !slices.Equal(estimate.Steps(), stepNames(steps)) {
		t.Fatal(notes, err)
	}
	at := denoise.UniversalThreshold(cells, m.Deviation())
	want := make([]float64, 1<<16)
	for start, block := range estimate.Blocks() {
		want = want[:len(block)]
		n.Fill(start, want)
		for i, y := range want {
			if x := math.RoundToEven(max(y-at, 0)); block[i] != x {
				t.Fatalf("cell %d: %g became %g, want %g", start+i, y, block[i], x)
			}
		}
	}
	if _, err := apply(t.Context(), n, []*denoise.Step{boundTo(t, "round", cells-1)}); err == nil {
		t.Error("another number of cells is no error")
	}
}
