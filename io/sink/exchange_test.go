package sink

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// replacing returns a place with a published release and a newer one in its staging folder.
func replacing(t *testing.T) (p place, old, newer string) {
	t.Helper()
	p = newPlace(t)
	old = published(t, p)
	newer = stage(t, p, release(t, result("newer")))
	return p, old, newer
}

func exchanged(t *testing.T, p place, old string) {
	t.Helper()
	err := New().Exchange(t.Context(), p.staging, p.dir, old)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("the file system cannot let two folders change names in one step")
	}
	must(t, err)
}

func holds(t *testing.T, dir, digest string) {
	t.Helper()
	if got, err := New().Inspect(t.Context(), dir); got != digest || err != nil {
		t.Errorf("%s holds %s (%v), want %s", filepath.Base(dir), got, err, digest)
	}
}

func TestExchange(t *testing.T) {
	p, old, newer := replacing(t)
	exchanged(t, p, old)
	holds(t, p.dir, newer)
	moved, err := New().EndExchange(p.staging)
	must(t, err)
	holds(t, moved, old)
	if moved != p.dir+"."+old[:8] {
		t.Errorf("the old release is at %s", moved)
	}
	if left := names(t, p.root); len(left) != 2 {
		t.Errorf("left are %q", left)
	}
	moved, err = New().EndExchange(p.staging)
	if moved != "" || err != nil {
		t.Errorf("settled twice: %q %v", moved, err)
	}
}

// If the process ends after any of the syncs, the release folder holds one whole release. Discarding the staging folder
// then leaves the old one.
func TestExchangeIsCutShort(t *testing.T) {
	before := syncFile
	t.Cleanup(func() { syncFile = before })
	for at := 1; ; at++ {
		p, old, newer := replacing(t)
		calls := 0
		syncFile = func(f *os.File) error {
			if calls++; calls == at {
				return errVerify
			}
			return before(f)
		}
		err := New().Exchange(t.Context(), p.staging, p.dir, old)
		if errors.Is(err, errors.ErrUnsupported) {
			t.Skip("the file system cannot let two folders change names in one step")
		}
		if err == nil {
			_, err = New().EndExchange(p.staging)
		}
		syncFile = before
		now, inspected := New().Inspect(t.Context(), p.dir)
		if inspected != nil || now != old && now != newer {
			t.Fatalf("after sync %d: %s %v", at, now, inspected)
		}
		must(t, New().Discard(p.staging))
		if now == newer {
			holds(t, p.dir+"."+old[:8], old)
		}
		holds(t, p.dir, now)
		if calls < at {
			must(t, err)
			break
		}
	}
}

// If a staging folder's release was not exchanged, Discard removes it, and EndExchange leaves it unchanged.
func TestSettleWithoutExchange(t *testing.T) {
	p, old, newer := replacing(t)
	must(t, writeReplaces(p.staging, p.dir, old))
	moved, err := New().EndExchange(p.staging)
	if moved != "" || err != nil {
		t.Errorf("%q %v", moved, err)
	}
	if _, got, err := New().Staged(t.Context(), p.staging); got != newer || err != nil {
		t.Errorf("the staging holds %s, %v", got, err)
	}
	must(t, New().Discard(p.staging))
	holds(t, p.dir, old)
}

// A user who can write into a staging folder could have any folder renamed, so a staging folder that others can use is
// refused and left unchanged.
func TestSettleRefusesWhatOthersCanWrite(t *testing.T) {
	p, old, _ := replacing(t)
	exchanged(t, p, old)
	must(t, os.Chmod(p.staging, 0o777))
	_, err := New().EndExchange(p.staging)
	fails(t, err, CodeUnsafeStaging)
	fails(t, New().Discard(p.staging), CodeUnsafeStaging)
	must(t, os.Chmod(p.staging, 0o700))
	_, err = New().EndExchange(p.staging)
	must(t, err)
	holds(t, p.dir+"."+old[:8], old)
}

func TestExchangeOfNothing(t *testing.T) {
	p, old, _ := replacing(t)
	must(t, os.RemoveAll(p.dir))
	if err := New().Exchange(t.Context(), p.staging, p.dir, old); !errors.Is(err, fs.ErrNotExist) && err == nil {
		t.Error("there is nothing in whose place it could be put")
	}
}
