package sink

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// broken checks that a folder is refused as a release, with a reason.
func broken(t testing.TB, dir, reason string) {
	t.Helper()
	_, err := New().Inspect(t.Context(), dir)
	fails(t, err, CodeIncomplete)
	if !errors.Is(err, pipeline.ErrIncomplete) || !strings.Contains(err.Error(), reason) ||
		!strings.Contains(err.Error(), dir) {
		t.Errorf("%v; want the reason %q", err, reason)
	}
}

func TestInspectFindsTheRelease(t *testing.T) {
	p := newPlace(t)
	digest := published(t, p)
	got, err := New().Inspect(t.Context(), p.dir)
	if got != digest || err != nil {
		t.Errorf("%s %v, want %s", got, err, digest)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = New().Inspect(ctx, p.dir)
	fails(t, err, CodeCancelled)
}

func TestNoRelease(t *testing.T) {
	p := newPlace(t)
	must(t, os.Chmod(p.root, 0o700))
	for _, dir := range []string{p.root, p.dir, filepath.Join(p.dir, "deeper")} {
		if _, err := New().Inspect(t.Context(), dir); !errors.Is(err, pipeline.ErrNoRelease) {
			t.Errorf("%s: %v", dir, err)
		}
		if _, _, err := New().Staged(t.Context(), dir); !errors.Is(err, pipeline.ErrNoRelease) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	must(t, New().Prepare(p.staging))
	if _, _, err := New().Staged(t.Context(), p.staging); !errors.Is(err, pipeline.ErrNoRelease) {
		t.Errorf("error %v, want %v", err, pipeline.ErrNoRelease)
	}
	write(t, p.root, "file", nil)
	broken(t, filepath.Join(p.root, "file"), "a file, not a release folder")
	_, err := Examine(t.Context(), filepath.Join(p.root, "file"))
	fails(t, err, CodeIncomplete)
	_, err = New().Inspect(t.Context(), filepath.Join(p.root, "file", "out"))
	fails(t, err, CodeNotFolder)
}

// Inspect finds any byte that is changed, cut off or added in any file, and names the table.
func TestInspectFindsEveryChange(t *testing.T) {
	p := newPlace(t)
	digest := published(t, p)
	files := names(t, p.dir)
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(files).Draw(rt, "file")
		good := read(t, p.dir, name)
		bad := damaged(rt, good)
		write(t, p.dir, name, bad)
		got, err := New().Inspect(t.Context(), p.dir)
		write(t, p.dir, name, good)
		switch {
		case name == manifestName && err == nil && got != digest: // a new manifest, whose digest differs
		case name == manifestName && errors.Is(err, pipeline.ErrIncomplete):
		case errors.Is(err, pipeline.ErrIncomplete) && strings.Contains(err.Error(), name+" has been changed"):
		default:
			rt.Fatalf("%s was changed: %v", name, err)
		}
	})
}

func damaged(t *rapid.T, good []byte) []byte {
	at := rapid.IntRange(0, len(good)-1).Draw(t, "at")
	switch rapid.SampledFrom([]string{"flip", "cut", "grow"}).Draw(t, "damage") {
	case "flip":
		bad := bytes.Clone(good)
		bad[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "flip"))
		return bad
	case "cut":
		return good[:at]
	default:
		return append(bytes.Clone(good), 'x')
	}
}

func TestInspectFindsExtraAndMissingFiles(t *testing.T) {
	p := newPlace(t)
	digest := published(t, p)
	write(t, p.dir, "notes.txt", []byte("mine"))
	broken(t, p.dir, "notes.txt does not belong")
	must(t, os.Remove(filepath.Join(p.dir, "notes.txt")))
	must(t, os.Mkdir(filepath.Join(p.dir, "sub"), 0o755))
	broken(t, p.dir, "sub does not belong")
	must(t, os.Remove(filepath.Join(p.dir, "sub")))
	for _, name := range names(t, p.dir) {
		data := read(t, p.dir, name)
		must(t, os.Remove(filepath.Join(p.dir, name)))
		broken(t, p.dir, name+" is missing")
		must(t, os.Mkdir(filepath.Join(p.dir, name), 0o755))
		broken(t, p.dir, name+" is not a regular file")
		must(t, os.Remove(filepath.Join(p.dir, name)))
		write(t, p.dir, name, data)
	}
	if got, err := New().Inspect(t.Context(), p.dir); got != digest || err != nil {
		t.Errorf("%s %v after everything was put back", got, err)
	}
}

// A link is never followed.
func TestInspectRefusesLinks(t *testing.T) {
	p := newPlace(t)
	published(t, p)
	for _, name := range names(t, p.dir) {
		outside := filepath.Join(p.root, name)
		must(t, os.Rename(filepath.Join(p.dir, name), outside))
		if err := os.Symlink(outside, filepath.Join(p.dir, name)); err != nil {
			t.Skip("no links here")
		}
		broken(t, p.dir, name+" is not a regular file")
		must(t, os.Remove(filepath.Join(p.dir, name)))
		must(t, os.Rename(outside, filepath.Join(p.dir, name)))
	}
}

func TestInspectRefusesManifests(t *testing.T) {
	for name, change := range map[string]func(*manifest.Manifest){
		"outside":   func(m *manifest.Manifest) { m.Queries[0].Files[0].Path = "../secret" },
		"absolute":  func(m *manifest.Manifest) { m.Queries[0].Files[0].Path = "/etc/passwd" },
		"nested":    func(m *manifest.Manifest) { m.Queries[0].Files[0].Path = "a/b" },
		"itself":    func(m *manifest.Manifest) { m.Queries[0].Files[0].Path = manifestName },
		"twice":     func(m *manifest.Manifest) { m.Queries[0].Files[1] = m.Queries[0].Files[0] },
		"no path":   func(m *manifest.Manifest) { m.Queries[0].Files[0].Path = "" },
		"no files":  func(m *manifest.Manifest) { m.Queries[0].Files = nil },
		"no digest": func(m *manifest.Manifest) { m.Queries[0].Files[0].SHA256 = "" },
		"format":    func(m *manifest.Manifest) { m.Format = "dprelease/2" },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			published(t, p)
			remanifest(t, p.dir, change)
			broken(t, p.dir, "")
		})
	}
}

func TestInspectRefusesManifestTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	p := newPlace(t)
	published(t, p)
	good := string(read(t, p.dir, manifestName))
	for name, text := range map[string]string{
		"empty": "", "not JSON": "hello", "two": good + good, "unknown key": strings.Replace(good, `"name"`,
			`"rows_of_the_input": 7, "name"`, 1),
		"too large": good + strings.Repeat(" ", maxManifest),
	} {
		t.Run(name, func(t *testing.T) {
			write(t, p.dir, manifestName, []byte(text))
			broken(t, p.dir, manifestName)
		})
	}
}

func TestStagedNeedsTheWholeNote(t *testing.T) {
	p := newPlace(t)
	stage(t, p, release(t, result("q")))
	for name, text := range map[string]string{"cut": "finger", "empty": "", "too large": strings.Repeat("x", maxNote) +
		"\n"} {
		write(t, p.staging, noteName, []byte(text))
		if _, _, err := New().Staged(t.Context(), p.staging); !errors.Is(err, pipeline.ErrIncomplete) {
			t.Errorf("%s: %v", name, err)
		}
	}
	must(t, os.Remove(filepath.Join(p.staging, noteName)))
	if _, _, err := New().Staged(t.Context(), p.staging); !errors.Is(err, pipeline.ErrIncomplete) {
		t.Errorf("error %v, want %v", err, pipeline.ErrIncomplete)
	}
}
