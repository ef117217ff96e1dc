package ledger_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
)

// audited returns the audit of a ledger that was charged for some mechanisms. Each fits epsilon 1e6 together with the
// others.
func audited(t *testing.T, mechanisms []calibrate.Mechanism) *ledger.Audit {
	t.Helper()
	c := ledgertest.Quarter(t, "run")
	c.Budget.Epsilon, c.Mechanisms = "1e6", mechanisms
	b := ledger.NewBook(ledgertest.Memory(t), time.Now)
	if _, err := b.Charge(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	audit, err := b.Audit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return audit
}

// The audit of a valid ledger finds the same totals, whatever its numbers.
func TestSoundLedgersRecount(t *testing.T) {
	size := rapid.Custom(func(rt *rapid.T) float64 {
		return math.Ldexp(rapid.Float64Range(0.5, 1).Draw(rt, "fraction"), rapid.IntRange(-900, 900).Draw(rt, "exponent"))
	})
	rapid.Check(t, func(rt *rapid.T) {
		var ms []calibrate.Mechanism
		for i := range rapid.IntRange(1, 40).Draw(rt, "mechanisms") {
			l2 := size.Draw(rt, "sensitivity")
			ms = append(ms, calibrate.Mechanism{
				Query: fmt.Sprint("q", i), Sens: calibrate.Sensitivity{L2: l2}, Grid: math.Ldexp(1,
					rapid.IntRange(-900, 900).Draw(rt, "grid")),
				Sigma: calibrate.Sigma(l2 * rapid.Float64Range(0.1, 1e6).Draw(rt, "ratio")),
			})
		}
		for _, f := range audited(t, ms).Findings {
			rt.Error(f)
		}
	})
}

// A sum of values up to 1e-5, and very many mechanisms. An earlier audit found other totals for both.
func TestLedgersThatDidNotRecount(t *testing.T) {
	tiny, err := calibrate.SplitBudget(calibrate.Guarantee{Epsilon: 1, Delta: 1e-6},
		[]calibrate.Ask{{Query: "q", Sens: calibrate.Sensitivity{L2: 1e-5}, Weight: 1, Quantum: math.Ldexp(1, -60),
			RowBound: 1e-5}})
	if err != nil {
		t.Fatal(err)
	}
	var asks []calibrate.Ask
	for i := range 752 {
		asks = append(asks, calibrate.Ask{Query: fmt.Sprint("q", i),
			Sens: calibrate.Sensitivity{L2: math.Sqrt(float64(i + 1))}, Weight: 1 / float64(i+1), Quantum: 1, RowBound: 1})
	}
	many, err := calibrate.SplitBudget(calibrate.Guarantee{Epsilon: 1, Delta: 1e-6}, asks)
	if err != nil {
		t.Fatal(err)
	}
	for _, ms := range [][]calibrate.Mechanism{tiny, many} {
		for _, f := range audited(t, ms).Findings {
			t.Errorf("%d mechanisms: %s", len(ms), f)
		}
	}
}

var numbersOfMechanisms = regexp.MustCompile(`"(?:grid|l2|sigma)":"([^"]*)"`)

// If one digit of a mechanism is changed and the chain is computed again, the mechanism cannot be read or is another
// one. Then the totals differ, and verify finds that the ledger was charged for other mechanisms than the manifest
// states.
func TestTamperedMechanismsDoNotRecount(t *testing.T) {
	good, s := ledgertest.Quarter(t, "run"), ledgertest.Memory(t)
	good.Mechanisms[0].Sens.L2 = 1e-5 // its sigma is 2
	if _, err := ledger.NewBook(s, time.Now).Charge(t.Context(), good); err != nil {
		t.Fatal(err)
	}
	log := entriesOf(t, s)
	rapid.Check(t, func(rt *rapid.T) {
		bad := bytes.Clone(log[1].Body)
		span := rapid.SampledFrom(numbersOfMechanisms.FindAllSubmatchIndex(bad, -1)).Draw(rt, "number")
		bad[rapid.IntRange(span[2], span[3]-1).Draw(rt, "at")] = rapid.SampledFrom([]byte("0123456789.e-+")).Draw(rt, "to")
		if bytes.Equal(bad, log[1].Body) {
			rt.Skip("nothing is changed")
		}
		second := log[1]
		second.Body = bad
		second.Hash = chained(log[0].Hash, second)
		runs, err := ledger.NewBook(storeOf(t, log[0], second), time.Now).Runs(t.Context())
		switch {
		case errors.Is(err, ledger.ErrCorrupt):
		case err != nil:
			rt.Fatal(err)
		case slices.Equal(runs[0].Charge.Mechanisms, good.Mechanisms):
			rt.Fatalf("%s reads as what was charged", bad)
		}
	})
}

func entriesOf(t *testing.T, s ledger.Store) (log []ledger.Entry) {
	t.Helper()
	err := s.View(t.Context(), func(r ledger.Reader) error {
		for e, err := range r.Entries(1) {
			if err != nil {
				return err
			}
			log = append(log, e)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func storeOf(t *testing.T, log ...ledger.Entry) ledger.Store {
	t.Helper()
	s := ledgertest.Memory(t)
	for _, e := range log {
		if err := s.Update(t.Context(), func(tx ledger.Tx) error { return tx.Append(e) }); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// chained returns the hash of an entry after another one, like Entry.Hash.
func chained(prev ledger.Hash, e ledger.Entry) ledger.Hash {
	b := append([]byte("dprelease ledger entry\x00"), prev[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(e.Seq))
	b = binary.BigEndian.AppendUint64(b, uint64(e.Schema))
	for _, field := range []string{e.TimeText(), string(e.Kind), string(e.Body)} {
		b = append(binary.BigEndian.AppendUint64(b, uint64(len(field))), field...)
	}
	return sha256.Sum256(b)
}

// An audit finds a charge that defines the unit of a table anew, and none if the earlier charge was cancelled.
func TestAuditFindsOtherUnits(t *testing.T) {
	for _, cancelled := range []bool{false, true} {
		s := ledgertest.Memory(t)
		b := ledger.NewBook(s, time.Now)
		first := ledgertest.Quarter(t, "a")
		first.Units = map[string]string{"visits": "patient"}
		r, err := b.Charge(t.Context(), first)
		if err != nil {
			t.Fatal(err)
		}
		if cancelled {
			if err := b.Cancel(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		second := ledgertest.Quarter(t, "b")
		second.Units = first.Units
		if _, err := b.Charge(t.Context(), second); err != nil {
			t.Fatal(err)
		}
		log := entriesOf(t, s)
		last := &log[len(log)-1]
		last.Body = bytes.Replace(last.Body, []byte("patient"), []byte("doctor"), 1)
		last.Hash = chained(log[len(log)-2].Hash, *last)
		a, err := ledger.NewBook(storeOf(t, log...), time.Now).Audit(t.Context())
		if err != nil || (len(a.Findings) == 0) != cancelled {
			t.Errorf("cancelled %v: %v (%v)", cancelled, a.Findings, err)
		}
	}
}
