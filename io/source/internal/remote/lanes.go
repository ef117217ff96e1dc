package remote

import (
	"cmp"
	"context"
	"io"
	"slices"

	"github.com/dprelease/dprelease/io/source/internal/scan"
)

const (
	// laneWindow is how many bytes of memory the lanes of a handle may use: half of a worker's Window. The other half
	// is for lanes that are fetched ahead.
	laneWindow = Window / 2
	// usualPart is the approximate length of a request in bytes. Shorter parts would need more requests; longer parts
	// would leave memory for fewer requests at the same time.
	usualPart = 4 << 20
	// gap is the maximum number of unneeded bytes between two extents that are fetched to save a request.
	gap = 32 << 10
	// One row group is fetched ahead for each open handle. If row groups are short, more are: up to maxAhead for each
	// open handle, with at most shortAhead bytes together.
	maxAhead   = 8
	shortAhead = 4 << 20
)

// Open returns a handle whose requests end when ctx ends. The handle counts as open, for the limits of Fetch, until it
// is closed.
func (f *File) Open(ctx context.Context) scan.Handle {
	f.pool.prefetches.opened(1)
	return &handle{file: f, ctx: ctx, lanes: f.newLanes(ctx), own: true}
}

func (f *File) newLanes(ctx context.Context) *lanes {
	l := &lanes{file: f}
	l.arrived.L = &l.mu
	l.ctx, l.cancel = context.WithCancel(ctx)
	return l
}

func (h *handle) Expect(extents ...scan.Extent) {
	if h.file.kept.Load() != nil {
		return
	}
	sorted := h.file.sortExtents(extents)
	h.reading.Lock()
	defer h.reading.Unlock()
	if h.own && len(h.lanes.all) == 0 {
		if x := h.file.pool.prefetches.takeLanes(h.file, sorted); x != nil {
			h.lanes.cancel()
			h.lanes, h.own = x.lanes, false
			return
		}
	}
	h.lanes.mu.Lock()
	defer h.lanes.mu.Unlock()
	h.lanes.expect(sorted)
}

// expect starts to fetch the extents, except those that overlap a lane that exists. l.mu must be held.
func (l *lanes) expect(sorted []scan.Extent) {
	for _, x := range lanesOf(sorted) {
		i, taken := l.find(x.at)
		if taken || i > 0 && l.all[i-1].end > x.at || i < len(l.all) && l.all[i].at < x.end {
			continue // a lane already fetches a part of the extent
		}
		l.all = slices.Insert(l.all, i, x)
		l.start(x, 0)
	}
}

// find returns the index in l.all of the lane that begins at offset at, and true. If there is none, it returns the
// index at which such a lane would be inserted, and false.
func (l *lanes) find(at int64) (int, bool) {
	return slices.BinarySearchFunc(l.all, at, func(x *lane, at int64) int { return cmp.Compare(x.at, at) })
}

// sortExtents returns the extents sorted by offset, without those that are empty or not within the file.
func (f *File) sortExtents(extents []scan.Extent) []scan.Extent {
	out := slices.DeleteFunc(slices.Clone(extents), func(e scan.Extent) bool {
		return e.Size <= 0 || e.At < 0 ||
			e.At+e.Size > f.object.Size
	})
	slices.SortFunc(out, func(a, b scan.Extent) int { return cmp.Compare(a.At, b.At) })
	return out
}

// lanesOf returns lanes for sorted extents, and divides laneWindow among them. If all extents fit in it together,
// neighbouring extents share a lane, and all parts are fetched at once. Otherwise each extent has a lane and an equal
// share of the memory, for two or more parts of at least minPart bytes (for one part if there are very many extents).
func lanesOf(extents []scan.Extent) (lanes []*lane) {
	total := int64(0)
	for _, e := range extents {
		total += e.Size
	}
	if total <= laneWindow {
		for _, e := range extents {
			if n := len(lanes); n > 0 && e.At-lanes[n-1].end <= gap {
				lanes[n-1].end = max(lanes[n-1].end, e.At+e.Size)
				continue
			}
			lanes = append(lanes, &lane{at: e.At, end: e.At + e.Size, whole: true})
		}
		for _, l := range lanes {
			n := max((l.end-l.at+usualPart/2)/usualPart, 1)
			l.step, l.depth = (l.end-l.at+n-1)/n, int(n)
		}
		return lanes
	}
	share := laneWindow / int64(len(extents))
	step := min(max(share/3, minPart), usualPart)
	depth := 2
	if int64(len(extents)) > Window/2/minPart {
		depth = 1
	}
	for _, e := range extents {
		lanes = append(lanes, &lane{at: e.At, end: e.At + e.Size, step: step, depth: max(int(share/step), depth)})
	}
	return lanes
}

// start sends the requests for parts i to i+depth-1 of a lane, unless they were sent before. l.mu must be held.
func (l *lanes) start(x *lane, i int) {
	for len(x.parts) < i+x.depth {
		at := x.at + int64(len(x.parts))*x.step
		if at >= x.end {
			return
		}
		p := &part{at: at}
		x.parts = append(x.parts, p)
		l.running.Go(func() { l.fetch(p, min(x.step, x.end-at)) })
	}
}

// fetch sends the request for a part of size bytes and fills the part's pieces.
func (l *lanes) fetch(p *part, size int64) {
	err := l.file.fetch(l.ctx, p.at, size, func(left int64) []byte {
		b := l.file.pool.memory.takeBytes(int(min(left, pieceSize)))
		l.mu.Lock()
		defer l.mu.Unlock()
		p.filled = len(p.pieces)
		p.pieces = append(p.pieces, piece{b, len(b)})
		l.arrived.Broadcast()
		return b
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.err = err; err == nil {
		p.filled = len(p.pieces)
	}
	l.arrived.Broadcast()
}

// part returns the part that holds the byte at offset at, and starts to fetch later parts of the lane. It gives back
// the memory of the part before, unless several columns share the lane. It returns nil if no lane holds the byte, or if
// the reader has skipped parts. l.mu must be held.
func (l *lanes) part(at int64) *part {
	n, found := l.find(at)
	if !found {
		n--
	}
	if n < 0 || at >= l.all[n].end {
		return nil
	}
	x := l.all[n]
	i := int((at - x.at) / x.step)
	if i > len(x.parts) { // no request was sent for this part
		return nil
	}
	if i > 0 && !x.whole {
		l.drop(x.parts[i-1])
	}
	l.start(x, i)
	return x.parts[i]
}

// drop gives the memory of a part's filled pieces back to the pool. l.mu must be held.
func (l *lanes) drop(p *part) {
	for k := range p.pieces[:p.filled] {
		l.give(&p.pieces[k])
	}
}

// give gives the memory of a piece back to the pool. l.mu must be held.
func (l *lanes) give(x *piece) {
	if x.data != nil {
		l.file.pool.memory.give(x.data)
		x.data = nil
	}
}

func (h *handle) ReadAt(b []byte, at int64) (int, error) {
	h.reading.Lock()
	defer h.reading.Unlock()
	n := 0
	for n < len(b) {
		if at+int64(n) >= h.file.object.Size {
			return n, io.EOF
		}
		if kept := h.file.kept.Load(); kept != nil {
			n += copy(b[n:], (*kept)[at+int64(n):])
			continue
		}
		m, err := h.readSome(b[n:], at+int64(n))
		n += m
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// readSome reads at least one byte, and at most up to the end of one piece or block.
func (h *handle) readSome(b []byte, at int64) (int, error) {
	l := h.lanes
	p, k, data, err := l.wait(h.ctx, at)
	if err != nil {
		return 0, err
	}
	if data == nil {
		return h.file.pool.blocks.readAt(h, b, at)
	}
	n := copy(b, data[(at-p.at)%pieceSize:]) // only this reader gives a filled piece back
	l.mu.Lock()
	defer l.mu.Unlock()
	if x := &p.pieces[k]; x.unread > n {
		x.unread -= n
	} else {
		l.give(x)
	}
	return n, nil
}

// wait waits until the byte at offset at has arrived. It returns the byte's part, the index of its piece in the part,
// and the bytes of the piece. The bytes are nil if the byte is in no part, or if the memory of the piece was given
// back.
func (l *lanes) wait(ctx context.Context, at int64) (*part, int, []byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.part(at)
	if p == nil {
		return nil, 0, nil, nil
	}
	k := int((at - p.at) / pieceSize)
	if p.filled <= k {
		defer context.AfterFunc(ctx, l.wake)()
	}
	for p.filled <= k && p.err == nil {
		if err := ctx.Err(); err != nil {
			return nil, 0, nil, err
		}
		l.arrived.Wait()
	}
	if p.filled <= k {
		return nil, 0, nil, p.err
	}
	return p, k, p.pieces[k].data, nil
}

// wake makes wait look at the reader's context again.
func (l *lanes) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.arrived.Broadcast()
}

// Close cancels the requests and waits for them to end.
func (h *handle) Close() error {
	h.reading.Lock()
	defer h.reading.Unlock()
	h.file.pool.prefetches.opened(-1)
	h.lanes.keep()
	h.lanes.close()
	return nil
}

// keep stores the contents of the file for later handles, if the handle has fetched the whole file as a single piece
// and there is memory for it.
func (l *lanes) keep() {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.file
	if len(l.all) != 1 || l.all[0].at != 0 || l.all[0].end != f.object.Size || len(l.all[0].parts) != 1 ||
		f.kept.Load() != nil {
		return
	}
	p := l.all[0].parts[0]
	if p.filled != 1 || len(p.pieces) != 1 || p.err != nil || p.pieces[0].data == nil ||
		!f.pool.memory.keep(p.pieces[0].data) {
		return
	}
	content := p.pieces[0].data
	f.kept.Store(&content)
	p.pieces[0] = piece{}
}

// close cancels the requests of the lanes and gives their memory back to the pool.
func (l *lanes) close() {
	l.cancel()
	l.running.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, x := range l.all {
		for _, p := range x.parts {
			p.filled = len(p.pieces)
			l.drop(p)
		}
	}
	l.all = nil
}

func (a *prefetches) opened(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.handles += n
}

// Fetch starts to fetch extents ahead, for a handle that will be opened later and expects exactly these extents. It
// returns false, and fetches nothing, if there is no memory for them, or if they are being fetched already. It returns
// true if the contents of a short file are in memory.
func (f *File) Fetch(extents ...scan.Extent) bool {
	if f.kept.Load() != nil {
		return true
	}
	a := &f.pool.prefetches
	a.mu.Lock()
	defer a.mu.Unlock()
	sorted := f.sortExtents(extents)
	x := &prefetch{extents: sorted}
	for _, l := range lanesOf(sorted) {
		x.holds += min(l.end-l.at, int64(l.depth)*l.step)
	}
	full := x.holds > laneWindow+gap*int64(len(sorted)) || len(a.waiting) >= a.handles &&
		(len(a.waiting) >= maxAhead*a.handles || a.held+x.holds > shortAhead*int64(a.handles))
	if full || len(sorted) == 0 || a.find(f, sorted) >= 0 {
		return false
	}
	f.pool.blocks.forget() // the lanes need the memory that blocks hold, such as blocks with footers
	x.lanes = f.newLanes(f.pool.ctx)
	x.lanes.expect(sorted) // no lock is needed: no other goroutine has these lanes yet
	a.waiting = append(a.waiting, x)
	a.held += x.holds
	return true
}

// find returns the index in a.waiting of the lanes of file f that were fetched ahead for exactly these extents, or -1.
// a.mu must be held.
func (a *prefetches) find(f *File, sorted []scan.Extent) int {
	return slices.IndexFunc(a.waiting, func(x *prefetch) bool {
		return x.lanes.file == f &&
			slices.Equal(x.extents, sorted)
	})
}

// takeLanes removes from a.waiting, and returns, the lanes of file f that were fetched ahead for exactly these extents.
// It returns nil if there are none.
func (a *prefetches) takeLanes(f *File, sorted []scan.Extent) *prefetch {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := a.find(f, sorted)
	if i < 0 {
		return nil
	}
	x := a.waiting[i]
	a.waiting = slices.Delete(a.waiting, i, i+1)
	a.held -= x.holds
	return x
}

// Forget drops the bytes that were fetched ahead and not read. Call it before the table is read again.
func (p *Pool) Forget() {
	p.prefetches.mu.Lock()
	waiting := p.prefetches.waiting
	p.prefetches.waiting, p.prefetches.held = nil, 0
	p.prefetches.mu.Unlock()
	for _, x := range waiting {
		x.lanes.close()
	}
}
