package mechanism

import (
	"errors"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/dprelease/dprelease/calibrate"
)

// If the noise fails after the receipt was redeemed, the keys are spent and wiped. If nothing was drawn, they can be
// tried again.
func TestSelectFailsHalfway(t *testing.T) {
	failure := errors.New("no entropy")
	e, err := HideKeyed(KeyCounts{}, []string{"a", "b"}, []int64{42, 43})
	if err != nil {
		t.Fatal(err)
	}
	k := e.keyed()
	j := newTestJob(t, 10, 2, iotest.ErrReader(failure))
	free := func(calibrate.Mechanism) error { return nil }
	if !k.markSpent() || k.markSpent() {
		t.Fatal("keys are not taken once")
	}
	refusal := errors.New("not paid")
	if _, err := k.counts.noise(t.Context(), func(calibrate.Mechanism) error { return refusal }, j); !errors.Is(err,
		refusal) {
		t.Fatalf("error %v, want %v", err, refusal)
	}
	k.putBack()
	if !k.markSpent() {
		t.Fatal("nothing was drawn, and the keys are spent")
	}
	if _, err := k.counts.noise(t.Context(), free, j); !errors.Is(err, failure) {
		t.Fatalf("error %v, want %v", err, failure)
	}
	k.putBack()
	if k.markSpent() {
		t.Error("noise was drawn, and the keys can be selected again")
	}
	if s := k.counts.open(); s.held != nil {
		t.Errorf("counts are left: %v", s.held.cells.High)
	}
}

// Keys that are not selected are wiped, also in the slices that were passed in.
func TestSelectWipesTheRest(t *testing.T) {
	counts, keys := []int64{9, 2, 7, 3, 5, 1}, []string{"a", "b", "c", "d", "e", "f"}
	n := Noisy{multiples: counts}.keepAtLeast(5, keys, calibrate.KeySelection{})
	if got := n.Keys(); !slices.Equal(got, []string{"a", "c", "e"}) || !slices.Equal(n.multiples, []int64{9, 7, 5}) {
		t.Errorf("selected %q with %v, want a, c and e with 9, 7 and 5", got, n.multiples)
	}
	if rest := counts[3:]; !slices.Equal(rest, []int64{0, 0, 0}) {
		t.Errorf("counts are left: %v", rest)
	}
	if !slices.Equal(keys, make([]string, len(keys))) {
		t.Errorf("keys are left: %q", keys)
	}
	if cap(n.multiples) != 3 {
		t.Errorf("the selected counts reach into %d others", cap(n.multiples)-3)
	}
}
