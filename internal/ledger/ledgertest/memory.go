// Package ledgertest helps tests of ledgers and tests that need a ledger: a store in memory, a receipt to redeem, and a
// suite that every ledger.Store passes.
package ledgertest

import (
	"context"
	"crypto/rand"
	"fmt"
	"iter"
	"slices"
	"sync"
	"testing"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/owntest"
)

// Memory returns an empty store that lives as long as the test. A program that used it would forget its charges, so it
// fails in any program except the tests of this module.
func Memory(tb testing.TB) ledger.Store {
	tb.Helper()
	if !owntest.Guard(tb) {
		return nil
	}
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		tb.Fatal(err)
	}
	return &memory{turn: make(chan struct{}, 1), secret: secret, locks: map[string]bool{}}
}

type memory struct {
	turn   chan struct{} // holds one token while a transaction runs
	log    []ledger.Entry
	secret []byte

	mu    sync.Mutex
	locks map[string]bool
}

func (m *memory) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	return m.transact(ctx, func() error {
		t := &memoryTx{log: slices.Clip(m.log)}
		if err := fn(t); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		m.log = t.log
		return nil
	})
}

func (m *memory) View(ctx context.Context, fn func(ledger.Reader) error) error {
	return m.transact(ctx, func() error { return fn(&memoryTx{log: m.log}) })
}

func (m *memory) transact(ctx context.Context, fn func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case m.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-m.turn }()
	return fn()
}

func (m *memory) Secret(context.Context) ([]byte, error) { return slices.Clone(m.secret), nil }

func (m *memory) Lock(ctx context.Context, name string) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.locks[name] {
		return nil, ledger.ErrBusy
	}
	m.locks[name] = true
	return sync.OnceFunc(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.locks, name)
	}), nil
}

func (m *memory) Close() error { return nil }

type memoryTx struct{ log []ledger.Entry }

func (t *memoryTx) Last() (ledger.Head, error) {
	if len(t.log) == 0 {
		return ledger.Head{}, nil
	}
	e := t.log[len(t.log)-1]
	return ledger.Head{Seq: e.Seq, Hash: e.Hash}, nil
}

func (t *memoryTx) Entries(from int64) iter.Seq2[ledger.Entry, error] {
	return func(yield func(ledger.Entry, error) bool) {
		for _, e := range t.log {
			if e.Seq < from {
				continue
			}
			e.Body = slices.Clone(e.Body)
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (t *memoryTx) Append(e ledger.Entry) error {
	if e.Seq != int64(len(t.log))+1 {
		return fmt.Errorf("%w: entry %d does not follow the last", ledger.ErrCorrupt, e.Seq)
	}
	e.Body = slices.Clone(e.Body)
	t.log = append(t.log, e)
	return nil
}
