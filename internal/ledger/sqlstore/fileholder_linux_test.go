package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
)

// If a program that is not this one has locked a ledger's file, the error names the ledger, the process and the time at
// which it started.
func TestAForeignLockNamesItsProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	if held := os.Getenv("SQLSTORE_HOLD"); held != "" {
		db, err := sql.Open("sqlite", "file:"+held)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Exec("BEGIN EXCLUSIVE"); err != nil {
			t.Fatal(err)
		}
		_, _ = os.Stdout.WriteString("held\n")
		_, _ = os.Stdin.Read(make([]byte, 1))
		return
	}
	store, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	holder := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
	holder.Env = append(os.Environ(), "SQLSTORE_HOLD="+path)
	in, err1 := holder.StdinPipe()
	out, err2 := holder.StdoutPipe()
	if err := errors.Join(err1, err2, holder.Start()); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	_, started, err := describe(holder.Process.Pid)
	if err != nil || time.Since(started) > time.Hour || time.Until(started) > time.Minute {
		t.Errorf("the process started at %s, %v", started, err)
	}
	got := store.located(ledger.ErrBusy)
	for _, part := range []string{path, "process " + strconv.Itoa(holder.Process.Pid) + " (", "started at " +
		started.UTC().Format(time.RFC3339)} {
		if !errors.Is(got, ledger.ErrBusy) || !strings.Contains(got.Error(), part) {
			t.Errorf("no %q in: %v", part, got)
		}
	}
	// The process does not hold a lock on another file, whatever its inode number is.
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	inode := info.Sys().(*syscall.Stat_t).Ino
	other, err := os.Stat(os.Args[0])
	if err != nil || !hasLocked(holder.Process.Pid, info, inode) || hasLocked(holder.Process.Pid, other, inode) ||
		hasLocked(os.Getpid(), info, inode) {
		t.Error("the holder of the lock is mistaken", err)
	}
	if err := errors.Join(in.Close(), holder.Wait()); err != nil {
		t.Error(err)
	}
	if err := fileHolder(path); err.Error() != ledger.ErrBusy.Error() {
		t.Errorf("nobody holds the file: %v", err)
	}
	if err := store.View(context.Background(), func(ledger.Reader) error { return nil }); err != nil {
		t.Error(err)
	}
}
