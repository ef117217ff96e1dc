package remote

import (
	"slices"
	"sync"

	"github.com/dprelease/dprelease/io/source/internal/scan"
)

// aheads are the extents that are fetched before a handle is opened for them: while a worker decodes one row group, the next one comes. There is at
// most one for each open handle, so a worker holds two halves of its window: what it reads, and what it will read next.
type aheads struct {
	mu      sync.Mutex
	handles int // that are open
	waiting []*ahead
}

// ahead is a handle that nobody has opened yet, and the extents that it fetches.
type ahead struct {
	handle  *handle
	extents []scan.Extent
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
