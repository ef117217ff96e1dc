package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	lib "modernc.org/sqlite/lib"

	"github.com/dprelease/dprelease/internal/ledger"
)

func opened(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func append1(ctx context.Context, s *Store, body []byte) error {
	return s.Update(ctx, func(tx ledger.Tx) error {
		head, err := tx.Last()
		if err != nil {
			return err
		}
		return tx.Append(ledger.Entry{Seq: head.Seq + 1, Schema: 1, Time: time.Unix(0, 0), Kind: "k", Body: body})
	})
}

// TestSettings reads back the settings that make a commit durable, on the first and on a later connection.
func TestSettings(t *testing.T) {
	t.Parallel()
	s := opened(t)
	for range 2 {
		for pragma, want := range map[string]string{
			"synchronous": "3", "journal_mode": "delete", "locking_mode": "normal", "fullfsync": "1", "trusted_schema": "0", "cell_size_check": "1",
			"user_version": "1", "application_id": "1685090924",
		} {
			var got string
			if err := s.db.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
				t.Errorf("%s is %q, want %q (%v)", pragma, got, want, err)
			}
		}
		s.db.SetMaxIdleConns(-1) // closes the connection: the next is a new one
	}
}

// A ledger that cannot be made leaves no lock file. One that was there stays, since another process may hold a lock in
// it.
func TestAFailedLedgerLeavesNoLockFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "ledger.db")
	// The new ledger's file cannot be made.
	for _, name := range []string{path + "-journal", filepath.Join(draft(path), "full")} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), path); err == nil {
			t.Fatal("the ledger was made")
		}
		if exists(lockFile(path+".lock", offset("\x00create"))) {
			t.Error("its lock file is there")
		}
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
	}
	unlock, err := lock(path+".lock", "\x00create", ownerOnly)
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	if err := os.WriteFile(filepath.Join(draft(path), "full"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path); err == nil || !exists(lockFile(path+".lock", offset("\x00create"))) {
		t.Error("a lock file that was there is gone", err)
	}
}

// A connection that would not sync is refused.
func TestSettingsAreChecked(t *testing.T) {
	t.Parallel()
	for _, setting := range []string{"PRAGMA synchronous = FULL", "PRAGMA journal_mode = MEMORY",
		"PRAGMA journal_mode = TRUNCATE"} {
		s := opened(t)
		if _, err := s.db.ExecContext(t.Context(), setting); err != nil {
			t.Fatal(err)
		}
		if err := append1(t.Context(), s, nil); !errors.Is(err, ledger.ErrUnavailable) {
			t.Errorf("%s: %v", setting, err)
		}
	}
}

// The folder is synced after the file has its name. Otherwise a power failure could remove the whole ledger.
// TestSettings and, as the system sees it, the program's TestSyncsOfARun check what SQLite syncs.
func TestNewFileIsSynced(t *testing.T) {
	before := syncFile
	t.Cleanup(func() { syncFile = before })
	path := filepath.Join(t.TempDir(), "ledger.db")
	var synced []string
	syncFile = func(f *os.File) error {
		_, err := os.Stat(path)
		synced = append(synced, fmt.Sprint(f.Name(), " ", err == nil))
		return before(f)
	}
	for range 2 { // the second time nothing is made
		s, err := Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if want := []string{filepath.Dir(path) + " true"}; !slices.Equal(synced, want) {
		t.Errorf("synced, and whether the ledger was there: %q, want %q", synced, want)
	}
	syncFile = func(*os.File) error { return syscall.EIO }
	if _, err := Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db")); err == nil {
		t.Error("the folder was not synced, and the ledger is open all the same")
	}
}

func TestFull(t *testing.T) {
	t.Parallel()
	s := opened(t)
	if _, err := s.db.ExecContext(t.Context(), "PRAGMA max_page_count = 12"); err != nil {
		t.Fatal(err)
	}
	if err := append1(t.Context(), s, make([]byte, 1<<20)); !errors.Is(err, ledger.ErrFull) {
		t.Errorf("no room: %v", err)
	}
	if err := append1(t.Context(), s, []byte("{}")); err != nil {
		t.Errorf("after that: %v", err)
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	s := opened(t)
	if _, err := s.db.ExecContext(t.Context(), "PRAGMA query_only = 1"); err != nil {
		t.Fatal(err)
	}
	if err := append1(t.Context(), s, []byte("{}")); !errors.Is(err, ledger.ErrReadOnly) {
		t.Errorf("read-only: %v", err)
	}
	if err := s.View(t.Context(), func(ledger.Reader) error { return nil }); err != nil {
		t.Errorf("reading: %v", err)
	}
}

// A panic within a transaction leaves nothing behind, and the store continues to work.
func TestPanic(t *testing.T) {
	t.Parallel()
	s := opened(t)
	func() {
		defer func() { _ = recover() }()
		_ = s.Update(t.Context(), func(tx ledger.Tx) error {
			if err := tx.Append(ledger.Entry{Seq: 1, Schema: 1, Time: time.Unix(0, 0), Kind: "k"}); err != nil {
				t.Error(err)
			}
			panic("a test")
		})
	}()
	err := s.View(t.Context(), func(r ledger.Reader) error {
		if head, err := r.Last(); err != nil || head.Seq != 0 {
			t.Errorf("head %d, %v", head.Seq, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Errors contain no text of a driver or of the operating system.
func TestTranslate(t *testing.T) {
	t.Parallel()
	secret := errors.New("canary: UNIQUE constraint failed: 42")
	path := &fs.PathError{Op: "open", Path: "canary", Err: syscall.EIO}
	for _, err := range []error{translate(secret), translateFile(secret), translateFile(path), translate(sql.ErrNoRows)} {
		if err == nil || strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), "rows") {
			t.Errorf("the text came through: %v", err)
		}
	}
	for err, want := range map[error]error{
		syscall.ENOSPC: ledger.ErrFull, syscall.EDQUOT: ledger.ErrFull, syscall.EROFS: ledger.ErrReadOnly,
		syscall.EACCES: ledger.ErrUnavailable, syscall.ENOENT: ledger.ErrUnavailable, syscall.EIO: ledger.ErrUnavailable,
	} {
		if got := translateFile(&fs.PathError{Err: err}); !errors.Is(got, want) {
			t.Errorf("%v: %v, want %v", err, got, want)
		}
	}
	for code, want := range map[int]error{
		lib.SQLITE_BUSY: ledger.ErrBusy, lib.SQLITE_LOCKED: ledger.ErrBusy, lib.SQLITE_FULL: ledger.ErrFull, lib.SQLITE_READONLY: ledger.ErrReadOnly,
		lib.SQLITE_CORRUPT: ledger.ErrCorrupt, lib.SQLITE_NOTADB: ledger.ErrNotLedger, lib.SQLITE_CANTOPEN: ledger.ErrUnavailable, lib.SQLITE_IOERR: ledger.ErrUnavailable,
	} {
		if got := errorOfCode(code); !errors.Is(got, want) {
			t.Errorf("code %d: %v, want %v", code, got, want)
		}
	}
}

// A lock file that is a link is not followed.
func TestLockFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(dir, "elsewhere"), filepath.Join(dir, "x.lock")); err != nil {
		t.Fatal(err)
	}
	if _, err := lock(filepath.Join(dir, "x.lock"), "a", ownerOnly); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("followed: %v", err)
	}
}

func TestOffset(t *testing.T) {
	t.Parallel()
	seen := map[int64]string{}
	for i := range 10000 {
		name := fmt.Sprint("run ", i)
		at := offset(name)
		if at < 0 || at >= 1<<62 || seen[at] != "" {
			t.Errorf("%s is at %d, as is %q", name, at, seen[at])
		}
		seen[at] = name
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"sqlite:ledger.db": "ledger.db", "sqlite:/a/b c?#%.db": "/a/b c?#%.db", "sqlite:C:x": "C:x", "sqlite+group:l.db": "l.db",
		"": "", "ledger.db": "", "sqlite:": "", "sqlite+group:": "", "sqlite::memory:": "", "sqlite+all:l.db": "", "mysql:x": "",
		"postgres://u:hunter2@h/d": "", "postgresql://u:hunter2@h/d": "",
	} {
		got, s, err := parse(name)
		if got != want || (want == "") != errors.Is(err, ErrUnsupported) ||
			s != sharing(want != "" && strings.HasPrefix(name, "sqlite+group:")) {
			t.Errorf("%q: %q, %v, %v", name, got, s, err)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error quotes the store: %v", err)
		}
	}
}
