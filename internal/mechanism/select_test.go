package mechanism_test

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
)

func hideKeyed(tb testing.TB, keys []string, counts []int64) mechanism.Exact {
	tb.Helper()
	e, err := mechanism.HideKeyed(mechanism.KeyCounts{}, keys, counts)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// Keys whose counts are far above the threshold are kept in their order, and keys far below it are dropped. The counts
// have noise.
func TestSelectKeepsWhatIsLarge(t *testing.T) {
	m := gaussian(4, 0.25)
	s := calibrate.KeySelection{Mechanism: m, Keys: 1, Failure: 1e-6}
	e := hideKeyed(t, []string{"a", "b", "c", "d"}, []int64{1000, -500, 2000, -1})
	n, err := mechanism.SelectKeys(t.Context(), e, ledgertest.ShareReceipt(t, "0.2", m), s, 2)
	if err != nil || !slices.Equal(n.Keys(), []string{"a", "c"}) || n.Len() != 2 {
		t.Fatalf("%v, %v", n.Keys(), err)
	}
	got := make([]float64, 2)
	n.Fill(0, got)
	// 60 standard deviations
	if got[0] < 760 || got[0] > 1240 || got[1] < 1760 || got[1] > 2240 {
		t.Errorf("%v", got)
	}
	if _, err := mechanism.SelectKeys(t.Context(), e, ledgertest.ShareReceipt(t, "0.2", m), s,
		2); !errors.Is(err, mechanism.ErrSpent) {
		t.Errorf("selected twice: %v", err)
	}
}

// A key that only one unit has is kept with at most the stated probability. The failure probability is 1/8 for four
// keys, so each key may be kept with probability 1 - (7/8)^(1/4), or slightly less, because the threshold is rounded up
// to the grid. The test tries 400,000 keys; a false alarm has probability 1e-9, by the normal approximation of the
// binomial distribution.
func TestSelectFailsAsStated(t *testing.T) {
	const trials, keys = 100_000, 4
	m := gaussian(3, 0.125)
	m.Sens.L2 = 2
	s := calibrate.KeySelection{Mechanism: m, Keys: keys, Failure: 0.125}
	names, counts := make([]string, keys*trials), make([]int64, keys*trials)
	for i := range names {
		names[i], counts[i] = fmt.Sprintf("%06d", i), 1
	}
	n, err := mechanism.SelectKeys(t.Context(), hideKeyed(t, names, counts), ledgertest.ShareReceipt(t, "0.2", m), s, 2)
	if err != nil {
		t.Fatal(err)
	}
	units, err := s.Threshold()
	if err != nil {
		t.Fatal(err)
	}
	p := math.Erfc(((float64(units)-0.5)*m.Grid-1)/float64(m.Sigma)/math.Sqrt2) / 2
	failed := map[string]bool{}
	for _, k := range n.Keys() {
		failed[k] = true
	}
	mean := keys * trials * p
	deviation := math.Sqrt(mean * (1 - p))
	if got := float64(len(failed)); math.Abs(got-mean) > 6.2*deviation {
		t.Errorf("%g keys of %d kept, expected %g", got, keys*trials, mean)
	}
	if p > 0.0328 { // 1 - (7/8)^(1/4) = 0.032831
		t.Errorf("kept with probability %g", p)
	}
}

func TestSelectOfNothing(t *testing.T) {
	m := gaussian(4, 0.25)
	r := ledgertest.ShareReceipt(t, "0.2", m)
	n, err := mechanism.SelectKeys(t.Context(), hideKeyed(t, nil, nil), r, calibrate.KeySelection{Mechanism: m, Keys: 1,
		Failure: 1e-6},
		1)
	if err != nil || n.Len() != 0 || n.Keys() == nil {
		t.Errorf("%v, %v", n.Keys(), err)
	}
	if err := r.Redeem(m); !errors.Is(err, ledger.ErrRedeem) {
		t.Errorf("the receipt was not redeemed: %v", err)
	}
}

// A refusal before the first draw leaves the keys unchanged.
func TestSelectRefuses(t *testing.T) {
	m := gaussian(4, 0.25)
	s := calibrate.KeySelection{Mechanism: m, Keys: 1, Failure: 1e-6}
	e := hideKeyed(t, []string{"a", "b"}, []int64{10, 20})
	r := ledgertest.ShareReceipt(t, "1e-6", m)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	less := m
	less.Sigma = 3.9
	for what, c := range map[string]struct {
		ctx  context.Context
		r    ledger.Receipt
		s    calibrate.KeySelection
		want error
	}{
		"empty receipt": {t.Context(), ledger.Receipt{}, s, mechanism.ErrReceipt},
		"less noise": {t.Context(), r, calibrate.KeySelection{Mechanism: less, Keys: 1, Failure: 1e-6},
			ledger.ErrRedeem},
		"more keys than noise": {t.Context(), r, calibrate.KeySelection{Mechanism: m, Keys: 2, Failure: 1e-6},
			mechanism.ErrMechanism},
		"a larger failure": {t.Context(), r, calibrate.KeySelection{Mechanism: m, Keys: 1, Failure: 1.1e-6},
			ledger.ErrRedeem},
		"no share":   {t.Context(), ledgertest.Receipt(t, m), s, ledger.ErrRedeem},
		"no failure": {t.Context(), r, calibrate.KeySelection{Mechanism: m, Keys: 1}, mechanism.ErrMechanism},
		"cancelled":  {cancelled, r, s, context.Canceled},
	} {
		if n, err := mechanism.SelectKeys(c.ctx, e, c.r, c.s, 2); !errors.Is(err, c.want) || n.Len() != 0 || n.Keys() != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if keys, counts := mechanismtest.OpenKeyed(t, e); !slices.Equal(keys, []string{"a", "b"}) ||
		!slices.Equal(counts, []int64{10, 20}) {
		t.Errorf("%v, %v", keys, counts)
	}
	if _, err := mechanism.AddNoise(t.Context(), e, r, m, 1); !errors.Is(err, mechanism.ErrKeys) {
		t.Errorf("noise on private keys: %v", err)
	}
	if _, err := mechanism.SelectKeys(t.Context(), hide(t, 1, 5), r, s, 1); !errors.Is(err, mechanism.ErrKeys) {
		t.Errorf("selection of listed cells: %v", err)
	}
	for _, keys := range [][]string{{"b", "a"}, {"a", "a"}} {
		if _, err := mechanism.HideKeyed(mechanism.KeyCounts{}, keys, []int64{1, 2}); !errors.Is(err, mechanism.ErrKeys) {
			t.Errorf("%v: %v", keys, err)
		}
	}
	if _, err := mechanism.HideKeyed(mechanism.KeyCounts{}, []string{"a"}, nil); !errors.Is(err, mechanism.ErrHalves) {
		t.Errorf("%v", err)
	}
}

// Formatting and encoding show neither the keys nor their number.
func TestPrivateKeysDoNotLeak(t *testing.T) {
	const secret = "SECRETKEY"
	e := hideKeyed(t, []string{secret, secret + "2"}, []int64{mark, mark})
	if e.Cells() != 0 {
		t.Errorf("%d cells", e.Cells())
	}
	for _, h := range holders(e) {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
			if out := fmt.Sprintf(verb, h); strings.Contains(out, secret) || leaks([]byte(out)) {
				t.Errorf("%s of %T leaks", verb, h)
			}
		}
		var b bytes.Buffer
		_ = gob.NewEncoder(&b).Encode(h)
		text, _ := json.Marshal(h)
		if out := append(b.Bytes(), text...); bytes.Contains(out, []byte(secret)) || leaks(out) {
			t.Errorf("an encoding of %T leaks", h)
		}
	}
}
