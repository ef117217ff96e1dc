package store_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/io/store/storetest"
)

func TestAddresses(t *testing.T) {
	for text, want := range map[string]store.Address{
		"s3://b/a/c.parquet":                  {Scheme: "s3", Bucket: "b", Key: "a/c.parquet"},
		"S3://b/a%20b ?.csv":                  {Scheme: "s3", Bucket: "b", Key: "a%20b ?.csv"},
		"s3://b/part-?.csv?endpoint=http://x": {Scheme: "s3", Bucket: "b", Key: "part-?.csv", Options: "endpoint=http://x"},
		"gs://b":                              {Scheme: "gs", Bucket: "b"},
		"https://Host:443/a/../b%20c.csv?x=1": {Scheme: "https", Bucket: "host", Key: "b%20c.csv", Options: "x=1"},
	} {
		if got, err := store.ParseAddress(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]error{
		"s3:///a": store.ErrAddress, "s3://b//a": store.ErrAddress, "s3://me:secret@b/a": store.ErrUserinfo, "https://me:secret@h/a.csv": store.ErrUserinfo,
		"http://h/a.csv": store.ErrPlain, "https://h/*.csv": store.ErrPattern, "https://h/a.csv#b": store.ErrAddress, "https://h/": store.ErrPattern, "https://%zz/": store.ErrAddress,
	} {
		if _, err := store.ParseAddress(text); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", text, err, want)
		}
	}
	for text, want := range map[string]string{"s3://b/a/c.csv?x=1": "c.csv", "https://h/a%20b.csv?sig=hush": "a b.csv",
		"http://h/a.csv?sig=hush": "a.csv", "dir/a.csv": "a.csv"} {
		if got := store.Base(text); got != want {
			t.Errorf("%s is called %s, want %s", text, got, want)
		}
	}
	for _, x := range []struct {
		pattern, address string
		want             bool
	}{
		{"s3://b/a/", "s3://b/a/b/c.csv?region=x", true}, {"s3://b/a/*.csv", "s3://b/a/c.csv", true}, {"s3://b/a/*.csv",
			"s3://b/a/b/c.csv", false},
		{"s3://b/a.csv?region=x", "s3://b/a.csv", true}, {"s3://b/a.csv", "s3://c/a.csv", false}, {"s3://b/a.csv",
			"gs://b/a.csv", false},
	} {
		if got := store.Covers(x.pattern, x.address); got != x.want {
			t.Errorf("%s covers %s: %t", x.pattern, x.address, got)
		}
	}
}

// A read continues where it was cut, and gives up only without progress. A refused request is not repeated.
func TestReadFull(t *testing.T) {
	m := storetest.New()
	m.Set("a", make([]byte, 100))
	o, err := m.Stat(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	m.Before = func(string, string, int64) (int, error) {
		calls++
		return 7, store.Failure(store.Unavailable, "")
	}
	if err := store.ReadFull(t.Context(), m, o, make([]byte, 21), 0); err != nil || calls != 3 {
		t.Errorf("%d requests, %v", calls, err)
	}
	calls = 0
	m.Before = func(string, string, int64) (int, error) {
		calls++
		return 0, store.Failure(store.Denied, "")
	}
	if err := store.ReadFull(t.Context(), m, o, make([]byte, 21), 0); store.KindOf(err) != store.Denied || calls != 1 {
		t.Errorf("%d requests, %v", calls, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	m.Before = func(string, string, int64) (int, error) {
		cancel()
		return 0, store.Failure(store.Unavailable, "")
	}
	if err := store.ReadFull(ctx, m, o, make([]byte, 21), 0); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Pieces are filled in order, each once, although requests are cut within them; the next piece is requested when the
// one before is full.
func TestReadPieces(t *testing.T) {
	m := storetest.New()
	content := make([]byte, 100)
	for i := range content {
		content[i] = byte(i)
	}
	m.Set("a", content)
	o, err := m.Stat(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	m.Before = func(string, string, int64) (int, error) {
		if calls++; calls < 4 {
			return 13, store.Failure(store.Unavailable, "")
		}
		return 0, nil
	}
	var got []byte
	var piece []byte
	if err := store.ReadPieces(t.Context(), m, o, 5, 90, func(left int64) []byte {
		got = append(got, piece...)
		if left != int64(90-len(got)) {
			t.Errorf("%d bytes are missing after %d of 90", left, len(got))
		}
		piece = make([]byte, min(left, 20))
		return piece
	}); err != nil || calls != 4 {
		t.Fatalf("%d requests, %v", calls, err)
	}
	if got = append(got, piece...); !bytes.Equal(got, content[5:95]) {
		t.Errorf("%v", got)
	}
}
