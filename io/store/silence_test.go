package store_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dprelease/dprelease/io/store"
)

// silent is a bucket whose answers stop after some bytes, until the request is cancelled.
type silent struct {
	store.Bucket
	bytes int // the size of the first answer
	drip  int // the size of each later answer
	reads int
}

func (s *silent) Read(ctx context.Context, _ store.Object, _, _ int64) (io.ReadCloser, error) {
	first := bytes.NewReader(make([]byte, s.bytes))
	s.reads, s.bytes = s.reads+1, s.drip
	return io.NopCloser(io.MultiReader(first, waiting{ctx})), nil
}

type waiting struct{ ctx context.Context }

func (w waiting) Read([]byte) (int, error) {
	<-w.ctx.Done()
	return 0, w.ctx.Err()
}

// A read from a store that stops sending bytes fails within the time that docs/howto/object-stores.md states, however
// large the object is. The test uses its own clock.
func TestSilentStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size = 1 << 30
		b := &silent{bytes: 3}
		before := time.Now()
		err := store.ReadPieces(t.Context(), b, store.Object{}, 0, size, func(int64) []byte { return make([]byte, 1<<10) })
		var failed *store.Error
		if !errors.As(err, &failed) || failed.Kind != store.Unavailable {
			t.Error(err)
		}
		if took := time.Since(before); took > 4*time.Minute || b.reads != 7 {
			t.Errorf("%d attempts in %v", b.reads, took)
		}
	})
}

// dripping is a bucket whose answers are a byte every second, until the request is cancelled.
type dripping struct{ store.Bucket }

func (dripping) Read(ctx context.Context, _ store.Object, _, _ int64) (io.ReadCloser, error) {
	return io.NopCloser(drops{ctx}), nil
}

type drops struct{ ctx context.Context }

func (d drops) Read(b []byte) (int, error) {
	select {
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	case <-time.After(time.Second):
		return copy(b, "x"), nil
	}
}

// A read from a store that never stops to send, but hardly sends anything, fails within the same time.
func TestSlowStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := time.Now()
		err := store.ReadPieces(t.Context(), dripping{}, store.Object{}, 0, 1<<30, func(int64) []byte { return make([]byte, 8) })
		var failed *store.Error
		if took := time.Since(before); !errors.As(err, &failed) || failed.Kind != store.Unavailable || took > 4*time.Minute {
			t.Errorf("%v after %v", err, took)
		}
	})
}

// A read from a store that gives a byte at each attempt and stalls fails as soon as from one that gives nothing. A read
// from a store that gives 64 KiB at each attempt succeeds.
func TestDrippingStore(t *testing.T) {
	for drip, reads := range map[int]int{1: 7, 64 << 10: 16} {
		synctest.Test(t, func(t *testing.T) {
			b := &silent{bytes: drip, drip: drip}
			err := store.ReadFull(t.Context(), b, store.Object{}, make([]byte, 1<<20), 0)
			if b.reads != reads || (err == nil) != (drip > 1) {
				t.Errorf("%d bytes at each attempt: %d attempts, %v", drip, b.reads, err)
			}
		})
	}
}

// listing is a bucket that lists objects, one every so often, and does not come to an end.
type listing struct {
	store.Bucket
	every time.Duration
}

func (l listing) List(ctx context.Context, _ string, yield func(store.Object) error) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(l.every):
			if err := yield(store.Object{Key: "a"}); err != nil {
				return err
			}
		}
	}
}

// A listing of a store that does not answer, or hardly does, fails within the same time.
func TestSilentListing(t *testing.T) {
	for _, every := range []time.Duration{time.Second, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			before := time.Now()
			_, err := store.List(t.Context(), listing{every: every}, "", func(store.Object) bool { return true })
			var failed *store.Error
			if took := time.Since(before); !errors.As(err, &failed) || failed.Kind != store.Unavailable || took > 4*time.Minute {
				t.Errorf("%v after %v", err, took)
			}
		})
	}
}
