package remote

import (
	"context"
	"io"
	"slices"

	"github.com/dprelease/dprelease/io/source/internal/scan"
)

const (
	// laneWindow is what the lanes of a handle hold: half of a worker's window, the other half is for what is fetched ahead.
	laneWindow = Window / 2
	// A part is a request.
	mostPart, leastPart = 4 << 20, 64 << 10
	// gap is how many bytes between two extents are fetched rather than ask twice.
	gap = 32 << 10
)

// Open implements scan.Remote.
func (f *File) Open(ctx context.Context) scan.Handle {
	f.pool.ahead.opened(1)
	return f.newHandle(ctx)
}

func (f *File) newHandle(ctx context.Context) *handle {
	h := &handle{file: f}
	h.ctx, h.cancel = context.WithCancel(ctx)
	return h
}

// Expect implements scan.Handle.
func (h *handle) Expect(extents ...scan.Extent) {
	sorted := h.file.sorted(extents)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ahead == nil && len(h.lanes) == 0 {
		if h.ahead = h.file.pool.ahead.take(h.file, sorted); h.ahead != nil {
			h.lanes = h.ahead.handle.lanes
			return
		}
	}
	h.startLanes(sorted)
}

// startLanes starts to fetch extents that no lane has yet. h.mu is held.
func (h *handle) startLanes(sorted []scan.Extent) {
	for _, l := range lanesOf(sorted) {
		i, taken := slices.BinarySearchFunc(h.lanes, l.at, func(l *lane, at int64) int { return int(min(max(l.at-at, -1), 1)) })
		if taken || i > 0 && h.lanes[i-1].end > l.at || i < len(h.lanes) && h.lanes[i].at < l.end {
			continue // it is expected already
		}
		h.lanes = slices.Insert(h.lanes, i, l)
		h.start(l, 0)
	}
}

// sorted returns the extents that are within the file and not empty, by their place.
func (f *File) sorted(extents []scan.Extent) []scan.Extent {
	out := slices.DeleteFunc(slices.Clone(extents), func(e scan.Extent) bool { return e.Size <= 0 || e.At < 0 || e.At+e.Size > f.object.Size })
	slices.SortFunc(out, func(a, b scan.Extent) int { return int(min(max(a.At-b.At, -1), 1)) })
	return out
}

// lanesOf distributes the window over extents, which are sorted. If all fit, near ones share a lane, and all parts are fetched at once.
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
			lanes = append(lanes, &lane{at: e.At, end: e.At + e.Size, step: mostPart, depth: laneWindow/mostPart + 1, whole: true})
		}
		return lanes
	}
	share := laneWindow / int64(len(extents))
	step := min(max(share/3, leastPart), mostPart)
	for _, e := range extents {
		lanes = append(lanes, &lane{at: e.At, end: e.At + e.Size, step: step, depth: int(max(share/step, 2))})
	}
	return lanes
}

// start fetches parts of a lane from the i-th on. h.mu is held.
func (h *handle) start(l *lane, i int) {
	for len(l.parts) < i+l.depth {
		at := l.at + int64(len(l.parts))*l.step
		if at >= l.end {
			return
		}
		p := &part{at: at, done: make(chan struct{})}
		p.data = h.file.pool.spare.take(int(min(l.step, l.end-at)))
		l.parts = append(l.parts, p)
		h.running.Go(func() {
			defer close(p.done)
			p.err = h.file.fetch(h.ctx, p.data, p.at)
		})
	}
}

// part returns the part of a lane that has the byte at a place, if there is one. Parts behind it are started, in the memory of the one before it.
func (h *handle) part(at int64) *part {
	h.mu.Lock()
	defer h.mu.Unlock()
	n, found := slices.BinarySearchFunc(h.lanes, at, func(l *lane, at int64) int { return int(min(max(l.at-at, -1), 1)) })
	if !found {
		n--
	}
	if n < 0 || at >= h.lanes[n].end {
		return nil
	}
	l := h.lanes[n]
	i := int((at - l.at) / l.step)
	if i > len(l.parts) { // the reader jumped
		return nil
	}
	if i > 0 && !l.whole {
		h.drop(l.parts[i-1])
	}
	h.start(l, i)
	return l.parts[i]
}

// drop gives the memory of a part back, which was read. h.mu is held.
func (h *handle) drop(p *part) {
	select {
	case <-p.done:
	default:
		return
	}
	if p.data != nil {
		h.file.pool.spare.give(p.data)
		p.data = nil
	}
}

// ReadAt implements io.ReaderAt.
func (h *handle) ReadAt(b []byte, at int64) (int, error) {
	n := 0
	for n < len(b) {
		if at+int64(n) >= h.file.object.Size {
			return n, io.EOF
		}
		m, err := h.readSome(b[n:], at+int64(n))
		n += m
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// readSome reads as much as one part or block has.
func (h *handle) readSome(b []byte, at int64) (int, error) {
	p := h.part(at)
	if p == nil {
		return h.file.pool.blocks.readAt(h, b, at)
	}
	select {
	case <-p.done:
	case <-h.ctx.Done():
		return 0, h.ctx.Err()
	}
	if p.err != nil {
		return 0, p.err
	}
	if n, ok := h.copied(b, p, at); ok {
		return n, nil
	}
	return h.file.pool.blocks.readAt(h, b, at)
}

// copied copies from a part, unless its memory was given back.
func (h *handle) copied(b []byte, p *part, at int64) (int, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p.data == nil {
		return 0, false
	}
	return copy(b, p.data[at-p.at:]), true
}

// Close implements io.Closer. It waits for the requests to end.
func (h *handle) Close() error {
	h.file.pool.ahead.opened(-1)
	h.cancel()
	h.running.Wait()
	if h.ahead != nil {
		h.ahead.handle.cancel()
		h.ahead.handle.running.Wait()
	}
	h.free()
	return nil
}

// free gives the memory of the lanes back.
func (h *handle) free() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range h.lanes {
		for _, p := range l.parts {
			h.drop(p)
		}
	}
	h.lanes = nil
}

// opened counts the open handles.
func (a *aheads) opened(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.handles += n
}

// Fetch implements scan.Remote.
func (f *File) Fetch(extents ...scan.Extent) bool {
	a := &f.pool.ahead
	a.mu.Lock()
	defer a.mu.Unlock()
	sorted := f.sorted(extents)
	if len(a.waiting) >= a.handles || len(sorted) == 0 || a.find(f, sorted) >= 0 {
		return false
	}
	f.pool.blocks.forget() // the window is for lanes now: long footers left blocks behind
	h := f.newHandle(f.pool.ctx)
	h.startLanes(sorted)
	a.waiting = append(a.waiting, &ahead{h, sorted})
	return true
}

// find returns the place of what is fetched ahead, or -1. a.mu is held.
func (a *aheads) find(f *File, sorted []scan.Extent) int {
	return slices.IndexFunc(a.waiting, func(x *ahead) bool { return x.handle.file == f && slices.Equal(x.extents, sorted) })
}

// take returns what is fetched ahead of just these extents, once; nil if there is nothing.
func (a *aheads) take(f *File, sorted []scan.Extent) *ahead {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := a.find(f, sorted)
	if i < 0 {
		return nil
	}
	x := a.waiting[i]
	a.waiting = slices.Delete(a.waiting, i, i+1)
	return x
}

// Forget gives up what was fetched ahead and not read. A reader that goes through the table anew calls it first.
func (p *Pool) Forget() {
	p.ahead.mu.Lock()
	waiting := p.ahead.waiting
	p.ahead.waiting = nil
	p.ahead.mu.Unlock()
	for _, x := range waiting {
		x.handle.cancel()
		x.handle.running.Wait()
		x.handle.free()
	}
}
