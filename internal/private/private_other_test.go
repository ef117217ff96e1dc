//go:build !windows

package private

import (
	"os"
	"path/filepath"
	"testing"
)

// A mode with any right for a group or for all is reported, and the command of Repair removes the right.
func TestOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "it's a file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, open := range map[os.FileMode]bool{0o600: false, 0o400: false, 0o640: true, 0o604: true, 0o620: true} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		if who, err := Others(path, info); err != nil || (who != "") != open {
			t.Errorf("mode %o: %q, %v", mode, who, err)
		}
		if got, want := Repair(path, info), "chmod 600 "+ShellWord(path); got != want {
			t.Errorf("repair: %q, want %q", got, want)
		}
	}
}
