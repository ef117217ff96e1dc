package scan

import (
	"context"
	"io"
	"os"
)

// Extent is a part of a file.
type Extent struct{ At, Size int64 }

// Handle is a file that is open for reading.
type Handle interface {
	io.ReaderAt
	io.Closer
	// Expect says which parts will be read soon, each once and from its start to its end, so that they can be fetched
	// meanwhile. What else is read is fetched when it is asked for.
	Expect(parts ...Extent)
}

// Remote is one version of a file of a store. Its methods may be called concurrently.
type Remote interface {
	Size() int64
	// Version differs from that of every other contents of the same file.
	Version() string
	// Open returns a handle that reads until ctx ends.
	Open(ctx context.Context) Handle
	// Fetch starts to fetch parts of the file for the next handle that expects just these. It returns false, and does
	// nothing, if each open handle has something fetched ahead for it already.
	Fetch(parts ...Extent) bool
}

// Place is where a file is.
type Place struct {
	Path   string // of this machine
	Remote Remote // nil if the file is on this machine
}

// localFile is a file of this machine.
type localFile struct{ *os.File }

// Expect implements Handle.
func (f localFile) Expect(parts ...Extent) {
	for _, p := range parts {
		prefetch(f.File, p.At, p.Size)
	}
}
