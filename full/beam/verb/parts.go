package verb

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/dprelease/dprelease/io/store"
)

// Results in object stores
//
// Beam's SDK has its own file systems for folders and gs://. For s3:// and az://, this file registers file systems that
// use the same store packages as inputs. So they use the same credentials, and their errors show no text of the store.

func init() {
	for _, scheme := range []string{"s3", "az"} {
		filesystem.Register(scheme, func(context.Context) filesystem.Interface { return inStore{} })
	}
}

var errParts = errors.New("--parts: write a folder, or gs://, s3:// or az:// with bucket/prefix, without options and " +
	"credentials: these come from the environment of each worker")

// checkParts checks the folder of --parts. It refuses the URL of a store that has options, since the URL becomes part
// of the pipeline, and a store that Beam does not know.
func checkParts(parts string) error {
	a, err := store.ParseAddress(parts)
	if err != nil || a.Options != "" {
		return errParts
	}
	if _, err := filesystem.New(context.Background(), parts); err != nil {
		return errParts
	}
	return nil
}

// inStore is Beam's file system over the objects of a store.
type inStore struct{}

// Close does nothing.
func (inStore) Close() error { return nil }

// withBucket opens the bucket of the object name, and calls do with the bucket and the object's key. It repeats failed
// calls as store.Retry does. size is the approximate number of bytes that a call transfers.
func withBucket(ctx context.Context, name string, size int64,
	do func(context.Context, store.Writer, string) error) error {
	a, err := store.ParseAddress(name)
	if err != nil {
		return err
	}
	b, err := store.Open(ctx, a)
	if err != nil {
		return err
	}
	defer b.Close()
	w, ok := b.(store.Writer)
	if !ok {
		return store.Failure(store.Unsupported, "")
	}
	return store.Retry(ctx, size, func(ctx context.Context) error { return do(ctx, w, a.Key) })
}

// List returns the URLs of the objects that match a pattern.
func (inStore) List(ctx context.Context, glob string) (names []string, err error) {
	pattern, err := store.ParseAddress(glob)
	if err != nil {
		return nil, err
	}
	prefix, _ := pattern.Pattern()
	err = withBucket(ctx, glob, 0, func(ctx context.Context, b store.Writer, _ string) error {
		names = nil
		return b.List(ctx, prefix, func(o store.Object) error {
			if at := pattern.At(o.Key); store.Covers(glob, at.String()) {
				names = append(names, at.String())
			}
			return nil
		})
	})
	return names, err
}

// OpenRead reads a whole object at once. It allocates memory for the bytes that arrive, not for the length that the
// store announces.
func (s inStore) OpenRead(ctx context.Context, name string) (io.ReadCloser, error) {
	size, err := s.Size(ctx, name)
	if err != nil {
		return nil, err
	}
	var pieces []io.Reader
	err = withBucket(ctx, name, size, func(ctx context.Context, b store.Writer, key string) error {
		o, err := b.Stat(ctx, key)
		if err != nil {
			return err
		}
		if o.Size != size || size < 0 {
			return store.Failure(store.Changed, "")
		}
		pieces = nil
		return store.ReadPieces(ctx, b, o, 0, size, func(left int64) []byte {
			piece := make([]byte, min(left, pieceBytes))
			pieces = append(pieces, bytes.NewReader(piece))
			return piece
		})
	})
	if err != nil {
		return nil, err
	}
	return io.NopCloser(io.MultiReader(pieces...)), nil
}

// pieceBytes is the number of bytes of a result that are read at once.
const pieceBytes = 4 << 20

// OpenWrite returns a writer of an object. The object appears, complete, when the writer is closed.
func (inStore) OpenWrite(ctx context.Context, name string) (io.WriteCloser, error) {
	return &objectWriter{ctx: ctx, name: name}, nil
}

// objectWriter writes an object when it is closed.
type objectWriter struct {
	bytes.Buffer
	ctx  context.Context
	name string
}

// Close writes the object.
func (w *objectWriter) Close() error {
	size := int64(w.Len())
	return withBucket(w.ctx, w.name, size, func(ctx context.Context, b store.Writer, key string) error {
		return b.Put(ctx, key, "application/octet-stream", bytes.NewReader(w.Bytes()), size, nil)
	})
}

// Size returns the size of an object in bytes.
func (inStore) Size(ctx context.Context, name string) (size int64, err error) {
	err = withBucket(ctx, name, 0, func(ctx context.Context, b store.Writer, key string) error {
		o, err := b.Stat(ctx, key)
		size = o.Size
		return err
	})
	return size, err
}

// Remove removes an object.
func (inStore) Remove(ctx context.Context, name string) error {
	return withBucket(ctx, name, 0, func(ctx context.Context, b store.Writer, key string) error {
		o, err := b.Stat(ctx, key)
		if err != nil {
			return err
		}
		return b.Delete(ctx, o)
	})
}
