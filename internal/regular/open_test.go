//go:build unix

package regular_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dprelease/dprelease/internal/regular"
)

// Only regular files are opened, and nothing waits for the other end of a pipe.
func TestOnlyRegularFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	pipe, file, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.WriteFile(file, []byte("x"), 0o600),
		os.Symlink(pipe, link)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link, "/dev/zero", dir} {
		if _, err := regular.Open(path); !errors.Is(err, regular.ErrNotRegular) {
			t.Errorf("%s: %v", path, err)
		}
		if err := regular.Replaceable(path); !errors.Is(err, regular.ErrNotRegular) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := regular.Open(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	f, err := regular.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Close(), regular.Replaceable(file)); err != nil {
		t.Error(err)
	}
	if err := regular.Replaceable(filepath.Join(dir, "none", "x")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if err := regular.Replaceable(filepath.Join(file, "x")); !errors.Is(err, syscall.ENOTDIR) {
		t.Error(err)
	}
}

// A file of the kernel is none, whatever its mode: reading /proc/kmsg waits for a message.
func TestNoFilesOfTheKernel(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has them")
	}
	if _, err := regular.Open("/proc/self/status"); !errors.Is(err, regular.ErrNotRegular) {
		t.Error(err)
	}
}

// A reason is the system's, without the path, which the message names itself.
func TestReason(t *testing.T) {
	dir := t.TempDir()
	file, socket := filepath.Join(dir, "file"), filepath.Join(dir, "socket")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "none"): "no such file", dir: "a folder", socket: "a socket",
		filepath.Join(file, "x"): "a part of the path",
	} {
		_, err := regular.Open(path)
		if got := regular.Reason(err); !strings.Contains(got, want) || strings.Contains(got, dir) {
			t.Errorf("%s: %s", path, got)
		}
	}
	if got := regular.Reason(errors.New("a text")); strings.Contains(got, "a text") {
		t.Error(got)
	}
}

// Replace writes a file whole or not at all, leaves no temporary file, and replaces nothing but files.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	file, pipe := filepath.Join(dir, "file"), filepath.Join(dir, "pipe")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.WriteFile(file, []byte("old"), 0o600)); err != nil {
		t.Fatal(err)
	}
	full := &os.PathError{Op: "write", Path: file, Err: syscall.ENOSPC}
	if err := regular.Replace(file, 0o644, func(*os.File) error { return full }); !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "old" {
		t.Errorf("a failure changed the file to %q, %v", text, err)
	}
	write := func(f *os.File) error { _, err := f.WriteString("new"); return err }
	if err := regular.Replace(pipe, 0o644, write); !errors.Is(err, regular.ErrNotRegular) {
		t.Errorf("a pipe was replaced: %v", err)
	}
	if err := regular.Replace(file, 0o644, write); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "new" {
		t.Errorf("the file has %q, %v", text, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

// While a file is written, it has no name in the folder. What a killed process left is removed later, but never a file
// that may still be written, or somebody else's.
func TestReplaceLeavesNothingIfKilled(t *testing.T) {
	dir := t.TempDir()
	names := func() (names []string) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	file := filepath.Join(dir, "file")
	var during []string
	write := func(f *os.File) error { during = names(); return nil }
	if err := regular.Replace(file, 0o644, write); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" && len(during) > 0 {
		t.Errorf("while the file is written there is %q", during)
	}
	for name, age := range map[string]time.Duration{".dprelease-new-1": 200 * time.Hour, ".dprelease-new-2": 24 * time.Hour,
		".other": 200 * time.Hour} {
		path, then := filepath.Join(dir, name), time.Now().Add(-age)
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, then, then)); err != nil {
			t.Fatal(err)
		}
	}
	if err := regular.Replace(file, 0o644, write); err != nil {
		t.Fatal(err)
	}
	if got := names(); !slices.Equal(got, []string{".dprelease-new-2", ".other", "file"}) {
		t.Errorf("there is %q", got)
	}
}

// A new file never replaces another.
func TestCreate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := regular.Create(file, []byte("first"), 0o600); err != nil {
		t.Error(err)
	}
	if err := regular.Create(file, []byte("second"), 0o600); !errors.Is(err, os.ErrExist) {
		t.Errorf("a file was replaced: %v", err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "first" {
		t.Errorf("the file has %q, %v", text, err)
	}
}

// Each reason has words and a remedy of its own.
func TestReasonAndRemedy(t *testing.T) {
	for number, want := range map[syscall.Errno][2]string{
		syscall.ELOOP: {"circle", "check the path"}, syscall.ENAMETOOLONG: {"too long", "check the path"},
		syscall.ENOSPC: {"disk is full", "make room"}, syscall.EROFS: {"read-only", "mount"},
		syscall.EIO: {"device", "check the disk"}, syscall.EACCES: {"permission", "let this user"},
	} {
		err := &os.PathError{Op: "open", Path: "x", Err: number}
		if reason, remedy := regular.Reason(err), regular.Remedy(err); !strings.Contains(reason, want[0]) ||
			!strings.Contains(remedy, want[1]) {
			t.Errorf("%v: %s; %s", number, reason, remedy)
		}
	}
}
