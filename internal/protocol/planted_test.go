package protocol_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/io/sink"
)

// cut runs until a step fails, and returns the staging folder that remains.
func (b *bench) cut(at string) (staging string) {
	b.Helper()
	b.wrap = failing(at, errCut)
	if _, err := b.run(b.Context(), nil); !errors.Is(err, errCut) {
		b.Fatal(err)
	}
	b.wrap = nil
	left, err := filepath.Glob(filepath.Join(b.dir, ".staging-*"))
	if err != nil || len(left) > 1 {
		b.Fatal(left, err)
	}
	for _, dir := range left {
		return dir
	}
	return ""
}

// staged runs until the release is complete in staging, and not sealed.
func (b *bench) staged() string {
	b.Helper()
	whole := b.store
	b.store = &stoppedStore{whole, 1} // the charge passes
	b.fails(nil)
	b.store = whole
	left, err := filepath.Glob(filepath.Join(b.dir, ".staging-*"))
	if err != nil || len(left) != 1 {
		b.Fatal(left, err)
	}
	return left[0]
}

// stoppedStore accepts a limited number of transactions.
type stoppedStore struct {
	ledger.Store
	left int
}

func (s *stoppedStore) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	if s.left--; s.left < 0 {
		return errCut
	}
	return s.Store.Update(ctx, fn)
}

// A complete staging folder that no run of this ledger made is never sealed: neither one of another ledger, nor one of
// an earlier version.
func TestPlantedStagingIsNotSealed(t *testing.T) {
	other := newBench(t)
	planted := other.cut("Publish") // sealed in its own ledger
	_, genuine, err := sink.New().Staged(t.Context(), planted)
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(staging string) error{
		"of another ledger": func(string) error { return nil },
		"without a MAC":     func(staging string) error { return os.Remove(filepath.Join(staging, "mac")) },
		"an empty MAC": func(staging string) error {
			return os.WriteFile(filepath.Join(staging, "mac"), nil,
				0o600)
		},
		"a folder": func(staging string) error {
			_ = os.Remove(filepath.Join(staging, "mac"))
			return os.Mkdir(filepath.Join(staging, "mac"), 0o700)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			staging := b.cut("Stage") // the staging folder of a run that died with its charge
			if filepath.Base(staging) != filepath.Base(planted) || os.RemoveAll(staging) != nil {
				t.Fatal(staging)
			}
			if err := os.CopyFS(staging, os.DirFS(planted)); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(os.Chmod(staging, 0o700), spoil(staging)); err != nil {
				t.Fatal(err)
			}
			o := b.must(nil)
			if o.Digest == genuine {
				t.Error("the planted release was published")
			}
			if !o.Discarded {
				t.Error("nothing says that a staging was deleted")
			}
			b.expect(o, protocol.StatusReleased, once)
		})
	}
}

// A staging folder that a run of this ledger made is sealed unchanged, and nothing is deleted.
func TestOwnStagingIsSealed(t *testing.T) {
	b := newBench(t)
	staging := b.staged()
	_, digest, err := sink.New().Staged(t.Context(), staging)
	if err != nil {
		t.Fatal(err)
	}
	o := b.must(nil)
	b.expect(o, protocol.StatusFinished, once)
	if o.Digest != digest || o.Discarded {
		t.Errorf("other bytes than those staged, or deleted: %+v", o)
	}
}

// A staging folder that others can read stops the run with an error.
func TestOpenStagingIsRefused(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, staging string){
		"mode": func(t *testing.T, staging string) {
			if err := os.Chmod(staging, 0o755); err != nil {
				t.Fatal(err)
			}
		},
		"link": func(t *testing.T, staging string) {
			if err := errors.Join(os.Rename(staging, staging+"-x"), os.Symlink(staging+"-x", staging)); err != nil {
				t.Fatal(err)
			}
		},
		"owner": func(t *testing.T, staging string) {
			if os.Geteuid() != 0 {
				t.Skip("only root gives files away")
			}
			if err := os.Chown(staging, 12345, -1); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			staging := b.staged()
			spoil(t, staging)
			spent := b.spent()
			_, err := b.run(t.Context(), nil)
			var e *sink.Error
			if !errors.As(err, &e) || e.Code != sink.CodeUnsafeStaging {
				t.Errorf("error %v", err)
			}
			if now := b.spent(); now != spent {
				t.Errorf("ledger %q, before %q", now, spent)
			}
			if _, err := os.Lstat(staging); err != nil {
				t.Error("the folder was removed", err)
			}
		})
	}
}
