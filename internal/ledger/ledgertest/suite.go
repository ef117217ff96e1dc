package ledgertest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
)

// Suite tests that a store keeps the contract of ledger.Store, and that a Book over it keeps the contract of
// ledger.Book. open returns a new, empty store.
func Suite(t *testing.T, open func(t *testing.T) ledger.Store) {
	for name, test := range map[string]func(*testing.T, ledger.Store){
		"append":      testAppend,
		"order":       testOrder,
		"rollback":    testRollback,
		"secret":      testSecret,
		"lock":        testLock,
		"cancelled":   testCancelled,
		"life":        testLife,
		"processes":   testTwoProcesses,
		"resume":      testResume,
		"forward":     testForward,
		"release":     testRelease,
		"budget":      testBudget,
		"account":     testAccount,
		"numbers":     testNumbers,
		"replay":      testReplay,
		"canary":      testCanary,
		"overspend":   testOverspend,
		"reserveonce": testReserveOnce,
		"period":      testPeriod,
		"clock":       testClockSetBack,
		"givenback":   testGivenBack,
		"setbudget":   testSetBudget,
		"otherpayer":  testOtherPayer,
		"replaceone":  testReplaceOne,
		"replaced":    testReplaceOneShares,
		"shares":      testShares,
		"audit":       testAudit,
		"marks":       testMarks,
		"recorded":    testRecorded,
		"units":       testUnits,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
			test(t, s)
		})
	}
}

func entry(seq int64) ledger.Entry {
	return ledger.Entry{
		Seq: seq, Schema: 7, Time: time.Date(2024, 2, 29, 23, 59, 59, 123456789, time.UTC),
		Kind: "kind", Body: []byte(`{"text":"µ² \u0000"}`), Hash: ledger.Hash{byte(seq), 31: 0xff},
	}
}

func appendOne(t *testing.T, s ledger.Store, e ledger.Entry) error {
	t.Helper()
	return s.Update(t.Context(), func(tx ledger.Tx) error { return tx.Append(e) })
}

func contents(t *testing.T, s ledger.Store, from int64) (out []ledger.Entry, head ledger.Head) {
	t.Helper()
	err := s.View(t.Context(), func(r ledger.Reader) (err error) {
		out = nil
		for e, err := range r.Entries(from) {
			if err != nil {
				return err
			}
			out = append(out, e)
		}
		head, err = r.Last()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, head
}

func testAppend(t *testing.T, s ledger.Store) {
	if got, head := contents(t, s, 1); len(got) != 0 || head != (ledger.Head{}) {
		t.Fatalf("a new store has %d entries and head %v", len(got), head)
	}
	for seq := range int64(3) {
		if err := appendOne(t, s, entry(seq+1)); err != nil {
			t.Fatal(err)
		}
	}
	got, head := contents(t, s, 2)
	if want := (ledger.Head{Seq: 3, Hash: entry(3).Hash}); head != want {
		t.Errorf("head %v, want %v", head, want)
	}
	if len(got) != 2 {
		t.Fatalf("%d entries from number 2 on, want 2", len(got))
	}
	for i, e := range got {
		want := entry(int64(i) + 2)
		if e.Seq != want.Seq || e.Schema != want.Schema || !e.Time.Equal(want.Time) || e.Kind != want.Kind ||
			!slices.Equal(e.Body, want.Body) || e.Hash != want.Hash {
			t.Errorf("read %+v, wrote %+v", e, want)
		}
	}
}

func testOrder(t *testing.T, s ledger.Store) {
	for _, seq := range []int64{0, 2, -1} {
		if appendOne(t, s, entry(seq)) == nil {
			t.Errorf("entry %d was taken first", seq)
		}
	}
	if err := appendOne(t, s, entry(1)); err != nil {
		t.Fatal(err)
	}
	for _, seq := range []int64{1, 3} {
		if appendOne(t, s, entry(seq)) == nil {
			t.Errorf("entry %d was taken after entry 1", seq)
		}
	}
	if got, head := contents(t, s, 1); len(got) != 1 || head.Seq != 1 {
		t.Errorf("%d entries, head %d, want one", len(got), head.Seq)
	}
}

var errGaveUp = errors.New("gave up")

func testRollback(t *testing.T, s ledger.Store) {
	err := s.Update(t.Context(), func(tx ledger.Tx) error {
		if err := errors.Join(tx.Append(entry(1)), tx.Append(entry(2))); err != nil {
			return err
		}
		if head, err := tx.Last(); err != nil || head.Seq != 2 {
			t.Errorf("a transaction does not see what it wrote: head %d, %v", head.Seq, err)
		}
		return errGaveUp
	})
	if !errors.Is(err, errGaveUp) {
		t.Errorf("the error became %v", err)
	}
	if err := s.View(t.Context(), func(ledger.Reader) error { return errGaveUp }); !errors.Is(err, errGaveUp) {
		t.Errorf("the error became %v", err)
	}
	if got, head := contents(t, s, 1); len(got) != 0 || head.Seq != 0 {
		t.Errorf("a failed transaction left %d entries, head %d", len(got), head.Seq)
	}
}

func testSecret(t *testing.T, s ledger.Store) {
	a, err := s.Secret(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Secret(t.Context())
	if err != nil || !slices.Equal(a, b) || len(a) != 32 || slices.Equal(a, make([]byte, 32)) {
		t.Errorf("the secret is not 32 bytes that stay (%v)", err)
	}
}

func testLock(t *testing.T, s ledger.Store) {
	unlock, err := s.Lock(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Lock(t.Context(), "a"); !errors.Is(err, ledger.ErrBusy) {
		t.Errorf("locked twice: %v", err)
	}
	unlock()
	again, err := s.Lock(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	unlock() // a second call must not free the newer lock
	if _, err := s.Lock(t.Context(), "a"); !errors.Is(err, ledger.ErrBusy) {
		t.Errorf("an old unlock freed a newer lock: %v", err)
	}
	again()
}

func testCancelled(t *testing.T, s ledger.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	err := s.Update(ctx, func(tx ledger.Tx) error {
		err := tx.Append(entry(1))
		cancel()
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before the commit: %v", err)
	}
	_, errLock := s.Lock(ctx, "a")
	for _, err := range []error{
		s.Update(ctx, func(ledger.Tx) error { return nil }),
		s.View(ctx, func(ledger.Reader) error { return nil }),
		errLock,
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled before the start: %v", err)
		}
	}
	if got, _ := contents(t, s, 1); len(got) != 0 {
		t.Errorf("a cancelled transaction left %d entries", len(got))
	}
}
