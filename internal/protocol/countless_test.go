package protocol_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dprelease/dprelease/internal/protocol"
)

// No published byte shows whether, or how often, a run failed before.
func TestManifestCountsNoOperations(t *testing.T) {
	plain := newBench(t)
	plain.must(nil)
	want := manifestWithoutNoise(t, filepath.Join(plain.dir, "out"))
	for name, before := range map[string]func(b *bench){
		"failed before the noise": func(b *bench) {
			b.engine.fail = errCut
			b.fails(nil)
			b.fails(nil)
			b.engine.fail = nil
		},
		"another question failed after its noise": func(b *bench) {
			b.wrap = failing("Stage", errCut)
			b.fails(func(r *protocol.Request) { r.Plan = b.plan(strings.Replace(job, "weight: 3", "weight: 2", 1)) })
			b.wrap = nil
		},
		"its own release was lost": func(b *bench) {
			b.wrap = failing("Publish", errCut)
			b.fails(nil)
			b.wrap = nil
			left, err := filepath.Glob(filepath.Join(b.dir, ".staging-*"))
			if err != nil || len(left) != 1 || os.RemoveAll(left[0]) != nil {
				b.Fatal(left, err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			before(b)
			b.must(func(r *protocol.Request) { r.NewRelease = true })
			if diff := cmp.Diff(want, manifestWithoutNoise(t, filepath.Join(b.dir, "out"))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func (b *bench) fails(edit func(*protocol.Request)) {
	b.Helper()
	if _, err := b.run(b.Context(), edit); !errors.Is(err, errCut) {
		b.Fatal(err)
	}
}

// manifestWithoutNoise returns a manifest as JSON values without its random parts: digests of noisy tables, keyed
// digests, errors estimated from noise.
func manifestWithoutNoise(t *testing.T, dir string) any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "release.json"))
	if err != nil {
		t.Fatal(err)
	}
	var m any
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	random := map[string]bool{"sha256": true, "head": true, "mac": true, "expected_error": true}
	var hide func(any)
	hide = func(x any) {
		switch x := x.(type) {
		case map[string]any:
			for k, v := range x {
				if random[k] {
					x[k] = "random"
				}
				hide(v)
			}
		case []any:
			for _, v := range x {
				hide(v)
			}
		}
	}
	hide(m)
	return m
}
