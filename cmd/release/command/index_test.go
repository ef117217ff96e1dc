package command

import (
	"context"
	"os"
	"path/filepath"
	"slices"
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
		if all, _, err := findReleases(vanishing{t.Context(), filepath.Join(dir, gone)}, dir); err != nil || len(all) > 0 {
			t.Errorf("%s: %v, %v", gone, all, err)
		}
	}
	if _, _, err := findReleases(t.Context(), filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("there is no folder, and no error")
	}
}

// An index is made beside folders that the user may not read.
func TestIndexBesideUnreadableFolders(t *testing.T) {
	dir := t.TempDir()
	locked := filepath.Join(dir, "lost+found")
	if err := os.Mkdir(locked, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadDir(locked); err == nil {
		t.Skip("this user may read every folder")
	}
	if all, unread, err := findReleases(t.Context(), dir); err != nil || len(all) > 0 || !slices.Equal(unread, []string{locked}) {
		t.Errorf("%v, %v, %v", all, unread, err)
	}
}
