package denoise

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/int128"
)

// A step that treats each cell separately gives the same result and notes for any division into blocks.
func TestBlocksAreTheWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	y := make([]float64, 1000)
	for i := range y {
		y[i] = 5 * r.NormFloat64()
	}
	tried := 0
	for _, m := range Methods() {
		for _, args := range []Args{nil, {"threshold": "3.5"}, {"threshold": "universal"}, {"threshold": "sure"}} {
			made, err := New(m.Name, args)
			if err != nil {
				continue
			}
			s, ok := made.(step)
			if !ok || !s.perCell {
				continue
			}
			tried++
			whole, err := s.rule(t.Context(), problem{y: y, s: 2})
			if err != nil {
				t.Fatal(err)
			}
			var got []float64
			for block := range slices.Chunk(y, 137) {
				f, err := s.rule(t.Context(), problem{y: block, s: 2, of: len(y)})
				if err != nil || !slices.Equal(f.Notes, whole.Notes) {
					t.Fatalf("%s %v: notes %v, %v; want %v", m.Name, args, f.Notes, err, whole.Notes)
				}
				got = append(got, f.X...)
			}
			if !slices.Equal(got, whole.X) {
				t.Errorf("%s %v: blocks differ from the whole", m.Name, args)
			}
		}
	}
	if tried != 8 {
		t.Errorf("%d steps tried", tried)
	}
}

// A method that needs Gaussian noise of known size refuses Laplace noise. Other methods accept it.
func TestOtherNoise(t *testing.T) {
	p := calibrate.Pure{Query: "q", Why: "one row", Noise: calibrate.Laplace{L1: 1, Scale: 8}, Grid: 0.5}
	m, err := p.Mechanism()
	if err != nil {
		t.Fatal(err)
	}
	e, err := mechanism.Seal(1, make([]int64, 10))
	if err != nil {
		t.Fatal(err)
	}
	n, err := mechanism.AddNoise(t.Context(), e, ledgertest.Receipt(t, m), m, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Apply(t.Context(), n, []Step{bound(t, "soft-threshold", nil, Line(10))}); !isCode(err, CodeNoise) {
		t.Error(err)
	}
	if out, err := Apply(t.Context(), n, []Step{bound(t, "nonnegative", nil, Line(10))}); err != nil || out.Normal() {
		t.Error(err)
	}
}

func isCode(err error, code string) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}

// If a vector is not held in memory, steps that treat each cell separately are applied as it is read.
func TestStreamIsDenoised(t *testing.T) {
	const cells, sigma = 1<<20 + 1<<19, 4
	m := calibrate.Mechanism{Query: "q", Sens: calibrate.Sensitivity{L2: 1, Why: "one row"}, Sigma: sigma, Grid: 0.25}
	e, err := mechanism.SealSparse(1, mechanism.Sparse{Cells: cells, At: []int{7, 1 << 20},
		Answers: int128.Narrow([]int64{1000, 2000})})
	if err != nil {
		t.Fatal(err)
	}
	n, err := mechanism.AddNoise(t.Context(), e, ledgertest.Receipt(t, m), m, 2)
	if err != nil {
		t.Fatal(err)
	}
	var steps []Step
	for _, name := range []string{"soft-threshold", "nonnegative", "round"} {
		steps = append(steps, bound(t, name, nil, Line(cells)))
	}
	estimate, notes, err := ApplyNoted(t.Context(), n, steps)
	if err != nil || len(notes) != 1 || !slices.Equal(estimate.Steps(), names(steps)) {
		t.Fatal(notes, err)
	}
	at := UniversalThreshold(cells, m.Deviation())
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
	if _, err := Apply(t.Context(), n, []Step{bound(t, "round", nil, Line(cells-1))}); err == nil {
		t.Error("another number of cells is no error")
	}
}
