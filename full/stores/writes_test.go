package stores_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/full/stores/storestest"
	"github.com/dprelease/dprelease/io/store"
)

// A write that must make a new object does not overwrite one, and a removed object is gone.
func TestS3Writes(t *testing.T) {
	storestest.Start(t)
	writes(t, "s3://bucket/p/a.csv")
}

func writes(t *testing.T, address string) {
	t.Helper()
	w, a := storestest.Writer(t, address)
	write := func(text string, over *store.Object) error {
		return w.Put(t.Context(), a.Key, "text/csv", strings.NewReader(text), int64(len(text)), over)
	}
	if err := write("one", store.NoObject); err != nil {
		t.Fatal(err)
	}
	first, err := w.Stat(t.Context(), a.Key)
	if err != nil {
		t.Fatal(err)
	}
	if err := write("two", store.NoObject); store.KindOf(err) != store.Exists {
		t.Errorf("written over: %v", err)
	}
	if err := errors.Join(write("four", &first), write("five", nil)); err != nil {
		t.Fatal(err)
	}
	if err := write("six", &first); store.KindOf(err) != store.Changed {
		t.Errorf("written over another version: %v", err)
	}
	if err := w.Delete(t.Context(), first); store.KindOf(err) != store.Changed {
		t.Errorf("another version was removed: %v", err)
	}
	if err := write("three", nil); err != nil {
		t.Fatal(err)
	}
	o, err := w.Stat(t.Context(), a.Key)
	p := make([]byte, 5)
	if err != nil || store.ReadFull(t.Context(), w, o, p, 0) != nil || string(p) != "three" {
		t.Errorf("%q, %v", p, err)
	}
	if err := errors.Join(w.Delete(t.Context(), o), w.Delete(t.Context(), o)); err != nil {
		t.Error(err)
	}
	if _, err := w.Stat(t.Context(), a.Key); store.KindOf(err) != store.NotFound {
		t.Error(err)
	}
}
