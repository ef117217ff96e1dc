package mechanism_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/mechanism"
)

// publication returns the proof that a release was published, with its mechanism (of grid 1/2) and digests. The charge
// includes a failure probability.
func publication(t *testing.T) (ledger.Publication, calibrate.Mechanism, ledger.Digests) {
	b := ledger.NewBook(ledgertest.Memory(t), time.Now)
	c := ledgertest.Quarter(t, "a")
	c.Mechanisms[0].Grid = 0.5
	c.Budget.Delta, c.Budget.DeltaCap, c.DeltaShare = "1e-5", "1e-6", "1e-7"
	r, err := b.Charge(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	digests := ledgertest.Digests("a")
	if err := errors.Join(b.Seal(t.Context(), r, digests), b.Publish(t.Context(), "a", 1)); err != nil {
		t.Fatal(err)
	}
	proof, err := b.Publication(t.Context(), "a", 1)
	if err != nil {
		t.Fatal(err)
	}
	return proof, c.Mechanisms[0], digests
}

// Published noisy values are read back unchanged, and only with the proof that the release is published.
func TestPublished(t *testing.T) {
	proof, m, digests := publication(t)
	n, err := mechanism.Published(proof, digests.Release, m, []int64{-3, 0, 7})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float64, 3)
	n.Fill(0, got)
	if !slices.Equal(got, []float64{-1.5, 0, 3.5}) || n.Len() != 3 || n.Keys() != nil || !n.Normal() ||
		len(n.Steps()) != 0 || n.Mechanism() != m {
		t.Errorf("%v of %+v", got, n)
	}
	keyed, err := mechanism.PublishedKeys(proof, digests.Release, calibrate.KeySelection{Mechanism: m}, []string{"b", "a"}, []int64{30, 40})
	if err != nil || !slices.Equal(keyed.Keys(), []string{"b", "a"}) || keyed.Len() != 2 {
		t.Errorf("%+v (%v)", keyed, err)
	}
	none, err := mechanism.PublishedKeys(proof, digests.Release, calibrate.KeySelection{Mechanism: m}, nil, nil)
	if err != nil || none.Keys() == nil || none.Len() != 0 {
		t.Errorf("no keys: %+v (%v)", none, err)
	}
	empty, err := mechanism.Published(proof, digests.Release, m, []int64{})
	if err != nil || empty.Keys() != nil || empty.Len() != 0 {
		t.Errorf("no cells: %+v (%v)", empty, err)
	}
	exact := m
	exact.Sigma = 0
	for name, call := range map[string]func() (mechanism.Noisy, error){
		"no proof": func() (mechanism.Noisy, error) {
			return mechanism.Published(ledger.Publication{}, digests.Release, m, []int64{1})
		},
		"another release": func() (mechanism.Noisy, error) {
			return mechanism.Published(proof, ledgertest.Digests("b").Release, m, []int64{1})
		},
		"no noise": func() (mechanism.Noisy, error) { return mechanism.Published(proof, digests.Release, exact, []int64{1}) },
		"another query": func() (mechanism.Noisy, error) {
			return mechanism.Published(proof, digests.Release, calibrate.Mechanism{Query: "x", Sens: m.Sens, Sigma: m.Sigma,
				Grid: m.Grid}, []int64{1})
		},
		"no values": func() (mechanism.Noisy, error) { return mechanism.Published(proof, digests.Release, m, nil) },
		"a key twice": func() (mechanism.Noisy, error) {
			return mechanism.PublishedKeys(proof, digests.Release, calibrate.KeySelection{Mechanism: m}, []string{"a", "a"}, []int64{1, 2})
		},
		"a key more": func() (mechanism.Noisy, error) {
			return mechanism.PublishedKeys(proof, digests.Release, calibrate.KeySelection{Mechanism: m}, []string{"a", "b"}, []int64{1})
		},
	} {
		if n, err := call(); !errors.Is(err, mechanism.ErrPublished) || n.Len() > 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
