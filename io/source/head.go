package source

import (
	"context"
	"io"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/remote"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/store"
)

// OpenAddress opens the object at a URL, or the first one that matches a pattern, and reads it from its first byte. The
// first request asks for likely bytes; the rest is fetched while the object is read. It returns the errors of Open.
func OpenAddress(ctx context.Context, address string, likely int64) (io.ReadCloser, error) {
	s := newStores(1)
	o, err := s.openFirst(ctx, address, likely)
	if err != nil {
		s.close()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fault.From(err).InFile(store.Base(address))
	}
	return o, nil
}

func (s *stores) openFirst(ctx context.Context, address string, likely int64) (*object, error) {
	a, err := store.ParseAddress(address)
	if err != nil {
		return nil, addressFault(err)
	}
	bucket, objects, err := s.list(ctx, a)
	if err != nil {
		return nil, remote.Fault(err)
	}
	file := s.pool.File(bucket, objects[0])
	handle := file.Open(ctx)
	handle.Expect(scan.Extent{Size: min(likely, file.Size())})
	return &object{io.NewSectionReader(handle, 0, file.Size()), handle, s}, nil
}

// object is a reader of an object, from its first byte on.
type object struct {
	*io.SectionReader
	handle scan.Handle
	stores *stores
}

func (o *object) Close() error {
	err := o.handle.Close()
	o.stores.close()
	return err
}
