package regular_test

import (
	"errors"
	"os"
	"path/filepath"
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
