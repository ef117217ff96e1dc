package mechanism

import (
	"errors"
	"testing"
	"testing/iotest"

	"github.com/dprelease/dprelease/calibrate"
)

// Keys whose noise failed after the receipt was redeemed are spent, and wiped; those of which nothing was drawn can be tried again.
func TestSelectFailsHalfway(t *testing.T) {
	failure := errors.New("no entropy")
	e, err := SealKeyed([]string{"a", "b"}, []int64{42, 43})
	if err != nil {
		t.Fatal(err)
	}
	k := e.keyed()
	j := newTestJob(t, 10, 2, iotest.ErrReader(failure))
	free := func(calibrate.Mechanism) error { return nil }
	if !k.take() || k.take() {
		t.Fatal("keys are not taken once")
	}
	refusal := errors.New("not paid")
	if _, err := k.counts.noise(t.Context(), func(calibrate.Mechanism) error { return refusal }, j); !errors.Is(err, refusal) {
		t.Fatalf("error %v, want %v", err, refusal)
	}
	k.putBack()
	if !k.take() {
		t.Fatal("nothing was drawn, and the keys are spent")
	}
	if _, err := k.counts.noise(t.Context(), free, j); !errors.Is(err, failure) {
		t.Fatalf("error %v, want %v", err, failure)
	}
	k.putBack()
	if k.take() {
		t.Error("noise was drawn, and the keys can be selected again")
	}
	if s := k.counts.open(); s.held != nil {
		t.Errorf("counts are left: %v", s.held.high)
	}
}
