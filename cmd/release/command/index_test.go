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

// An index is made beside folders that the user may not read: one that cannot be listed, one that can be listed but not
// entered, and one with a manifest of another user.
func TestIndexBesideUnreadableFolders(t *testing.T) {
	for name, lock := range map[string]func(dir string) error{
		"lost+found": func(dir string) error { return os.Chmod(dir, 0) },
		"listed":     func(dir string) error { return os.Chmod(dir, 0o400) },
		"manifest":   func(dir string) error { return os.Chmod(filepath.Join(dir, "release.json"), 0) },
	} {
		dir := t.TempDir()
		locked := filepath.Join(dir, name)
		if err := os.Mkdir(locked, 0o700); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(locked, "release.json"), "{}")
		if err := lock(locked); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(locked, 0o700) }) // so that the test's folder can be removed
		if _, err := os.ReadFile(filepath.Join(locked, "release.json")); err == nil {
			t.Skip("this user may read every file")
		}
		all, unread, err := findReleases(t.Context(), dir)
		if err != nil || len(all) > 0 || !slices.Equal(unread, []string{locked}) {
			t.Errorf("%s: %v, %v, %v", name, all, unread, err)
		}
	}
}
