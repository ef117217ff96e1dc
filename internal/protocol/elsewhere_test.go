package protocol_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/pipeline"
)

// A run that was interrupted in one folder and finished in another is found there afterwards.
func TestFinishedElsewhere(t *testing.T) {
	for _, at := range []string{"Stage", "Publish"} {
		t.Run(at, func(t *testing.T) {
			b := newBench(t)
			b.wrap = failing(at, errCut)
			if _, err := b.run(t.Context(), nil); !errors.Is(err, errCut) {
				t.Fatalf("error %v, want %v", err, errCut)
			}
			b.wrap = nil
			other := filepath.Join(b.dir, "elsewhere")
			first := b.must(func(r *protocol.Request) { r.Dir = other })
			if first.Dir != other {
				t.Errorf("folder %s", first.Dir)
			}
			o := b.must(nil)
			b.expect(o, protocol.StatusCopied, once)
			if o.Digest != first.Digest {
				t.Error("other bytes")
			}
		})
	}
}

// A sealed release whose staging folder is lost is an error, and --new-release makes a new one.
func TestLost(t *testing.T) {
	b := newBench(t)
	again := func(r *protocol.Request) { r.NewRelease = true }
	// lose makes a release with the given number, which is sealed, and deletes its staging folder.
	lose := func(step string, req func(*protocol.Request)) {
		t.Helper()
		b.wrap = failing(step, errCut)
		if _, err := b.run(t.Context(), req); !errors.Is(err, errCut) {
			t.Fatalf("error %v, want %v", err, errCut)
		}
		b.wrap = nil
		left, err := filepath.Glob(filepath.Join(b.dir, ".staging-*"))
		if err != nil || len(left) != 1 {
			t.Fatal(left, err)
		}
		if err := os.RemoveAll(left[0]); err != nil {
			t.Fatal(err)
		}
		_, err = b.run(t.Context(), nil)
		wantError(t, err, pipeline.CauseOutput, "lost")
	}
	lose("Publish", nil)
	o := b.must(again)
	b.expect(o, protocol.StatusReleased, "budget reserve seal reserve seal publish")
	b.needsExchange()
	lose("Exchange", again) // a renewal: the next one is another release, not the end of this one
	o = b.must(again)
	b.expect(o, protocol.StatusReleased, "budget reserve seal reserve seal publish reserve seal reserve seal publish")
}
