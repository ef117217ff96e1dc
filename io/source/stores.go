package source

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/remote"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/store"
)

// stores holds the object stores of a dataset, and the copy of standard input.
type stores struct {
	pool    *remote.Pool
	stdin   *spool // nil if standard input was not read
	failed  error  // the error of reading stdin: from the scratch file or the context
	mu      sync.Mutex
	buckets map[store.Address]store.Bucket // open buckets, by address without key
	seen    map[store.Address]bool         // the objects found so far
}

func newStores(workers int) *stores {
	return &stores{pool: remote.NewPool(workers), buckets: map[store.Address]store.Bucket{},
		seen: map[store.Address]bool{}}
}

// haveFiles reports whether the dataset has files in stores.
func (s *stores) haveFiles() bool { return len(s.seen) > 0 }

func (s *stores) close() {
	s.pool.Close()
	s.pool.Forget()
	if s.stdin != nil {
		_ = s.stdin.file.Close() // closing deletes the copy, which is no longer needed
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.buckets {
		_ = b.Close()
	}
	clear(s.buckets)
}

// bucket returns the bucket of an address. It opens each bucket only once.
func (s *stores) bucket(ctx context.Context, a store.Address) (store.Bucket, error) {
	a.Key = ""
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.buckets[a]; b != nil {
		return b, nil
	}
	b, err := store.Open(ctx, a)
	if err == nil {
		s.buckets[a] = b
	}
	return b, err
}

// find lists the objects at a URL or a pattern of URLs, in the order of their keys, and all problems. No message shows
// a URL's options.
func (s *stores) find(ctx context.Context, format, text string) ([]found, fault.Errors) {
	a, err := store.ParseAddress(text)
	if err != nil {
		return nil, fault.Errors{addressFault(err).InFile(store.Base(text))}
	}
	bucket, objects, err := s.list(ctx, a)
	if err != nil {
		return nil, fault.Errors{fault.From(remote.Fault(err)).InFile(nameOf(a))}
	}
	var out []found
	var wrong fault.Errors
	for _, o := range objects {
		at := a.At(o.Key)
		base := at.Base()
		open, packed, e := formatOf(format, base)
		if at.Scheme != "https" { // on a web server, the query is a part of the file's name
			at.Options = ""
		}
		switch {
		case e != nil:
			wrong = append(wrong, e.InFile(nameOf(at)))
			continue
		case s.seen[at]:
			wrong = append(wrong, fault.New(fault.CodeDuplicate, "the object is named twice").Advise("its rows would count "+
				"twice: name it once, and let no two patterns match it").InFile(nameOf(at)))
			continue
		}
		s.seen[at] = true
		place := scan.Place{Path: "/" + o.Key, Remote: s.pool.File(bucket, o), Packed: packed}
		out = append(out, found{place, base, nameOf(at), open})
	}
	return out, wrong
}

// list returns the objects at a URL, or those that match the pattern.
func (s *stores) list(ctx context.Context, a store.Address) (store.Bucket, []store.Object, error) {
	bucket, err := s.bucket(ctx, a)
	if err != nil {
		return nil, nil, err
	}
	prefix, pattern := a.Pattern()
	if a.Scheme == "https" {
		pattern = false
	}
	objects := make([]store.Object, 1)
	if pattern {
		if _, err := path.Match(a.Key, ""); err != nil {
			return bucket, nil, store.Failure(store.Misconfigured, "the pattern is malformed")
		}
		objects, err = store.List(ctx, bucket, prefix, func(o store.Object) bool {
			return a.Matches(o.Key) && !strings.HasSuffix(o.Key, "/")
		})
	} else {
		err = store.Retry(ctx, 0, func(ctx context.Context) (err error) {
			objects[0], err = bucket.Stat(ctx, a.Key)
			return err
		})
	}
	switch {
	case err != nil:
	case len(objects) == 0:
		err = fault.New(fault.CodeNotFound, "no object matches the pattern %q", a.String())
	case slices.ContainsFunc(objects, func(o store.Object) bool { return o.Size < 0 }):
		err = store.Failure(store.Unavailable, "it states a length that no object has")
	}
	slices.SortFunc(objects, func(a, b store.Object) int { return cmp.Compare(a.Key, b.Key) })
	return bucket, objects, err
}

// nameOf returns the name of an object for messages, before it is shortened. It leaves out the options, which may hold
// a signature.
func nameOf(a store.Address) string { return path.Join(a.Bucket, path.Dir(a.Key), a.Base()) }

func addressFault(err error) *fault.Error {
	e := fault.New(fault.CodeOption, "%s", err.Error())
	switch {
	case errors.Is(err, store.ErrPlain):
		return e.Advise("use https")
	case errors.Is(err, store.ErrUserinfo):
		return e.Advise("credentials come from the environment or the store's own files, as docs/howto/object-stores.md says")
	case errors.Is(err, store.ErrPattern):
		return e.Advise("name each file")
	}
	return e.Advise("it has the form scheme://bucket/key")
}
