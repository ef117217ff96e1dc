package ledger_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
)

// tampered returns the log of a store after a change.
type tampered struct {
	ledger.Store
	change func([]ledger.Entry) []ledger.Entry
}

type tamperedReader struct {
	ledger.Reader
	change func([]ledger.Entry) []ledger.Entry
}

func (s tampered) View(ctx context.Context, fn func(ledger.Reader) error) error {
	return s.Store.View(ctx, func(r ledger.Reader) error { return fn(tamperedReader{r, s.change}) })
}

func (r tamperedReader) Entries(from int64) iter.Seq2[ledger.Entry, error] {
	var log []ledger.Entry
	for e, err := range r.Reader.Entries(1) {
		if err != nil {
			return func(yield func(ledger.Entry, error) bool) { yield(e, err) }
		}
		log = append(log, e)
	}
	return func(yield func(ledger.Entry, error) bool) {
		for _, e := range r.change(log) {
			if e.Seq >= from && !yield(e, nil) {
				return
			}
		}
	}
}

// lived returns a store with ten entries: a budget, and three runs of three steps.
func lived(t *testing.T) ledger.Store {
	t.Helper()
	s := ledgertest.Memory(t)
	b, ctx := ledger.NewBook(s, time.Now), t.Context()
	for _, run := range []string{"a", "b", "c"} {
		r, err := b.Charge(ctx, ledgertest.Quarter(t, run))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(b.Seal(ctx, r, ledgertest.Digests(run)), b.Publish(ctx, run, 1)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// A flipped bit, and a lost, doubled or swapped entry are found, and the error names the place.
func TestTamper(t *testing.T) {
	t.Parallel()
	s := lived(t)
	rapid.Check(t, func(rt *rapid.T) {
		at := rapid.IntRange(0, 9).Draw(rt, "entry")
		bit := rapid.IntRange(0, 7).Draw(rt, "bit")
		where := int64(at) + 1
		changes := map[string]func([]ledger.Entry) []ledger.Entry{
			"body": func(es []ledger.Entry) []ledger.Entry {
				es[at].Body[rapid.IntRange(0, len(es[at].Body)-1).Draw(rt, "byte")] ^= 1 << bit
				return es
			},
			"hash": func(es []ledger.Entry) []ledger.Entry {
				es[at].Hash[rapid.IntRange(0, 31).Draw(rt, "byte")] ^= 1 << bit
				return es
			},
			"time":   func(es []ledger.Entry) []ledger.Entry { es[at].Time = es[at].Time.Add(1 << bit); return es },
			"schema": func(es []ledger.Entry) []ledger.Entry { es[at].Schema ^= 1 << bit; return es },
			"kind":   func(es []ledger.Entry) []ledger.Entry { es[at].Kind += "x"; return es },
			"number": func(es []ledger.Entry) []ledger.Entry { es[at].Seq += 100; return es },
			"lost":   func(es []ledger.Entry) []ledger.Entry { return slices.Delete(es, at, at+1) },
			"tail":   func(es []ledger.Entry) []ledger.Entry { return es[:at] },
			"swapped": func(es []ledger.Entry) []ledger.Entry {
				at, to := min(at, 8), min(at, 8)+1
				where = int64(at) + 1
				es[at].Body, es[to].Body = es[to].Body, es[at].Body
				return es
			},
		}
		name := rapid.SampledFrom([]string{"body", "hash", "time", "schema", "kind", "number", "lost", "tail",
			"swapped"}).Draw(rt, "change")
		_, err := ledger.NewBook(tampered{s, changes[name]}, time.Now).Snapshot(t.Context())
		var corrupt *ledger.CorruptError
		if !errors.As(err, &corrupt) || !errors.Is(err, ledger.ErrCorrupt) || corrupt.Seq != where {
			rt.Errorf("%s of entry %d: %v", name, where, err)
		}
	})
}

// A book that has seen more entries than the store shows now returns an error.
func TestShorter(t *testing.T) {
	t.Parallel()
	long, short := lived(t), ledgertest.Memory(t)
	s := &swapped{Store: long}
	b := ledger.NewBook(s, time.Now)
	if _, err := b.Head(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Store = short
	if _, err := b.Charge(t.Context(), ledgertest.Quarter(t, "d")); !errors.Is(err, ledger.ErrCorrupt) {
		t.Errorf("an emptied log: %v", err)
	}
}

type swapped struct{ ledger.Store }
