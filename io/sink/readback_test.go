package sink

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/domain"
)

// published1 writes a result as the only table of a folder. It returns the query as a manifest states it.
func published1(t *testing.T, f format, r pipeline.Result) (dir string, q *manifest.Query) {
	t.Helper()
	dir, data := t.TempDir(), written(t, f, r)
	write(t, dir, "q"+f.Extension(), data)
	sum := sha256.Sum256(data)
	rows := len(expected(r).columns[len(expected(r).columns)-1].([]float64))
	return dir, &manifest.Query{Name: r.Name, Files: []manifest.File{{Path: "q" + f.Extension(),
		SHA256: hex.EncodeToString(sum[:]), Rows: rows}}}
}

// Every format returns the written noisy values, the columns after the interval and the keys, bit by bit.
func TestReadBack(t *testing.T) {
	for _, r := range samples(true) {
		for name, f := range builtin() {
			if name == "json" && r.Name == "extremes" {
				continue // JSON has no infinity, and no noisy value is one
			}
			dir, q := published1(t, f, r)
			g := expected(r)
			keys := len(r.Answer.Keys)
			for _, selected := range []bool{false, true} {
				if q.Selection = nil; selected {
					q.Selection = &manifest.Selection{}
				}
				c, err := new(Folder).Columns(t.Context(), dir, q)
				if selected && name == "csv" {
					if err == nil {
						t.Errorf("%s: selected keys are read from CSV", r.Name)
					}
					continue
				}
				if err != nil {
					t.Fatalf("%s as %s: %v", r.Name, name, err)
				}
				if q.Files[0].Rows == 0 {
					continue
				}
				sameValues(t, r.Name+" as "+name, c.Noisy, g.columns[keys].([]float64))
				for i := range r.Answer.Extra {
					sameValues(t, r.Name+" as "+name, c.Extra[i], g.columns[keys+5+i].([]float64))
				}
				if len(c.Extra) != len(r.Answer.Extra) || selected && len(c.Keys) != keys || !selected && c.Keys != nil {
					t.Errorf("%s as %s: %d further columns, %d of keys", r.Name, name, len(c.Extra), len(c.Keys))
				}
				for i := range c.Keys {
					infinite := "+Inf"
					if name == "json" {
						infinite = "null" // JSON has no infinite edge
					}
					if want := keyTexts(g.columns[i], infinite); !slices.Equal(c.Keys[i], want) {
						t.Errorf("%s as %s: other keys in column %d", r.Name, name, i)
					}
				}
			}
		}
	}
}

func sameValues(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(a, b float64) bool { return sameBits(a, b) || math.IsNaN(a) && math.IsNaN(b) }) {
		t.Errorf("%s: %d values differ from %d that were written", what, len(got), len(want))
	}
}

func keyTexts(column any, infinite string) (out []string) {
	switch c := column.(type) {
	case []string:
		return c
	case []int64:
		for _, x := range c {
			out = append(out, strconv.FormatInt(x, 10))
		}
	case []float64:
		for _, x := range c {
			if text := domain.FloatText(x); math.IsInf(x, 1) {
				out = append(out, infinite)
			} else {
				out = append(out, text)
			}
		}
	}
	return out
}

// A file that differs from the manifest is not read, whatever its content. Neither is a file with a wrong number of
// rows or without a noisy column.
func TestReadBackOfChangedFiles(t *testing.T) {
	r := result("scalar")
	for _, f := range builtin() {
		dir, q := published1(t, f, r)
		path := filepath.Join(dir, q.Files[0].Path)
		data, err := os.ReadFile(path)
		must(t, err)
		must(t, os.WriteFile(path, append(data, '\n'), 0o600))
		if _, err := new(Folder).Columns(t.Context(), dir, q); !errors.Is(err, pipeline.ErrIncomplete) {
			t.Errorf("%s: %v", q.Files[0].Path, err)
		}
		must(t, os.Remove(path))
		if _, err := new(Folder).Columns(t.Context(), dir, q); !errors.Is(err, pipeline.ErrIncomplete) {
			t.Errorf("%s: %v", q.Files[0].Path, err)
		}
		must(t, os.WriteFile(path, data, 0o600))
		q.Files[0].Rows++
		_, err = new(Folder).Columns(t.Context(), dir, q)
		fails(t, err, CodeMismatch)
	}
	for name, text := range map[string]string{
		"q.csv":  "estimate,sigma\n1,2\n",
		"r.csv":  "noisy,estimate,sigma,ci95_low,ci95_high\n1,2,3,4\n",
		"s.csv":  "noisy,estimate,sigma,ci95_low,ci95_high\nx,2,3,4,5\n",
		"q.json": "[\n{\"noisy\":1,\"estimate\":{},\"sigma\":1}\n]\n",
		"r.json": "[\n{\"noisy\":1,\"estimate\":1},\n{\"estimate\":1,\"noisy\":1}\n]\n",
		"s.json": "[]\n",
	} {
		dir := t.TempDir()
		write(t, dir, name, []byte(text))
		sum := sha256.Sum256([]byte(text))
		q := &manifest.Query{Files: []manifest.File{{Path: name, SHA256: hex.EncodeToString(sum[:]), Rows: 1}}}
		if got, err := new(Folder).Columns(t.Context(), dir, q); err == nil {
			t.Errorf("%s is read as %v", name, got)
		}
		if got, err := ReadTable(t.Context(), dir, q, ""); err == nil {
			t.Errorf("%s is read as %v", name, got)
		}
	}
}

// Find looks in the folder of the publication and in the folder to which Retire moves it.
func TestFind(t *testing.T) {
	p := newPlace(t)
	digest := published(t, p)
	sink := New()
	find := func(want string) {
		t.Helper()
		if got, err := sink.Find(t.Context(), p.dir, digest); err != nil || got != want {
			t.Errorf("found at %q, want %q (%v)", got, want, err)
		}
	}
	find(p.dir)
	must(t, os.Mkdir(p.dir+"."+digest[:shortDigest], 0o755))
	moved, err := sink.Retire(p.dir, digest)
	must(t, err)
	find(moved)
	write(t, moved, "more", nil)
	if _, err := sink.Find(t.Context(), p.dir, digest); !errors.Is(err, pipeline.ErrNoRelease) {
		t.Error(err)
	}
	must(t, os.Rename(moved, p.dir))
	if _, err := sink.Find(t.Context(), p.dir, digest); !errors.Is(err, pipeline.ErrIncomplete) {
		t.Error(err)
	}
}
