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
	// Expect announces parts that will be read soon, each once and from its start to its end, so that they can be
	// fetched meanwhile. Other parts are fetched when they are read.
	Expect(parts ...Extent)
}

// Remote is one version of a file of a store. Its methods may be called concurrently.
type Remote interface {
	Size() int64
	// Version identifies the contents: it differs if the bytes differ.
	Version() string
	// Open returns a handle that reads until ctx ends.
	Open(ctx context.Context) Handle
	// Fetch starts to fetch parts of the file for the next handle that expects exactly these. It returns false and does
	// nothing if parts are already waiting for each open handle.
	Fetch(parts ...Extent) bool
}

// Place is the place of a file: Path or Remote is set.
type Place struct {
	Path   string // on this machine
	Remote Remote // in a store; nil if the file is on this machine
	Whole  bool   // refuse a file that does not state its end, since its writer may have been stopped
}

// localFile is a file of this machine.
type localFile struct{ *os.File }

// Expect implements Handle.
func (f localFile) Expect(parts ...Extent) {
	for _, p := range parts {
		prefetch(f.File, p.At, p.Size)
	}
}
