package sink

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/query"
)

func TestStageWritesTheRelease(t *testing.T) {
	p := newPlace(t)
	digest := stage(t, p, release(t, twoQueries()...))
	want := []string{"release.json"}
	for _, query := range []string{"total", "trips"} {
		for _, format := range allFormats() {
			want = append(want, query+"."+format)
		}
	}
	if got := names(t, p.staged()); !slices.Equal(got, want) {
		t.Fatalf("files %q", got)
	}
	text := read(t, p.staged(), manifestName)
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != digest {
		t.Error("the digest is not the manifest's")
	}
	if !bytes.HasSuffix(text, []byte("}\n")) || !bytes.Contains(text, []byte("\n  \"name\": \"sample\"")) ||
		!bytes.Contains(text, []byte("<statement> & more")) {
		t.Errorf("the manifest's text:\n%s", text)
	}
	var m manifest.Manifest
	must(t, json.Unmarshal(text, &m))
	for i, rows := range []int{6, 1} {
		for j, ext := range allFormats() {
			f := m.Queries[i].Files[j]
			sum := sha256.Sum256(read(t, p.staged(), f.Path))
			if f.Path != m.Queries[i].Name+"."+ext || f.Rows != rows || f.SHA256 != hex.EncodeToString(sum[:]) {
				t.Errorf("manifest entry %+v", f)
			}
		}
	}
	if note, again, err := New().Staged(t.Context(), p.staging); note != "fingerprint" || again != digest || err != nil {
		t.Errorf("staged: %q %s %v", note, again, err)
	}
}

func TestSameReleaseSameBytes(t *testing.T) {
	owntest.Slow(t)
	all := append(samples(true), result("groups", stringKey("place", numbered(blockRows+1)...)))
	first := newPlace(t)
	stage(t, first, release(t, all...))
	var wg sync.WaitGroup
	for range 2 {
		p := newPlace(t)
		wg.Go(func() {
			s := New()
			if err := s.Prepare(p.staging); err != nil {
				t.Error(err)
				return
			}
			if _, err := s.Stage(t.Context(), p.staging, "fingerprint", release(t, all...)); err != nil {
				t.Error(err)
				return
			}
			sameFolder(t, first.staged(), p.staged())
		})
	}
	wg.Wait()
}

// No other user can read a staging folder. Published files have ordinary modes, according to the umask.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	p := newPlace(t)
	stage(t, p, release(t, twoQueries()...))
	reference := filepath.Join(p.root, "reference")
	must(t, os.Mkdir(reference, 0o755))
	write(t, reference, "file", nil)
	for path, want := range map[string]fs.FileMode{
		p.staging: 0o700, filepath.Join(p.staging, noteName): 0o600,
		p.staged(): mode(t, reference), filepath.Join(p.staged(), manifestName): mode(t, filepath.Join(reference, "file")),
		filepath.Join(p.staged(), "trips.parquet"): mode(t, filepath.Join(reference, "file")),
	} {
		if got := mode(t, path); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
	must(t, os.Chmod(p.staging, 0o755))
	must(t, os.RemoveAll(p.staged()))
	_, err := New().Stage(t.Context(), p.staging, "x", release(t, twoQueries()...))
	fails(t, err, CodeUnsafeStaging)
}

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	return info.Mode().Perm()
}

// The manifest is written after every table is written and checked, so a killed process leaves an incomplete folder.
func TestManifestComesLast(t *testing.T) {
	p, calls := newPlace(t), 0
	r := twoQueries()
	for i := range r {
		r[i].Answer.High = watched(r[i].Answer.High, func() {
			calls++
			if _, err := os.Lstat(filepath.Join(p.staged(), manifestName)); !errors.Is(err, fs.ErrNotExist) {
				t.Error("the manifest is there before the tables are complete")
			}
			if _, _, err := New().Staged(t.Context(), p.staging); !errors.Is(err, pipeline.ErrIncomplete) &&
				!errors.Is(err, pipeline.ErrNoRelease) {
				t.Errorf("staged: %v", err)
			}
		})
	}
	stage(t, p, release(t, r...))
	if calls != 2*2*len(allFormats()) { // two queries, written and read back
		t.Errorf("the answers were read %d times", calls)
	}
}

// brokenFormat fails in one of the ways in which a disk or a library fails.
type brokenFormat struct {
	CSVFormat
	write1, read1 error
	throw         bool
}

func (f brokenFormat) Write(ctx context.Context, w io.Writer, t *table) (int, error) {
	n, err := f.CSVFormat.Write(ctx, w, t)
	if f.throw {
		panic("a library quotes a secret value")
	}
	return n, errors.Join(err, f.write1)
}

func (f brokenFormat) Read(context.Context, io.ReaderAt, int64, tableReceiver) error { return f.read1 }

// Any failure leaves the staging folder empty, and an error without the library's text.
func TestFailureLeavesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		format brokenFormat
		code   Code
	}{
		"disk full": {brokenFormat{write1: fmt.Errorf("flushing a secret value: %w",
			&os.PathError{Op: "write", Path: "a secret value", Err: syscall.ENOSPC})}, CodeDiskFull},
		"library":        {brokenFormat{write1: errors.New("a secret value is bad")}, CodeIO},
		"panic":          {brokenFormat{throw: true}, CodeIO},
		"read back":      {brokenFormat{read1: mismatch("column noisy")}, CodeMismatch},
		"read back fail": {brokenFormat{read1: errors.New("a secret value")}, CodeIO},
	} {
		t.Run(name, func(t *testing.T) {
			p, s := newPlace(t), &Folder{formats: builtin()}
			s.formats["csv"] = c.format
			must(t, s.Prepare(p.staging))
			_, err := s.Stage(t.Context(), p.staging, "note", release(t, twoQueries()...))
			fails(t, err, c.code)
			if strings.Contains(err.Error(), "a secret value") || !strings.Contains(err.Error(), "trips.csv") {
				t.Error(err)
			}
			if left := names(t, p.staging); len(left) != 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

func TestCancelledStage(t *testing.T) {
	p := newPlace(t)
	ctx, cancel := context.WithCancel(t.Context())
	r := result("q", stringKey("k", numbered(2*chunkCells)...))
	r.Answer.Noisy = watched(r.Answer.Noisy, cancel)
	must(t, New().Prepare(p.staging))
	_, err := New().Stage(ctx, p.staging, "note", release(t, r))
	fails(t, err, CodeCancelled)
	if !errors.Is(err, context.Canceled) || len(names(t, p.staging)) != 0 {
		t.Errorf("%v; left behind: %q", err, names(t, p.staging))
	}
}

// A release that cannot be written is refused before any file is written.
func TestRefusedReleases(t *testing.T) {
	clash := result("q", stringKey("noisy", "a"))
	twice := result("q", stringKey("k", "a"), stringKey("k", "b"))
	unlabelled, mixed, missing := result("q", stringKey("k", "a")), result("q", stringKey("k", "a")), result("q")
	unlabelled.Answer.Keys[0].Labels.Strings = nil
	mixed.Answer.Keys[0].Labels.Ints = []int64{1}
	missing.Answer.Sigma = nil
	extra := func(name string, values query.Series, keys ...domain.KeyColumn) *pipeline.Release {
		r := result("q", keys...)
		r.Answer.Extra = []query.Extra{{Name: "more", Values: series(1)}, {Name: name, Values: values}}
		return release(t, r)
	}
	for name, r := range map[string]*pipeline.Release{
		"format":       releaseAs(t, []string{"parquet", "xls"}, result("q")),
		"format twice": releaseAs(t, []string{"csv", "csv"}, result("q")),
		"query twice":  release(t, result("q"), result("q")),
		"column clash": release(t, clash), "column twice": release(t, twice), "no labels": release(t, unlabelled),
		"unnamed": release(t, result("q", intKey("", 1))), "two kinds": release(t, mixed), "no sigma": release(t, missing),
		"no name": release(t, result("")), "path": release(t, result("../q")), "folder": release(t,
			result("a/b")), "drive": release(t, result("c:q")),
		"manifest":    releaseAs(t, []string{"json"}, result("release")),
		"extra clash": extra("standard_deviation", series(1)), "extra twice": extra("more",
			series(1)), "extra key": extra("k", series(1), stringKey("k", "a")),
		"extra unnamed": extra("", series(1)), "extra empty": extra("x", nil),
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			must(t, New().Prepare(p.staging))
			_, err := New().Stage(t.Context(), p.staging, "note", r)
			fails(t, err, CodeFormat)
			if len(names(t, p.staging)) != 0 {
				t.Error("something was written")
			}
		})
	}
}

func TestRefusedNotesAndManifests(t *testing.T) {
	p := newPlace(t)
	must(t, New().Prepare(p.staging))
	for _, note := range []string{"two\nlines", strings.Repeat("x", maxNote)} {
		_, err := New().Stage(t.Context(), p.staging, note, release(t, result("q")))
		fails(t, err, CodeFormat)
	}
	bad := release(t, result("q"))
	m := bad.Manifest(nil)
	m.Privacy.Mu = math.NaN()
	_, err := New().Stage(t.Context(), p.staging, "note", remade(t, m, result("q")))
	fails(t, err, CodeIO)
	if len(names(t, p.staging)) != 0 {
		t.Error("something was left")
	}
	m.Privacy.Mu = 1
	m.Queries = append(m.Queries, manifest.Query{Name: "without a file"})
	_, err = New().Stage(t.Context(), p.staging, "note", remade(t, m, result("q")))
	if !errors.Is(err, pipeline.ErrIncomplete) || len(names(t, p.staging)) != 0 {
		t.Errorf("a release that can't be inspected was staged: %v", err)
	}
}

func TestPrepare(t *testing.T) {
	p, s := newPlace(t), New()
	deep := filepath.Join(p.root, "a", "b", ".staging-x")
	must(t, s.Prepare(deep))
	fails(t, s.Prepare(deep), CodeExists)
	write(t, p.root, "file", nil)
	fails(t, s.Prepare(filepath.Join(p.root, "file", "b", ".staging-x")), CodeNotFolder)
	fails(t, s.Prepare(filepath.Join(p.root, "file", ".staging-x")), CodeNotFolder)
	_, err := s.Stage(t.Context(), filepath.Join(p.root, "nowhere"), "note", release(t, result("q")))
	fails(t, err, CodeMissing)
	digest, err := s.Stage(t.Context(), deep, "note", release(t, result("q")))
	must(t, err)
	_, err = s.Stage(t.Context(), deep, "note", release(t, result("q")))
	fails(t, err, CodeExists)
	if _, again, err := s.Staged(t.Context(), deep); again != digest || err != nil {
		t.Errorf("the second try spoiled the first: %v", err)
	}
}

func TestDiscard(t *testing.T) {
	p, s := newPlace(t), New()
	stage(t, p, release(t, result("q")))
	must(t, s.Discard(p.staging))
	if left := names(t, p.root); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
	must(t, s.Discard(p.staging))
	must(t, s.Discard(filepath.Join(p.root, "no", "such", "folder")))
}
