package sink

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/query"
)

// place is a new folder with the paths of a staging folder and of a release folder in it.
type place struct{ root, staging, dir string }

func newPlace(t testing.TB) place {
	t.Helper()
	root := t.TempDir()
	return place{root, filepath.Join(root, ".staging-out"), filepath.Join(root, "out")}
}

func (p place) staged() string { return filepath.Join(p.staging, "release") }

func twoQueries() []pipeline.Result {
	return []pipeline.Result{
		result("trips", stringKey("sex", "Male", "Female"), intKey("age_from", 0, 18, 65)),
		result("total"),
	}
}

// stage prepares and stages a release and returns the digest.
func stage(t testing.TB, p place, r *pipeline.Release) string {
	t.Helper()
	s := New()
	must(t, s.Prepare(p.staging))
	digest, err := s.Stage(t.Context(), p.staging, "fingerprint", r)
	must(t, err)
	return digest
}

// published publishes a release with two queries at p.dir and returns the digest.
func published(t testing.TB, p place) string {
	t.Helper()
	digest := stage(t, p, release(t, twoQueries()...))
	must(t, New().Publish(t.Context(), p.staging, p.dir))
	return digest
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fails checks the code of an error.
func fails(t testing.TB, err error, code Code) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("error %v, want one with code %s", err, code)
	}
}

func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	out := []string{}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// sameFolder checks that two folders have the same files with the same bytes.
func sameFolder(t testing.TB, a, b string) {
	t.Helper()
	if !slices.Equal(names(t, a), names(t, b)) {
		t.Fatalf("%q and %q", names(t, a), names(t, b))
	}
	for _, name := range names(t, a) {
		if !slices.Equal(read(t, a, name), read(t, b, name)) {
			t.Errorf("%s differs", name)
		}
	}
}

func read(t testing.TB, dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	must(t, err)
	return data
}

func write(t testing.TB, dir, name string, data []byte) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(dir, name), data, 0o644))
}

// remanifest rewrites the manifest of a folder.
func remanifest(t testing.TB, dir string, change func(*manifest.Manifest)) {
	t.Helper()
	var m manifest.Manifest
	must(t, json.Unmarshal(read(t, dir, manifestName), &m))
	change(&m)
	data, err := json.Marshal(m)
	must(t, err)
	write(t, dir, manifestName, data)
}

// watched returns a series that calls f when it is read.
func watched(s query.Series, f func()) query.Series {
	return func(start int, dst []float64) {
		f()
		s(start, dst)
	}
}
