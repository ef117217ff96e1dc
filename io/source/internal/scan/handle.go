package scan

import (
	"context"
	"io"
	"io/fs"
	"os"

	"github.com/dprelease/dprelease/io/source/fault"
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

// Origin is a file, and its size when it was opened.
type Origin struct {
	Place
	Size int64
	info fs.FileInfo // nil for a file of a store
}

// Length returns the size of the file in bytes when it was opened.
func (o *Origin) Length() int64 { return o.Size }

// Open opens the file for the first time, and records its size and identity for Reopen.
func (o *Origin) Open(ctx context.Context) (Handle, error) {
	if o.Remote != nil {
		o.Size = o.Remote.Size()
		return o.Remote.Open(ctx), nil
	}
	f, err := os.Open(o.Path)
	if err != nil {
		return nil, fault.NotOpened(err)
	}
	if o.info, err = f.Stat(); err != nil {
		_ = f.Close()
		return nil, fault.NotOpened(err)
	}
	o.Size = o.info.Size()
	return localFile{f}, nil
}

// Reopen opens the file again. It returns an error if this is not the file that Open opened: its size differs or, if
// only its identity or its time of change differ, same returns false. same is not called otherwise, since it may read a
// long footer. A store sends bytes of the version that was opened, or none.
func (o *Origin) Reopen(ctx context.Context, same func(Handle) bool) (Handle, error) {
	if o.Remote != nil {
		return o.Remote.Open(ctx), nil
	}
	f, err := os.Open(o.Path)
	if err != nil {
		return nil, fault.NotOpened(err)
	}
	info, err := f.Stat()
	if err == nil && info.Size() == o.Size {
		if os.SameFile(info, o.info) && info.ModTime().Equal(o.info.ModTime()) || same(localFile{f}) {
			return localFile{f}, nil
		}
	}
	_ = f.Close()
	return nil, fault.Changed()
}

// localFile is a Handle of a file on this machine.
type localFile struct{ *os.File }

func (f localFile) Expect(parts ...Extent) {
	for _, p := range parts {
		prefetch(f.File, p.At, p.Size)
	}
}
