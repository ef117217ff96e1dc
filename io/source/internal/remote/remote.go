// Package remote reads files of stores like files of this machine: by ranges, ahead of their readers, and within a
// limit of memory.
//
// A reader that knows which parts of a file it needs says so (Expect), and they are fetched in lanes: one after the
// other in each lane, a few at once. Small neighbouring parts share a request. All other reading goes through blocks,
// which the handles of all files share, since the readers of texts read a file in pieces that do not end with a record.
//
// Every request names the version of the object that was opened. So no answer mixes two versions.
package remote

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/store"
)

const (
	// Window is how many bytes are held for each worker, of what it reads and fetches ahead.
	Window = 16 << 20
	// PerWorker is how much memory all of this takes for each worker, with what is kept for the next requests.
	PerWorker = Window + Window/2
	// requests are made at once, at most, for each worker.
	requests = 16
)

// Pool is what the files of a dataset share.
type Pool struct {
	workers int
	ctx     context.Context // of what handles share
	cancel  context.CancelFunc
	slots   chan struct{}
	blocks  blocks
	memory  memory
	ahead   aheads
}

// NewPool returns a pool for so many workers.
func NewPool(workers int) *Pool {
	workers = max(workers, 1)
	p := &Pool{workers: workers, slots: make(chan struct{}, requests*workers)}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.memory.left = Window / 2 * int64(workers)
	p.blocks = blocks{limit: Window * int64(workers), of: map[blockKey]*block{}}
	return p
}

// Close ends all requests.
func (p *Pool) Close() { p.cancel() }

// File is a version of an object.
type File struct {
	pool   *Pool
	bucket store.Bucket
	object store.Object
	kept   atomic.Pointer[[]byte] // the whole contents of a short file; nil if they were not kept
}

// File returns a file of the pool.
func (p *Pool) File(b store.Bucket, o store.Object) *File {
	return &File{pool: p, bucket: b, object: o}
}

// Size implements scan.Remote.
func (f *File) Size() int64 { return f.object.Size }

// Version implements scan.Remote.
func (f *File) Version() string { return f.object.Version }

// fetch reads size bytes from the store into pieces of memory, as store.ReadPieces does.
func (f *File) fetch(ctx context.Context, at, size int64, next func(left int64) []byte) error {
	select {
	case f.pool.slots <- struct{}{}:
		defer func() { <-f.pool.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return Fault(store.ReadPieces(ctx, f.bucket, f.object, at, size, next))
}

// handle reads a version of an object.
type handle struct {
	file    *File
	ctx     context.Context
	reading sync.Mutex // while ReadAt, Expect or Close is running
	lanes   *lanes
	own     bool // nobody fetched ahead for the handle
}

// lanes are what is fetched for one handle.
type lanes struct {
	file    *File
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup // requests
	mu      sync.Mutex
	arrived sync.Cond // a piece of a part, or an error; or the reader's context ended
	all     []*lane   // by their place
}

// lane is an extent that is read from its start to its end, in parts of step bytes of which depth are fetched at once.
type lane struct {
	at, end int64
	step    int64
	depth   int
	whole   bool // several columns are in it, so all of it is fetched at once
	parts   []*part
}

// part is what one request fetches, in pieces.
type part struct {
	at     int64
	pieces []piece // that were begun
	filled int     // pieces
	err    error   // why no more come
}

// piece is memory that is had when its bytes come, and given back when they were read.
type piece struct {
	data   []byte // nil if it was given back
	unread int    // bytes
}

// aheads are the extents that are fetched before a handle is opened for them: while a worker decodes one row group, the
// next one comes, or several if they are short. So a worker holds two halves of its window: what it reads, and what it
// will read next.
type aheads struct {
	mu      sync.Mutex
	handles int // that are open
	waiting []*ahead
	held    int64 // bytes of those that wait
}

// ahead is what is fetched for a handle that nobody has opened yet.
type ahead struct {
	lanes   *lanes
	extents []scan.Extent
	holds   int64 // bytes
}

// blocks are parts of files that several handles read, all of one length but the last of a file. The least recently
// used ones make room for others.
type blocks struct {
	mu    sync.Mutex
	of    map[blockKey]*block
	held  int64
	limit int64
	clock int64
}

type blockKey struct {
	file  *File
	index int64
}

type block struct {
	data   []byte
	done   chan struct{} // closed when data is filled, or err is set
	err    error
	users  int
	last   int64 // the clock when it was used
	wanted bool  // some reader asked for it
	read   int64 // bytes
	ended  bool  // the last one, too
}

// Fault turns an error of a store into one of an input; that of a context stays.
func Fault(err error) error {
	var own *store.Error
	if !errors.As(err, &own) {
		return err
	}
	e := scan.Fault(scan.CodeUnreadable, "%s", own.Error())
	switch own.Kind {
	case store.NotFound:
		e = scan.Fault(scan.CodeNotFound, "%s", own.Error())
	case store.Changed:
		return scan.Changed()
	case store.Unsupported, store.Misconfigured:
		e = scan.Fault(scan.CodeOption, "%s", own.Error())
	case store.Unavailable:
		e.Hint = "try again later"
	case store.Denied:
		e.Hint = "check the credentials, and what they may read"
	}
	if own.Hint != "" {
		e.Hint = own.Hint
	}
	return e
}
