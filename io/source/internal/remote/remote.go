// Package remote reads files of stores like files of this machine: by ranges, ahead of their readers, and within a
// limit of memory.
//
// A reader that knows which parts of a file it needs announces them (Expect). They are fetched in lanes: one part after
// the other in each lane, several lanes at once. Small neighbouring parts share a request. All other reads go through
// blocks, which the handles of all files share, since readers of texts read a file in pieces that do not end with a
// record.
//
// Every request names the version of the object that was opened, so no answer mixes two versions.
package remote

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/store"
)

const (
	// Window is the memory in bytes, for each worker, of the parts that it reads and fetches ahead.
	Window = 16 << 20
	// PerWorker is the memory in bytes for each worker: Window, and memory that is kept for later requests.
	PerWorker = Window + Window/2
	// requests is the largest number of simultaneous requests for each worker.
	requests = 16
)

// Pool holds what the files of a dataset share: memory, blocks, and limits of requests.
type Pool struct {
	workers int
	ctx     context.Context // context of the requests that handles share
	cancel  context.CancelFunc
	slots   chan struct{}
	blocks  blocks
	memory  memory
	ahead   aheads
}

// NewPool returns a pool for a number of workers.
func NewPool(workers int) *Pool {
	workers = max(workers, 1)
	p := &Pool{workers: workers, slots: make(chan struct{}, requests*workers)}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.memory.left = Window / 2 * int64(workers)
	p.blocks = blocks{limit: Window * int64(workers), of: map[blockKey]*block{}}
	return p
}

// Close cancels all requests.
func (p *Pool) Close() { p.cancel() }

// File is a version of an object.
type File struct {
	pool   *Pool
	bucket store.Bucket
	object store.Object
	kept   atomic.Pointer[[]byte] // contents of a short file; nil if they were not kept
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
	reading sync.Mutex // held while ReadAt, Expect or Close runs
	lanes   *lanes
	own     bool // the handle made its lanes: it did not take over lanes that had fetched ahead
}

// lanes holds the extents that are fetched for one handle.
type lanes struct {
	file    *File
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup // running requests
	mu      sync.Mutex
	arrived sync.Cond // signals that a piece or an error came, or that the reader's context ended
	all     []*lane   // sorted by offset
}

// lane is an extent that is read from its start to its end, in parts of step bytes. depth parts are fetched at once.
type lane struct {
	at, end int64
	step    int64
	depth   int
	whole   bool // several columns share it, so it is fetched at once
	parts   []*part
}

// part is the range of one request, in pieces.
type part struct {
	at     int64
	pieces []piece // the pieces that were begun
	filled int     // number of filled pieces
	err    error   // the error that ended the request
}

// piece is memory that is allocated when its bytes come, and given back when they were read.
type piece struct {
	data   []byte // nil after it was given back
	unread int    // bytes
}

// aheads holds the extents that are fetched before a handle is opened for them: while a worker decodes a row group, the
// next one is fetched, or several if they are short. So a worker uses two halves of its window: one for the row group
// that it reads, one for the next ones.
type aheads struct {
	mu      sync.Mutex
	handles int // number of open handles
	waiting []*ahead
	held    int64 // bytes that were fetched for handles that are not open
}

// ahead holds the lanes that are fetched for a handle that is not open yet.
type ahead struct {
	lanes   *lanes
	extents []scan.Extent
	holds   int64 // bytes
}

// blocks holds parts of files that several handles read, all of one length except the last of a file. The least
// recently used ones are dropped to make room.
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
	last   int64 // the clock at its last use
	wanted bool  // a reader asked for it
	read   int64 // bytes
	ended  bool  // its last byte was read
}

// Fault maps an error of a store to one of an input. It keeps an error of the context.
func Fault(err error) error {
	var own *store.Error
	if !errors.As(err, &own) {
		return err
	}
	e := fault.New(fault.CodeUnreadable, "%s", own.Error())
	switch own.Kind {
	case store.NotFound:
		e = fault.New(fault.CodeNotFound, "%s", own.Error())
	case store.Changed:
		return fault.Changed()
	case store.Unsupported, store.Misconfigured:
		e = fault.New(fault.CodeOption, "%s", own.Error())
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
