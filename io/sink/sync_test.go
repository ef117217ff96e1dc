package sink

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// synced runs f and returns the paths below root that f synced, in order. A path ends with <visible> if the release
// folder had its manifest at that moment.
func synced(t *testing.T, p place, f func()) (names []string) {
	t.Helper()
	before := syncFile
	t.Cleanup(func() { syncFile = before })
	syncFile = func(file *os.File) error {
		name, err := filepath.Rel(p.root, file.Name())
		must(t, err)
		if _, err := os.Lstat(filepath.Join(p.dir, manifestName)); err == nil {
			name += " <visible>"
		}
		names = append(names, filepath.ToSlash(name))
		return before(file)
	}
	f()
	syncFile = before
	return names
}

func sameSyncs(t *testing.T, step string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s synced\n  %s, want\n  %s", step, strings.Join(got, ", "), strings.Join(want, ", "))
	}
}

// Each file is synced after it is written, and each folder after one of its entries is added, removed or renamed.
// Without one of the syncs, a power failure may leave a release in the ledger that the disk does not have, or an
// incomplete staging folder that looks complete.
func TestEverythingIsSynced(t *testing.T) {
	p, s := newPlace(t), New()
	p.staging, p.dir = filepath.Join(p.root, "a", "b", ".staging-out"), filepath.Join(p.root, "a", "b", "out")
	r := releaseAs(t, []string{"csv", "json"}, twoQueries()...)

	sameSyncs(t, "prepare", synced(t, p, func() { must(t, s.Prepare(p.staging)) }), ".", "a", "a/b")

	var digest string
	got := synced(t, p, func() {
		var err error
		digest, err = s.Stage(t.Context(), p.staging, "note", r)
		must(t, err)
	})
	const staged = "a/b/.staging-out/release"
	sameSyncs(t, "stage", got, "a/b/.staging-out/note",
		staged+"/trips.csv", staged+"/trips.json", staged+"/total.csv", staged+"/total.json", staged+"/release.json", staged, "a/b/.staging-out")

	sameSyncs(t, "publish", synced(t, p, func() { must(t, s.Publish(t.Context(), p.staging, p.dir)) }), "a/b <visible>",
		"a/b <visible>")

	other := place{p.root, filepath.Join(p.root, "c", ".staging"), filepath.Join(p.root, "c", "out")}
	got = synced(t, other, func() { must(t, s.Copy(t.Context(), p.dir, other.dir)) })
	if len(got) > 2 {
		for i, name := range got { // the staging's name is a digest
			if before, after, ok := strings.Cut(name, ".staging-copy-"); ok {
				_, file, _ := strings.Cut(after, "/")
				got[i] = strings.TrimSuffix(before+"STAGING/"+file, "/")
			}
		}
	}
	sameSyncs(t, "copy", got, ".", "c", "c/STAGING/release/trips.csv", "c/STAGING/release/trips.json",
		"c/STAGING/release/total.csv",
		"c/STAGING/release/total.json", "c/STAGING/release/release.json", "c/STAGING/release", "c/STAGING", "c <visible>", "c <visible>")

	sameSyncs(t, "move aside", synced(t, p, func() {
		_, err := s.Retire(p.dir, digest)
		must(t, err)
	}), "a/b")
}

// After a failure or a discarded staging folder, the removal of files is durable.
func TestRemovalsAreSynced(t *testing.T) {
	p, s := newPlace(t), &Folder{formats: builtin()}
	s.formats["csv"] = brokenFormat{read1: errVerify}
	must(t, s.Prepare(p.staging))
	got := synced(t, p, func() {
		_, err := s.Stage(t.Context(), p.staging, "note", releaseAs(t, []string{"csv"}, result("q")))
		fails(t, err, CodeIO)
	})
	sameSyncs(t, "a failed stage", got, ".staging-out/note", ".staging-out/release/q.csv", ".staging-out")
	sameSyncs(t, "discard", synced(t, p, func() { must(t, s.Discard(p.staging)) }), ".")
	sameSyncs(t, "discard of nothing", synced(t, p, func() { must(t, s.Discard(p.staging)) }))
}

// A failed sync is an error.
func TestFailedSyncs(t *testing.T) {
	p := newPlace(t)
	must(t, New().Prepare(p.staging))
	before := syncFile
	t.Cleanup(func() { syncFile = before })
	calls := 0
	for at := 1; ; at++ {
		calls = 0
		syncFile = func(f *os.File) error {
			if calls++; calls == at {
				return errVerify
			}
			return before(f)
		}
		_, err := New().Stage(t.Context(), p.staging, "note", releaseAs(t, []string{"csv"}, result("q")))
		if calls < at {
			must(t, err)
			break
		}
		if err == nil {
			t.Errorf("sync %d failed, and the release is staged all the same", at)
			must(t, os.RemoveAll(p.staged()))
			must(t, os.Remove(filepath.Join(p.staging, noteName)))
		}
	}
	if want := 5; calls != want { // note, q.csv, release.json, the folder, the staging
		t.Errorf("%d syncs, want %d", calls, want)
	}
}

const errVerify = reason("made for a test")
