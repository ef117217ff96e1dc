package verb

import (
	"bytes"
	"context"
	"io"
	"math"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/io/store/storetest"
)

// promising is a store that announces a wrong length, unless that is 0.
type promising struct {
	*storetest.Memory
	size int64
}

// Stat implements store.Bucket.
func (p promising) Stat(ctx context.Context, key string) (store.Object, error) {
	o, err := p.Memory.Stat(ctx, key)
	if p.size != 0 {
		o.Size = p.size
	}
	return o, err
}

// Read implements store.Bucket: the real object is shorter than announced.
func (p promising) Read(ctx context.Context, o store.Object, at, size int64) (r io.ReadCloser, err error) {
	if p.size != 0 {
		return nil, store.Failure(store.Changed, "")
	}
	return p.Memory.Read(ctx, o, at, size)
}

// A result is read to its end, in pieces. A store that announces a wrong length does not make the reader allocate
// memory for it.
func TestResultsOfStores(t *testing.T) {
	m := storetest.New()
	content := bytes.Repeat([]byte("0123456789"), pieceBytes/4)
	m.Set("p/a.part", content)
	for _, size := range []int64{0, -1, math.MaxInt64} {
		store.Register("s3", func(context.Context, store.Address) (store.Bucket, error) { return promising{m, size}, nil })
		got, err := filesystem.Read(t.Context(), inStore{}, "s3://b/p/a.part")
		if (err == nil) != (size == 0) || err == nil && !bytes.Equal(got, content) {
			t.Errorf("length %d: %d bytes, %v", size, len(got), err)
		}
	}
}
