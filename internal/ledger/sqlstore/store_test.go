package sqlstore_test

import (
	"context"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/ledger/sqlstore"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	ledgertest.Suite(t, func(t *testing.T) ledger.Store {
		s, err := sqlstore.Open(t.Context(), newPath(t))
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}

// If a lock is held, the error names the process that holds it, and the time. The note of an earlier holder is not
// shown.
func namesHolder(t *testing.T, first, second ledger.Store) {
	t.Helper()
	unlock, err := first.Lock(t.Context(), "a run")
	if err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	_, err = second.Lock(t.Context(), "a run")
	var held *ledger.HeldError
	if !errors.As(err, &held) || !errors.Is(err, ledger.ErrBusy) || held.Process != os.Getpid() ||
		!strings.HasPrefix(host, held.Host) || time.Since(held.Since) > time.Minute {
		t.Errorf("%v", err)
	}
	unlock()
	again, err := second.Lock(t.Context(), "a run")
	if err != nil {
		t.Fatal(err)
	}
	again()
}

func TestLockNamesItsHolder(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	namesHolder(t, open(t, path), open(t, path))
	// The note of a dead process, or of another lock, is not used.
	s := open(t, path)
	unlock, err := s.Lock(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if err := os.Truncate(path+".lock", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Lock(t.Context(), "b"); !errors.Is(err, ledger.ErrBusy) || errors.As(err, new(*ledger.HeldError)) {
		t.Errorf("%v", err)
	}
}

// A file that SQLite would write into the ledger is refused before SQLite sees it, with the remedy.
func TestForeignWriteAheadLog(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+"-wal", []byte("not a log"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := sqlstore.Open(t.Context(), path)
	if !errors.Is(err, ledger.ErrUnavailable) || !strings.Contains(err.Error(), "-wal.planted") {
		t.Errorf("%v", err)
	}
	if text, err := os.ReadFile(path + "-wal"); err != nil || string(text) != "not a log" {
		t.Errorf("the file was changed: %q, %v", text, err)
	}
}

// Only the owner can read a new ledger, its journal and its lock file. No other files are left.
func TestFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a %20?b#c.db")
	s := open(t, path)
	err := s.Update(t.Context(), func(tx ledger.Tx) error {
		if err := tx.Append(ledger.Entry{Seq: 1, Time: time.Now(), Kind: "k", Body: []byte("{}")}); err != nil {
			return err
		}
		return ownersAlone(filepath.Dir(path), "a %20?b#c.db", "a %20?b#c.db-journal", "a %20?b#c.db.lock")
	})
	if err != nil {
		t.Error(err)
	}
	if err := ownersAlone(filepath.Dir(path), "a %20?b#c.db", "a %20?b#c.db.lock"); err != nil {
		t.Error(err)
	}
}

func ownersAlone(dir string, want ...string) error {
	found, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var names []string
	for _, f := range found {
		info, err := f.Info()
		if err != nil {
			return err
		}
		if info.Mode() != 0o600 {
			return errors.New(f.Name() + " has mode " + info.Mode().String())
		}
		names = append(names, f.Name())
	}
	if !slices.Equal(names, want) {
		return errors.New("files " + strings.Join(names, ", "))
	}
	return nil
}

func TestReopen(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	first := open(t, path)
	secret, err := first.Secret(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ledger.NewBook(first, time.Now).Charge(t.Context(), tiny(t, "a")); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := first.View(t.Context(), func(ledger.Reader) error { return nil }); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("a closed store answers %v", err)
	}
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	second := open(t, link)
	if again, err := second.Secret(t.Context()); err != nil || !slices.Equal(again, secret) {
		t.Errorf("the secret changed (%v)", err)
	}
	if _, ok, err := ledger.NewBook(second, time.Now).Lookup(t.Context(), "a"); !ok || err != nil {
		t.Errorf("the run is lost: %v", err)
	}
	unlock, err := second.Lock(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if _, err := open(t, path).Lock(t.Context(), "a"); !errors.Is(err, ledger.ErrBusy) {
		t.Errorf("a link leads to other locks: %v", err)
	}
}

func TestLocksAreIndependent(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("one lock covers all names here")
	}
	s := open(t, newPath(t))
	for _, name := range []string{"a", "b", ""} {
		if _, err := s.Lock(t.Context(), name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// A file that is not a valid ledger of this version is refused with a reason, and left unchanged.
func TestNotOpened(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(t *testing.T, path string)
		want    error
	}{
		"empty file": {func(t *testing.T, path string) { write(t, path, nil, 0o600) }, ledger.ErrCorrupt},
		"text file": {func(t *testing.T, path string) { write(t, path, []byte(strings.Repeat("text ", 1000)), 0o600) },
			ledger.ErrNotLedger},
		"folder": {func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o700)) }, ledger.ErrNotLedger},
		"another program": {func(t *testing.T, path string) { execute(t, path, "CREATE TABLE entry (seq)") },
			ledger.ErrNotLedger},
		"another's log": {func(t *testing.T, path string) {
			execute(t, path,
				"PRAGMA journal_mode=WAL; CREATE TABLE entry (seq)")
		}, ledger.ErrNotLedger},
		"newer": {func(t *testing.T, path string) { sound(t, path); execute(t, path, "PRAGMA user_version = 2") },
			ledger.ErrNewer},
		"no version": {func(t *testing.T, path string) { sound(t, path); execute(t, path, "PRAGMA user_version = 0") },
			ledger.ErrCorrupt},
		"not durable": {func(t *testing.T, path string) { sound(t, path); execute(t, path, "PRAGMA journal_mode=WAL") },
			ledger.ErrUnavailable},
		"for all to read": {func(t *testing.T, path string) { sound(t, path); must(t, os.Chmod(path, 0o604)) },
			ledger.ErrUnavailable},
		"a loose link": {func(t *testing.T, path string) { must(t, os.Symlink(path+"x", path)) }, ledger.ErrUnavailable},
		"cut": {func(t *testing.T, path string) {
			sound(t, path)
			must(t, os.Truncate(path, 5000))
		}, ledger.ErrCorrupt},
	} {
		path := newPath(t)
		c.prepare(t, path)
		s, err := sqlstore.Open(t.Context(), path)
		if err == nil {
			_, err = ledger.NewBook(s, time.Now).Head(t.Context())
			must(t, s.Close())
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if _, err := sqlstore.Open(t.Context(), filepath.Join(t.TempDir(), "none", "ledger.db")); !errors.Is(err,
		ledger.ErrUnavailable) {
		t.Errorf("no folder: %v", err)
	}
}

// If the creation of a ledger was interrupted, it starts again.
func TestNeverMadeTwice(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	draft := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new")
	write(t, draft, []byte("half"), 0o600)
	write(t, draft+"-journal", []byte("half"), 0o600)
	open(t, path)
	if err := ownersAlone(filepath.Dir(path), "ledger.db", "ledger.db.lock"); err != nil {
		t.Error(err)
	}
}

// A store waits for the transaction of another store. The context ends the wait.
func TestWaits(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	a, b := open(t, path), open(t, path)
	inside, leave := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- a.Update(context.Background(), func(ledger.Tx) error {
			close(inside)
			<-leave
			return nil
		})
	}()
	<-inside
	short, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if err := b.Update(short, func(ledger.Tx) error { return nil }); !errors.Is(err, ledger.ErrBusy) ||
		!errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("out of time: %v", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, stop)
	if err := b.Update(stopped, func(ledger.Tx) error { return nil }); !errors.Is(err, context.Canceled) ||
		errors.Is(err, ledger.ErrBusy) {
		t.Errorf("cancelled: %v", err)
	}
	if err := b.View(t.Context(), func(ledger.Reader) error { return nil }); err != nil {
		t.Errorf("a reader beside a writer that has not written: %v", err)
	}
	time.AfterFunc(20*time.Millisecond, func() { close(leave) })
	if err := b.Update(t.Context(), func(ledger.Tx) error { return nil }); err != nil {
		t.Errorf("waited: %v", err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A long reader delays a commit and does not undo it.
func TestCommitWaitsForReaders(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	a, b := open(t, path), open(t, path)
	inside, done := make(chan struct{}), make(chan error, 1)
	go func() {
		done <- a.View(context.Background(), func(ledger.Reader) error {
			close(inside)
			time.Sleep(100 * time.Millisecond)
			return nil
		})
	}()
	<-inside
	if _, err := ledger.NewBook(b, time.Now).Charge(t.Context(), tiny(t, "a")); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if n, _ := total(t, path); n != 1 {
		t.Errorf("%d runs, want 1", n)
	}
}

// The file contains no digest of an input. The secret is only in its own place.
func TestCanary(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	b, ctx := ledger.NewBook(s, time.Now), t.Context()
	canary := []byte("a canary that nobody should ever see")
	mark, err := b.Fingerprint(ctx, canary)
	must(t, err)
	r, err := b.Charge(ctx, tiny(t, "a"))
	must(t, err)
	must(t, b.Seal(ctx, r, ledger.Digests{Input: mark, Release: strings.Repeat("0", 64),
		Rendering: strings.Repeat("0", 64)}))
	secret, err := s.Secret(ctx)
	must(t, err)
	file, err := os.ReadFile(path)
	must(t, err)
	for what, c := range map[string]struct {
		text  string
		times int
	}{
		"canary":        {string(canary), 0},
		"canary in hex": {hex.EncodeToString(canary), 0},
		"secret":        {string(secret), 1},
		"secret in hex": {hex.EncodeToString(secret), 0},
		"fingerprint":   {mark, 1},
	} {
		if n := strings.Count(string(file), c.text); n != c.times {
			t.Errorf("%s: %d times in the file, want %d", what, n, c.times)
		}
	}
}
