//go:build unix

package regular_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

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
