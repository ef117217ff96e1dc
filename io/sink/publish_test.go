package sink

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/pipeline"
)

func TestPublish(t *testing.T) {
	for name, prepare := range map[string]func(p *place) error{
		"absent":  func(*place) error { return nil },
		"empty":   func(p *place) error { return os.Mkdir(p.dir, 0o755) },
		"no path": func(p *place) error { p.dir = filepath.Join(p.root, "a", "b", "out"); return nil },
		"slash":   func(p *place) error { p.dir += string(filepath.Separator); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			must(t, prepare(&p))
			digest := published(t, p)
			if got, err := New().Inspect(t.Context(), p.dir); got != digest || err != nil {
				t.Errorf("%s %v", got, err)
			}
			if _, err := os.Lstat(p.staging); err == nil || slices.Contains(names(t, p.dir), noteName) {
				t.Error("the staging folder or the note is still there")
			}
		})
	}
}

// Publish does not change a folder that is not empty, nor the staging folder.
func TestPublishReplacesNothing(t *testing.T) {
	for name, occupy := range map[string]func(t *testing.T, p place){
		"folder": func(t *testing.T, p place) {
			must(t, os.Mkdir(p.dir, 0o755))
			write(t, p.dir, "mine", []byte("keep"))
		},
		"file":          func(t *testing.T, p place) { write(t, p.root, "out", []byte("keep")) },
		"link":          func(t *testing.T, p place) { must(t, os.Symlink(t.TempDir(), p.dir)) },
		"dangling link": func(t *testing.T, p place) { must(t, os.Symlink(filepath.Join(p.root, "nowhere"), p.dir)) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			occupy(t, p)
			before, err := os.Lstat(p.dir)
			must(t, err)
			digest := stage(t, p, release(t, twoQueries()...))
			fails(t, New().Publish(t.Context(), p.staging, p.dir), CodeExists)
			if after, err := os.Lstat(p.dir); err != nil || !os.SameFile(before, after) {
				t.Error("the occupant was replaced")
			}
			if _, got, err := New().Staged(t.Context(), p.staging); got != digest || err != nil {
				t.Errorf("staged: %s %v", got, err)
			}
		})
	}
}

// A crash after the rename leaves a staging folder without a release, and the error reports this.
func TestCrashAfterTheRename(t *testing.T) {
	p, s := newPlace(t), New()
	digest := stage(t, p, release(t, twoQueries()...))
	must(t, os.Rename(p.staged(), p.dir))
	if _, _, err := s.Staged(t.Context(), p.staging); !errors.Is(err, pipeline.ErrNoRelease) {
		t.Errorf("error %v, want %v", err, pipeline.ErrNoRelease)
	}
	if got, err := s.Inspect(t.Context(), p.dir); got != digest || err != nil {
		t.Errorf("%s %v", got, err)
	}
	must(t, s.Discard(p.staging))
}

func TestPublishFailures(t *testing.T) {
	p, s := newPlace(t), New()
	fails(t, s.Publish(t.Context(), p.staging, p.dir), CodeMissing)
	stage(t, p, release(t, result("q")))
	write(t, p.root, "file", nil)
	fails(t, s.Publish(t.Context(), p.staging, filepath.Join(p.root, "file", "out")), CodeNotFolder)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	fails(t, s.Publish(ctx, p.staging, p.dir), CodeCancelled)
	must(t, s.Publish(t.Context(), p.staging, p.dir))
	fails(t, s.Publish(t.Context(), p.staging, p.dir), CodeMissing)
}

// The rename refuses an existing name, also if it has to check before.
func TestRenameNew(t *testing.T) {
	for name, rename := range map[string]func(from, to string) error{"one step": renameNew, "two steps": renameChecked} {
		p := newPlace(t)
		from, full, file := filepath.Join(p.root, "from"), filepath.Join(p.root, "full"), filepath.Join(p.root, "file")
		must(t, os.Mkdir(from, 0o755))
		must(t, os.Mkdir(full, 0o755))
		write(t, full, "x", nil)
		write(t, p.root, "file", nil)
		for _, to := range []string{full, file} {
			if err := rename(from, to); !errors.Is(err, os.ErrExist) {
				t.Errorf("%s: %v", name, err)
			}
		}
		must(t, rename(from, p.dir))
	}
}

func TestRetire(t *testing.T) {
	p, s := newPlace(t), New()
	digest := published(t, p)
	want := []string{p.dir + "." + digest[:8], p.dir + "." + digest[:8] + "-2", p.dir + "." + digest[:8] + "-3"}
	for _, path := range want {
		moved, err := s.Retire(p.dir, digest)
		if moved != path || err != nil {
			t.Fatalf("moved to %s, %v; want %s", moved, err, path)
		}
		if got, err := s.Inspect(t.Context(), moved); got != digest || err != nil {
			t.Errorf("%s %v", got, err)
		}
		must(t, s.Copy(t.Context(), moved, p.dir))
	}
	_, err := s.Retire(filepath.Join(p.root, "nowhere"), digest)
	fails(t, err, CodeMissing)
	for _, bad := range []string{"", "abc", "../../../../etc"} {
		_, err := s.Retire(p.dir, bad)
		fails(t, err, CodeFormat)
	}
}

func TestCopy(t *testing.T) {
	p, s := newPlace(t), New()
	digest := published(t, p)
	to := filepath.Join(p.root, "deep", "copy")
	must(t, s.Copy(t.Context(), p.dir, to))
	sameFolder(t, p.dir, to)
	if got, err := s.Inspect(t.Context(), to); got != digest || err != nil {
		t.Errorf("%s %v", got, err)
	}
	if left := names(t, filepath.Dir(to)); len(left) != 1 {
		t.Errorf("beside the copy: %q", left)
	}
}

func TestCopyFailures(t *testing.T) {
	p, s := newPlace(t), New()
	to := filepath.Join(p.root, "copy")
	if err := s.Copy(t.Context(), p.dir, to); !errors.Is(err, pipeline.ErrNoRelease) {
		t.Errorf("error %v, want %v", err, pipeline.ErrNoRelease)
	}
	digest := published(t, p)
	fails(t, s.Copy(t.Context(), p.dir, p.dir), CodeExists)
	must(t, os.Mkdir(copyStaging(to, digest), 0o700)) // left by a copy that was killed
	write(t, copyStaging(to, digest), "half", nil)
	must(t, s.Copy(t.Context(), p.dir, to))
	write(t, p.dir, "trips.csv", []byte("changed"))
	if err := s.Copy(t.Context(), p.dir, filepath.Join(p.root, "other")); !errors.Is(err, pipeline.ErrIncomplete) {
		t.Errorf("error %v, want %v", err, pipeline.ErrIncomplete)
	}
	for _, name := range names(t, p.root) {
		if strings.HasPrefix(name, ".") || name == "other" {
			t.Errorf("left behind: %s", name)
		}
	}
}
