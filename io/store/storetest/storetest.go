// Package storetest has a store in memory for tests. It can count, refuse and damage requests.
package storetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dprelease/dprelease/io/store"
)

// Memory is a store with one bucket, in memory.
type Memory struct {
	mu      sync.Mutex
	objects map[string][]byte
	// Reads counts the answered requests for contents, and Bytes the bytes that they sent.
	Reads, Bytes atomic.Int64
	// Before, if not nil, is called before each request. If it returns an error, the request fails with this error. A read
	// that fails with an error of kind Unavailable first sends the given number of bytes (cut).
	Before func(request, key string, at int64) (cut int, err error)
	// After, if not nil, is called after each write or deletion. If it returns an error, the request fails with this error
	// although it was executed.
	After func(request, key string) error
	types map[string]string
}

// New returns an empty bucket.
func New() *Memory { return &Memory{objects: map[string][]byte{}, types: map[string]string{}} }

// Set stores an object.
func (m *Memory) Set(key string, content []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.objects[key] = bytes.Clone(content)
}

// Keys returns the contents of all objects, by key.
func (m *Memory) Keys() map[string][]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[string][]byte{}
	for k, b := range m.objects {
		out[k] = bytes.Clone(b)
	}
	return out
}

// MediaType returns the media type with which an object was written.
func (m *Memory) MediaType(key string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.types[key]
}

func (m *Memory) callAfter(request, key string) error {
	if m.After == nil {
		return nil
	}
	return m.After(request, key)
}

// Opener returns a store.Opener that returns this bucket for any address.
func (m *Memory) Opener(context.Context, store.Address) (store.Bucket, error) { return m, nil }

func (m *Memory) before(request, key string, at int64) (int, error) {
	if m.Before == nil {
		return 0, nil
	}
	return m.Before(request, key, at)
}

func (m *Memory) object(key string) (store.Object, []byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.objects[key]
	if !ok {
		return store.Object{}, nil, store.Failure(store.NotFound, "")
	}
	return store.Object{Key: key, Size: int64(len(b)), Version: version(b)}, b, nil
}

func version(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Stat returns the size and the version of an object.
func (m *Memory) Stat(_ context.Context, key string) (store.Object, error) {
	if _, err := m.before("stat", key, 0); err != nil {
		return store.Object{}, err
	}
	o, _, err := m.object(key)
	return o, err
}

// List yields the objects whose keys have a prefix.
func (m *Memory) List(_ context.Context, prefix string, yield func(store.Object) error) error {
	if _, err := m.before("list", prefix, 0); err != nil {
		return err
	}
	for key := range m.Keys() {
		if strings.HasPrefix(key, prefix) {
			o, _, err := m.object(key)
			if err == nil {
				err = yield(o)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Read opens size bytes of an object from offset at on. An error that Before returns cuts the bytes short, or fails at
// once.
func (m *Memory) Read(ctx context.Context, o store.Object, at, size int64) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	cut, fault := m.before("read", o.Key, at)
	now, b, err := m.object(o.Key)
	switch {
	case err != nil:
		return nil, err
	case now.Version != o.Version:
		return nil, store.Failure(store.Changed, "")
	case fault != nil && (cut == 0 || store.KindOf(fault) != store.Unavailable):
		return nil, fault
	case fault != nil:
		size = min(size, int64(cut))
	default:
		m.Reads.Add(1)
	}
	m.Bytes.Add(size)
	return io.NopCloser(bytes.NewReader(b[at : at+size])), nil
}

// Put writes an object.
func (m *Memory) Put(_ context.Context, key, mediaType string, content io.ReadSeeker, _ int64,
	over *store.Object) error {
	if _, err := m.before("put", key, 0); err != nil {
		return err
	}
	b, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	if err := m.put(key, mediaType, b, over); err != nil {
		return err
	}
	return m.callAfter("put", key)
}

func (m *Memory) put(key, mediaType string, b []byte, over *store.Object) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	now, there := m.objects[key]
	switch {
	case over == nil:
	case there && over.Version == "":
		return store.Failure(store.Exists, "")
	case over.Version != "" && (!there || version(now) != over.Version):
		return store.Failure(store.Changed, "")
	}
	m.objects[key], m.types[key] = b, mediaType
	return nil
}

// Delete removes a version of an object.
func (m *Memory) Delete(_ context.Context, o store.Object) error {
	if _, err := m.before("delete", o.Key, 0); err != nil {
		return err
	}
	if err := m.delete(o); err != nil {
		return err
	}
	return m.callAfter("delete", o.Key)
}

func (m *Memory) delete(o store.Object) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now, there := m.objects[o.Key]; there && version(now) != o.Version {
		return store.Failure(store.Changed, "")
	}
	delete(m.objects, o.Key)
	return nil
}

// Close does nothing.
func (m *Memory) Close() error { return nil }

// ReadAt reads bytes of an object into p, from offset at on, with one request. It returns their number.
func ReadAt(ctx context.Context, b store.Bucket, o store.Object, p []byte, at int64) (int, error) {
	r, err := b.Read(ctx, o, at, int64(len(p)))
	if err != nil {
		return 0, err
	}
	defer r.Close()
	return io.ReadFull(r, p)
}
