package command

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// vanishing is a context that removes a path when it is asked whether it has ended.
type vanishing struct {
	context.Context
	path string
}

func (v vanishing) Err() error { return os.RemoveAll(v.path) }

// An index is made while folders and releases below it are removed.
func TestIndexOfVanishingFolders(t *testing.T) {
	for _, gone := range []string{"b", "b/release.json"} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, "b"), 0o700); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, "b", "release.json"), "{}")
		if all, err := findReleases(vanishing{t.Context(), filepath.Join(dir, gone)}, dir); err != nil || len(all) > 0 {
			t.Errorf("%s: %v, %v", gone, all, err)
		}
	}
	if _, err := findReleases(t.Context(), filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("there is no folder, and no error")
	}
}
