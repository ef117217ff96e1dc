//go:build unix

package sqlstore_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/ledger/sqlstore"
	"github.com/dprelease/dprelease/internal/owntest"
)

func TestMove(t *testing.T) {
	owntest.Slow(t)
	t.Run("sqlite to sqlite", func(t *testing.T) {
		dir := t.TempDir()
		testMove(t, "sqlite:"+filepath.Join(dir, "a.db"), "sqlite:"+filepath.Join(dir, "b.db"))
	})
	server := ledgertest.Postgres(t)
	t.Run("sqlite to postgres", func(t *testing.T) {
		testMove(t, "sqlite:"+filepath.Join(t.TempDir(), "a.db"), server.DSN(t))
	})
	t.Run("postgres to sqlite", func(t *testing.T) {
		testMove(t, server.DSN(t), "sqlite:"+filepath.Join(t.TempDir(), "b.db"))
	})
}

// cut is an arrival whose activation fails: the move is cut short after its old ledger was closed.
type cut struct{ ledger.Arrival }

var errCut = errors.New("cut")

func (cut) Activate(context.Context) error { return errCut }

// testMove moves a ledger with a published run, and one that waits: cut short first, then whole.
func testMove(t *testing.T, from, to string) {
	ctx := t.Context()
	old, err := sqlstore.Named(ctx, from, true)
	must(t, err)
	defer old.Close()
	book := ledger.NewBook(old, time.Now)
	work(t, book)
	before, err := book.Head(ctx)
	must(t, err)
	mark, err := book.Mark(ctx)
	must(t, err)
	key, err := book.InputKey(ctx)
	must(t, err)
	secret, err := old.Secret(ctx)
	must(t, err)

	arrival, err := sqlstore.Arrival(ctx, to, secret)
	must(t, err)
	must(t, book.Idle(ctx))
	unlock, err := book.Lock(ctx, "waits")
	must(t, err)
	if err := book.Idle(ctx); !errors.Is(err, ledger.ErrBusy) {
		t.Errorf("a move could begin while a run is at work: %v", err)
	}
	if _, err := book.Move(ctx, arrival, "there"); !errors.Is(err, ledger.ErrBusy) {
		t.Fatalf("moved under a run: %v", err)
	}
	unlock()
	if _, err := sqlstore.Named(ctx, to, true); !errors.Is(err, ledger.ErrIncoming) {
		t.Fatalf("an arrival was opened as a ledger: %v", err)
	}
	if _, err := book.Move(ctx, cut{arrival}, "there"); !errors.Is(err, errCut) {
		t.Fatal(err)
	}
	must(t, arrival.Close())
	var moved *ledger.MovedError
	if _, err := book.Charge(ctx, ledgertest.Quarter(t, "late")); !errors.As(err, &moved) || moved.Move.To != "there" {
		t.Fatalf("the old ledger was charged: %v", err)
	}
	if _, err := sqlstore.Named(ctx, to, true); !errors.Is(err, ledger.ErrIncoming) {
		t.Fatalf("both ledgers are closed until the move is whole: %v", err)
	}

	for range 2 { // the second repetition finds all done, also after a charge
		arrival, err = sqlstore.Arrival(ctx, to, secret)
		must(t, err)
		head, err := book.Move(ctx, arrival, "there")
		must(t, err)
		if head != before {
			t.Fatalf("head %v, want %v", head, before)
		}
		must(t, arrival.Close())
		checkMoved(t, to, mark, key)
	}
	if again, err := book.Mark(ctx); err != nil || again != mark {
		t.Errorf("the closed ledger's mark is not in the new one: %v (%v)", again, err)
	}
	arrival, err = sqlstore.Arrival(ctx, "sqlite:"+filepath.Join(t.TempDir(), "c.db"), secret)
	must(t, err)
	defer arrival.Close()
	if _, err := book.Move(ctx, arrival, "elsewhere"); !errors.As(err, &moved) {
		t.Errorf("a closed ledger moved elsewhere: %v", err)
	}
}

// work publishes a run, and charges one that waits.
func work(t *testing.T, book *ledger.Book) {
	t.Helper()
	ctx := t.Context()
	r, err := book.Charge(ctx, ledgertest.Quarter(t, "done"))
	must(t, err)
	must(t, book.Seal(ctx, r, ledgertest.Digests("a")))
	must(t, book.Publish(ctx, "done", 1))
	_, err = book.Charge(ctx, ledgertest.Quarter(t, "waits"))
	must(t, err)
}

// checkMoved compares the new ledger, and charges it.
func checkMoved(t *testing.T, to string, mark ledger.Mark, key []byte) {
	t.Helper()
	ctx := t.Context()
	s, err := sqlstore.Named(ctx, to, false)
	must(t, err)
	defer s.Close()
	book := ledger.NewBook(s, time.Now)
	if known, err := book.Recall(ctx, []ledger.Mark{mark}); err != nil || known[0] != ledger.MarkHeld {
		t.Errorf("a mark of a release is not known: %v (%v)", known, err)
	}
	if other, err := book.InputKey(ctx); err != nil || !bytes.Equal(key, other) {
		t.Errorf("the secret did not move (%v)", err)
	}
	if _, _, err := book.Resume(ctx, "waits", 1); err != nil {
		t.Error(err)
	}
	if audit, err := book.Audit(ctx); err != nil || len(audit.Findings) > 0 {
		t.Errorf("audit: %v (%v)", audit, err)
	}
	if _, err := book.Charge(ctx, ledgertest.Quarter(t, "new")); err != nil {
		t.Error(err)
	}
}

// A ledger is not copied over another one.
func TestMoveRefuses(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	open := func(name string) (*ledger.Book, ledger.Store) {
		s, err := sqlstore.Named(ctx, "sqlite:"+filepath.Join(dir, name), true)
		must(t, err)
		t.Cleanup(func() { _ = s.Close() })
		return ledger.NewBook(s, time.Now), s
	}
	book, store := open("a.db")
	_, err := book.Charge(ctx, ledgertest.Quarter(t, "x"))
	must(t, err)
	open("other.db")
	secret, err := store.Secret(ctx)
	must(t, err)
	arrival, err := sqlstore.Arrival(ctx, "sqlite:"+filepath.Join(dir, "other.db"), secret)
	must(t, err)
	defer arrival.Close()
	if _, err := book.Move(ctx, arrival, "there"); !errors.Is(err, ledger.ErrOccupied) {
		t.Errorf("copied over another ledger: %v", err)
	}
	same, err := sqlstore.Arrival(ctx, "sqlite:"+filepath.Join(dir, "same.db"), secret)
	must(t, err)
	defer same.Close()
	must(t, same.Activate(ctx))
	if _, err := book.Move(ctx, same, "there"); !errors.Is(err, ledger.ErrOccupied) {
		t.Errorf("copied over an open ledger: %v", err)
	}
	if m, err := book.Moved(ctx); err != nil || m != nil {
		t.Errorf("a refused move closed the ledger: %v (%v)", m, err)
	}
}

// A sealed run whose process still works on it keeps the ledger where it is, until its lock is free.
func TestSealedRunStopsAMove(t *testing.T) {
	ctx := t.Context()
	old, err := sqlstore.Named(ctx, "sqlite:"+filepath.Join(t.TempDir(), "a.db"), true)
	must(t, err)
	defer old.Close()
	book := ledger.NewBook(old, time.Now)
	r, err := book.Charge(ctx, ledgertest.Quarter(t, "sealed"))
	must(t, err)
	must(t, book.Seal(ctx, r, ledgertest.Digests("a")))
	secret, err := old.Secret(ctx)
	must(t, err)
	unlock, err := book.Lock(ctx, "sealed")
	must(t, err)
	arrival, err := sqlstore.Arrival(ctx, "sqlite:"+filepath.Join(t.TempDir(), "b.db"), secret)
	must(t, err)
	defer arrival.Close()
	if _, err := book.Move(ctx, arrival, "there"); !errors.Is(err, ledger.ErrBusy) {
		t.Fatalf("moved under a sealed run: %v", err)
	}
	if m, err := book.Moved(ctx); err != nil || m != nil {
		t.Fatalf("the ledger is closed: %v, %v", m, err)
	}
	unlock()
	if _, err := book.Move(ctx, arrival, "there"); err != nil {
		t.Fatal(err)
	}
}

// A command that looks for ledgers near a release, such as release verify, passes over copies that are not finished and
// over drafts. Both are there while another command copies a ledger, or after it was killed.
func TestUnfinishedCopyIsNoLedger(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "copy.db")
	arrival, err := sqlstore.Arrival(ctx, "sqlite:"+path, bytes.Repeat([]byte{1}, 32))
	must(t, err)
	if sqlstore.IsLedger(path) {
		t.Error("an unfinished copy is taken for a ledger")
	}
	must(t, arrival.Activate(ctx))
	must(t, arrival.Close())
	if !sqlstore.IsLedger(path) {
		t.Error("a finished copy is not taken for a ledger")
	}
	draft := filepath.Join(filepath.Dir(path), ".other.db.new")
	must(t, os.Rename(path, draft))
	if sqlstore.IsLedger(draft) {
		t.Error("a draft is taken for a ledger")
	}
}
