// Package store is the door to files that are not on this machine: objects of S3, Google Cloud Storage and Azure, and
// files of web servers.
//
// A program links the stores that it wants and registers them by the schemes of their addresses. Package source reads
// through a Bucket, and release publish writes through a Writer. Both check what they get: a store is trusted with the
// secrecy of what it holds, and its answers are hashed like a local file's bytes.
package store

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
)

// Object is one version of an object.
type Object struct {
	Key  string
	Size int64 // in bytes
	// Version differs from that of every other contents of the same key: an ETag or a generation. It is never empty.
	Version string
}

// Bucket is a store whose objects can be read. Its methods make one attempt, may be called concurrently and return an
// *Error or that of the context. They keep no text of the store's.
type Bucket interface {
	// Stat returns the newest version of an object.
	Stat(ctx context.Context, key string) (Object, error)
	// List yields the objects whose keys have a prefix, in any order.
	List(ctx context.Context, prefix string, yield func(Object) error) error
	// Read returns a reader of size bytes of this version of an object, which has them all, from the byte at on. Errors of
	// the reader may be of any type. The error is of kind Changed if the store has another version now.
	Read(ctx context.Context, o Object, at, size int64) (io.ReadCloser, error)
	// Close frees connections.
	Close() error
}

// Writer is a store to which objects can be written.
type Writer interface {
	Bucket
	// Put writes an object, which others see whole or not at all. over is what it replaces: nil if that may be anything;
	// Nothing if the key must have no object, else the error is of kind Exists; or a version, and the error is of kind
	// Changed if the store has another one now.
	Put(ctx context.Context, key, mediaType string, content io.ReadSeeker, size int64, over *Object) error
	// Delete removes a version of an object; nil if the key has none. The error is of kind Changed if the store has
	// another version now.
	Delete(ctx context.Context, o Object) error
}

// Nothing is what an object replaces that must be the first of its key.
var Nothing = &Object{}

// Kind is what can be done about an error.
type Kind uint8

// The kinds of errors.
const (
	Unavailable   Kind = iota // the store does not answer, or not as it should; another attempt may succeed
	NotFound                  // no such object, or no such bucket
	Denied                    // no credentials, or they do not suffice
	Changed                   // the object has another version now
	Exists                    // the object is there already
	Unsupported               // the store, or this program, cannot do it
	Misconfigured             // an option of the address or of the environment is wrong
)

// Error is what went wrong with a store.
type Error struct {
	Kind Kind
	// Hint is what the user can do; may be empty.
	Hint string
}

// Error says what Kind means.
func (e *Error) Error() string {
	switch e.Kind {
	case NotFound:
		return "there is no such object"
	case Denied:
		return "the store refuses access"
	case Changed:
		return "the object was changed"
	case Exists:
		return "the object exists already"
	case Unsupported:
		return "this is not supported"
	case Misconfigured:
		return "the store is not configured well"
	}
	return "the store does not answer as it should"
}

// Failure makes an Error.
func Failure(k Kind, hint string) error { return &Error{k, hint} }

// KindOf returns the kind of an error, Unavailable if it has none.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Unavailable
}

// Opener opens the bucket of an address; no request needs to be made.
type Opener func(ctx context.Context, a Address) (Bucket, error)

var (
	mu      sync.RWMutex
	openers = map[string]Opener{}
)

// Register makes a scheme known. The last registration of a scheme counts.
func Register(scheme string, open Opener) {
	mu.Lock()
	defer mu.Unlock()
	openers[scheme] = open
}

// Known are the schemes that some build of this program has.
var Known = []string{"az", "gs", "https", "s3"}

// Open opens the bucket of an address.
func Open(ctx context.Context, a Address) (Bucket, error) {
	mu.RLock()
	open := openers[a.Scheme]
	mu.RUnlock()
	switch {
	case open != nil:
		return open(ctx, a)
	case slices.Contains(Known, a.Scheme):
		return nil, Failure(Unsupported, "this program has no "+a.Scheme+"://: use release-stores, the build with object "+
			"stores")
	}
	return nil, Failure(Unsupported, "stores are s3://, gs://, az:// and https://")
}
