package scan

import (
	"context"
	"io"
	"os"
)

// Extent is a range of bytes in a file: Size bytes from offset At on.
type Extent struct{ At, Size int64 }

// Handle is a file that is open for reading.
type Handle interface {
	io.ReaderAt
	io.Closer
	// Expect announces parts that will be read soon, each once and from its start to its end, so that they can be fetched
	// before. Other parts are fetched when they are read.
	Expect(parts ...Extent)
}

// Remote is one version of a file in a store. Its methods may be called concurrently.
type Remote interface {
	Size() int64
	// Version identifies the contents: if bytes differ, so does Version.
	Version() string
	// Open returns a handle that reads until ctx ends.
	Open(ctx context.Context) Handle
	// Fetch starts to fetch parts of the file, for the next handle that expects exactly these parts. It does nothing
	// and returns false if enough parts are being fetched already.
	Fetch(parts ...Extent) bool
}

// Place is where a file is: Path or Remote is set.
type Place struct {
	Path   string      // the path of a file on this machine
	Remote Remote      // a file in a store; nil for a file on this machine
	Whole  bool        // refuse formats without a mark at the end of a file, since the writer may have been stopped
	Packed Compression // how the bytes are compressed; the name's ending decides
	MAC    BlockMAC    // the hash for the file's blocks
}

// localFile is a Handle of a file on this machine.
type localFile struct{ *os.File }

func (f localFile) Expect(parts ...Extent) {
	for _, p := range parts {
		prefetch(f.File, p.At, p.Size)
	}
}
