// Package store defines how files that are not on this machine are read and written: objects of S3, Google Cloud
// Storage and Azure, and files of web servers.
//
// A program links the stores that it needs, and registers each for a URL scheme. Package source reads through a Bucket,
// and release publish writes through a Writer. A store is trusted to keep its contents secret. The bytes that it sends
// are checked and hashed like those of a local file.
package store

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/dprelease/dprelease/internal/silence"
)

// Object is one version of an object.
type Object struct {
	Key  string
	Size int64 // size in bytes
	// Version identifies the contents: an ETag or a generation number. It differs if the contents differ, and is never "".
	Version string
}

// Bucket is a store whose objects can be read. Its methods make one attempt, may be called concurrently, and return an
// *Error or the context's error. Errors never contain texts from the store.
type Bucket interface {
	// Stat returns the newest version of an object.
	Stat(ctx context.Context, key string) (Object, error)
	// List yields the objects whose keys have a prefix, in any order.
	List(ctx context.Context, prefix string, yield func(Object) error) error
	// Read returns a reader of size bytes of this version of an object, from offset at on. The object must have at least
	// at + size bytes. Errors of the reader may be of any type. The error is of kind Changed if the store now has another
	// version.
	Read(ctx context.Context, o Object, at, size int64) (io.ReadCloser, error)
	// Close closes connections and frees memory.
	Close() error
}

// Writer is a store to which objects can be written.
type Writer interface {
	Bucket
	// Put writes an object. Others see the complete object or none of it. over is the object that Put may replace. If
	// over is nil, Put replaces any object. If it is NoObject, there must be none; otherwise the error is of kind
	// Exists. If it is a version, the store must have this version; otherwise the error is of kind Changed.
	Put(ctx context.Context, key, mediaType string, content io.ReadSeeker, size int64, over *Object) error
	// Delete removes a version of an object. It returns nil if the key has none. The error is of kind Changed if the
	// store now has another version.
	Delete(ctx context.Context, o Object) error
}

// NoObject is passed as over to a Put that must not replace an object.
var NoObject = &Object{}

// Kind classifies an error by what can be done about it.
type Kind uint8

// The kinds of errors.
const (
	Unavailable   Kind = iota // the store does not answer, or answers wrongly; another attempt may succeed
	NotFound                  // no such object, or no such bucket
	Denied                    // no credentials, or insufficient ones
	Changed                   // the object has another version now
	Exists                    // the object is there already
	Unsupported               // the store, or this program, cannot do this
	Misconfigured             // an option of the URL or of the environment is wrong
)

// Error is a failure of a store.
type Error struct {
	Kind Kind
	// Hint tells the user what to do; it may be empty.
	Hint string
}

// Error describes the kind of the error.
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

// Advice returns what to do about the error: its hint or, if it has none, what helps with all errors of its kind.
func (e *Error) Advice() string {
	switch {
	case e.Hint != "":
		return e.Hint
	case e.Kind == Unavailable:
		return "try again later"
	case e.Kind == Denied:
		return "check the credentials, and what they allow"
	}
	return ""
}

// Failure makes an Error.
func Failure(k Kind, hint string) error { return &Error{k, hint} }

// Unanswered returns the error for a request that got no answer. Its hint is the reason, if err tells one.
func Unanswered(err error) error {
	hint := silence.Reason(err)
	if hint != "" {
		hint += ": is the address right, and the endpoint?"
	}
	return Failure(Unavailable, hint)
}

// KindOf returns the kind of an error; Unavailable if err is not an *Error.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Unavailable
}

// Opener is a function that opens the bucket of an address. It need not make a request.
type Opener func(ctx context.Context, a Address) (Bucket, error)

var (
	mu      sync.RWMutex
	openers = map[string]Opener{}
)

// Register registers the opener for a scheme. It replaces an earlier one.
func Register(scheme string, open Opener) {
	mu.Lock()
	defer mu.Unlock()
	openers[scheme] = open
}

// Registered returns the schemes that this program can open, sorted.
func Registered() []string {
	mu.RLock()
	defer mu.RUnlock()
	return slices.Sorted(maps.Keys(openers))
}

// known has the schemes that some build of this program can open.
var known = []string{"az", "gs", "https", "s3"}

// Open opens the bucket of an address with the opener of the address's scheme.
func Open(ctx context.Context, a Address) (Bucket, error) {
	mu.RLock()
	open := openers[a.Scheme]
	mu.RUnlock()
	switch {
	case open != nil:
		return open(ctx, a)
	case slices.Contains(known, a.Scheme):
		return nil, Failure(Unsupported, "this program has no "+a.Scheme+"://: use release-full")
	}
	return nil, Failure(Unsupported, "stores are s3://, gs://, az:// and https://")
}
