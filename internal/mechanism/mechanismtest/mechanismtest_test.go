package mechanismtest_test

import (
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
)

var gaussian = calibrate.Mechanism{Query: "q", Sens: calibrate.Sensitivity{L2: 1, Why: "one row"}, Sigma: 1, Grid: 0.5}

// failing is a testing.TB that records a fatal failure instead of failing.
type failing struct {
	testing.TB
	failed bool
}

func (f *failing) Fatalf(string, ...any) {
	f.failed = true
	runtime.Goexit()
}

func fails(tb testing.TB, f func(testing.TB)) bool {
	tb.Helper()
	x, done := &failing{TB: tb}, make(chan struct{})
	go func() {
		defer close(done)
		f(x)
	}()
	<-done
	return x.failed
}

func TestOpen(t *testing.T) {
	e, err := mechanism.Hide(0.25, []int64{1, -2, 3})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		unit, cells := mechanismtest.Open(t, e)
		if unit != 0.25 || !slices.Equal(cells, []int64{1, -2, 3}) {
			t.Errorf("opened: %g, %v", unit, cells)
		}
		clear(cells) // a copy
	}
	if _, err := mechanism.AddNoise(t.Context(), e, ledgertest.Receipt(t, gaussian), gaussian, 1); err != nil {
		t.Errorf("an opened value cannot be noised: %v", err)
	}
	if !fails(t, func(tb testing.TB) { mechanismtest.Open(tb, e) }) {
		t.Error("a spent value opens")
	}
	if !fails(t, func(tb testing.TB) { mechanismtest.Open(tb, mechanism.Exact{}) }) {
		t.Error("the zero value opens")
	}
}

func TestMake(t *testing.T) {
	given := []float64{1.5, -2, 0.3}
	n := mechanismtest.Make(t, gaussian, given)
	given[0] = 7
	got := make([]float64, 3)
	n.Fill(0, got)
	if n.Len() != 3 || n.Mechanism() != gaussian || len(n.Steps()) != 0 || !slices.Equal(got, []float64{1.5, -2, 0.3}) {
		t.Errorf("made: %d cells, %v", n.Len(), got)
	}
	if _, err := mechanism.AddNoise(t.Context(), mechanism.Exact{}, ledgertest.Receipt(t, gaussian),
		gaussian, 1); !errors.Is(err,
		mechanism.ErrEmpty) {
		t.Errorf("error %v, want %v", err, mechanism.ErrEmpty)
	}
}
