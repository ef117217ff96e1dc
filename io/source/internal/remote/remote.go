// Package remote reads files in stores like files on this machine. It requests ranges of bytes, fetches them before
// they are needed, and stays within a memory limit.
//
// A reader that knows which parts of a file it needs announces them (Expect). They are fetched in lanes: the parts of a
// lane one after the other, several lanes at once. Small neighbouring parts share a request. All other reads go through
// blocks. The handles of all files share the blocks, since the pieces into which a text file is cut do not end where
// records end.
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
	// Window is how much memory each worker may use for parts that it reads and fetches ahead, in bytes.
	Window = 16 << 20
	// PerWorker is how much memory each worker may use, in bytes: Window, and memory that is kept for later requests.
	PerWorker = Window + Window/2
	// requests is the maximum number of requests that run at the same time, for each worker.
	requests = 16
)

// Pool holds what all files of a dataset share: memory, blocks, and limits on the number of requests.
type Pool struct {
	workers    int
	ctx        context.Context // the context of requests that serve several handles
	cancel     context.CancelFunc
	slots      chan struct{}
	blocks     blocks
	memory     memory
	prefetches prefetches
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

// File is one version of an object in a store.
type File struct {
	pool   *Pool
	bucket store.Bucket
	object store.Object
	kept   atomic.Pointer[[]byte] // contents of a short file; nil if they are not kept
}

// File returns the given version of an object as a file of the pool.
func (p *Pool) File(b store.Bucket, o store.Object) *File {
	return &File{pool: p, bucket: b, object: o}
}

// Size returns the length of the file in bytes.
func (f *File) Size() int64 { return f.object.Size }

// Version returns the store's name for this version of the object.
func (f *File) Version() string { return f.object.Version }

// fetch reads size bytes of the file, from offset at on. It calls next for memory: next(left) returns a piece of memory
// for the next of the left bytes.
func (f *File) fetch(ctx context.Context, at, size int64, next func(left int64) []byte) error {
	select {
	case f.pool.slots <- struct{}{}:
		defer func() { <-f.pool.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return Fault(store.ReadPieces(ctx, f.bucket, f.object, at, size, next))
}

// handle is an open File, with lanes of its own.
type handle struct {
	file    *File
	ctx     context.Context
	reading sync.Mutex // held while ReadAt, Expect or Close runs
	lanes   *lanes
	own     bool // the handle made the lanes; false if it took over lanes of prefetches
}

// lanes holds the lanes of one handle. A lane fetches one range of the file by a sequence of requests.
type lanes struct {
	file    *File
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup // running requests
	mu      sync.Mutex
	arrived sync.Cond // wakes the reader when a piece or an error has arrived, or when the reader's context has ended
	all     []*lane   // sorted by offset
}

// lane fetches the bytes of a file from at to end. Each request fetches a part of step bytes, and depth requests run at
// the same time.
type lane struct {
	at, end int64
	step    int64
	depth   int
	whole   bool // several columns share the lane, so all its parts are fetched at once
	parts   []*part
}

// part is the range of bytes of one request, in pieces of memory.
type part struct {
	at     int64
	pieces []piece // the pieces whose memory was allocated
	filled int     // number of filled pieces
	err    error   // the error that ended the request
}

// piece is a piece of a part's memory. It is allocated when its bytes arrive, and given back when they were read.
type piece struct {
	data   []byte // nil after it was given back
	unread int    // bytes that the reader has not taken
}

// prefetches holds lanes that are fetched before a handle asks for them: while a worker decodes a row group, the next
// row group is fetched, or several if they are short. So a worker uses one half of its memory (Window) for the row
// group that it reads, and the other half for the next ones.
type prefetches struct {
	mu      sync.Mutex
	handles int // number of open handles
	waiting []*prefetch
	held    int64 // bytes that are fetched for handles that are not open yet
}

// prefetch holds the lanes of a handle that is not open yet.
type prefetch struct {
	lanes   *lanes
	extents []scan.Extent
	holds   int64 // bytes of memory that the lanes need
}

// blocks is a cache of blocks of files, which all handles share. All blocks have one length, except the last block of a
// file. The least recently used blocks are dropped when memory is needed.
type blocks struct {
	mu    sync.Mutex
	of    map[blockKey]*block
	held  int64 // bytes of memory of all blocks
	limit int64 // for held
	clock int64 // counts uses of blocks
}

type blockKey struct {
	file  *File
	index int64
}

// block is a block of a file that was requested.
type block struct {
	data   []byte
	done   chan struct{} // closed when data is filled, or err is set
	err    error
	users  int   // number of readers that use it now
	last   int64 // the value of clock when it was last used
	wanted bool  // a reader has asked for it
	read   int64 // number of bytes that readers have taken
	ended  bool  // the block's last byte was read
}

// Fault converts an error of a store to an error of package fault. It keeps an error of the context.
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
	}
	e.Hint = own.Advice()
	return e
}
