//go:build check

package trial

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/dprelease/dprelease/examples/internal/experiment"
)

func setup() Setup {
	one := func(int) float64 { return 1 }
	return Setup{Name: "test", L1: one, L2: one, Error: L2, Truth: func(r *rand.Rand, d int) []float64 {
		x := make([]float64, d)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		return x
	}}
}

func measure(t *testing.T, procs int) []Result {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
	s, err := experiment.New(t.TempDir(), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	points := []Point{{Eps: 0.5, Delta: 1e-4, D: 7, Reps: 3*block + 1}, {Eps: 1, Delta: 1e-4, D: 3, Reps: 2}}
	slow := Mechanism{Name: "slow", Method: Mechanisms()[3].Method, Every: 10}
	results, err := setup().Run(t.Context(), s, points, append(Mechanisms(), slow))
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// Results are the same on any number of cores; every repetition counts once, and slow ones are left out.
func TestRun(t *testing.T) {
	one, many := measure(t, 1), measure(t, 5)
	for i, r := range one {
		if r != many[i] {
			t.Errorf("%+v on one core, %+v on five", r, many[i])
		}
		want := r.Reps
		if r.Mechanism == "slow" {
			want = (r.Reps + 9) / 10
		}
		if r.Error.N != want {
			t.Errorf("%s: %d repetitions of %d", r.Mechanism, r.Error.N, r.Reps)
		}
	}
	if n := len(Mechanisms()) + 1; len(one) != 2*n {
		t.Errorf("%d results", len(one))
	}
}

// Estimates are made of the same noisy answers: positive-part James–Stein is then never worse than the plain one here.
func TestPaired(t *testing.T) {
	at := map[string]Result{}
	for _, r := range measure(t, 2) {
		if r.D == 7 {
			at[r.Mechanism] = r
		}
	}
	if at["aGM-JS+"].Error.Mean > at["aGM-JS"].Error.Mean || at["aGM"].Noise != at["aGM-TH"].Noise ||
		at["zero"].Noise != 0 {
		t.Errorf("%+v", at)
	}
}

// A formula that does not hold is an error, not a row.
func TestRefused(t *testing.T) {
	s, err := experiment.New(t.TempDir(), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := setup().Run(t.Context(), s, []Point{{Eps: 20, Delta: 1e-4, D: 3, Reps: 1}}, Mechanisms()); err == nil {
		t.Error("classical noise at epsilon 20 is not enough")
	}
}
