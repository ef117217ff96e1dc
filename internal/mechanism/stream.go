package mechanism

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dprelease/dprelease/internal/mechanism/internal/gauss"
)

const (
	// heldCells is the largest number of cells for which the noisy vector of sparse answers is held in memory. A longer
	// vector is a stream.
	heldCells = 1 << 20
	// stripeCells is the number of cells of a stream that all workers together draw at a time. A stripe takes 2 MiB.
	stripeCells = 1 << 18
	// keptStripes is the number of drawn stripes that stay in memory: the one that is read and the next one, for two
	// readers.
	keptStripes = 4
)

// stream is a noisy vector of very many cells, most of whose exact answers are 0. It does not hold the cells. It draws
// a stripe of consecutive cells when one of them is read, each block of the stripe from its own random bits, and draws
// the same values every time. While a stripe is read, the workers draw the next one, but no further one, so that a slow
// reader slows them down.
//
// A stream is safe for concurrent use.
type stream struct {
	noise draw
	size  int
	exact *payload
	keys  *gauss.Keys
	// finish turns noisy cells into values, block by block. Several goroutines call it.
	finish func(multiples []int64, values []float64)

	mu     sync.Mutex
	recent []*stripe
}

// stripe holds consecutive cells of a stream, starting with cell index·stripeCells.
type stripe struct {
	index  int
	ready  chan struct{} // closed when values are drawn
	values []float64     // nil if they could not be drawn
}

// newStream returns a stream whose field finish is not set yet; the caller sets it. It draws the keys of all blocks
// from d.entropy. The stream keeps the sparse answers, which the caller must not use any more.
func (d draw) newStream(p *payload, size int) (*stream, error) {
	keys, err := gauss.NewKeys(d.entropy, (size+blockCells-1)/blockCells)
	if err == nil {
		_, err = keys.Block(0, nil) // if this block can be made, all blocks can
	}
	if err != nil {
		p.wipe()
		return nil, err
	}
	return &stream{noise: d, size: size, exact: p, keys: keys}, nil
}

// withFinish returns a stream with the same noisy cells, and another function that turns them into values.
func (s *stream) withFinish(finish func(multiples []int64, values []float64)) *stream {
	return &stream{noise: s.noise, size: s.size, exact: s.exact, keys: s.keys, finish: finish}
}

// valuesFrom returns the values from cell to the end of its stripe; nil if they cannot be drawn.
func (s *stream) valuesFrom(cell int) []float64 {
	t := s.stripe(cell / stripeCells)
	<-t.ready
	if t.values == nil {
		return nil
	}
	return t.values[cell%stripeCells:]
}

// stripe returns a stripe, which may still be being drawn, and starts drawing the next one.
func (s *stream) stripe(index int) *stripe {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.start(index)
	if (index+1)*stripeCells < s.size {
		s.start(index + 1)
	}
	return t
}

func (s *stream) start(index int) *stripe {
	if i := slices.IndexFunc(s.recent, func(t *stripe) bool { return t.index == index }); i >= 0 {
		return s.recent[i]
	}
	t := &stripe{index: index, ready: make(chan struct{})}
	if len(s.recent) == keptStripes {
		s.recent = slices.Delete(s.recent, 0, 1)
	}
	s.recent = append(s.recent, t)
	go func() {
		defer close(t.ready)
		t.values = s.draw(index * stripeCells)
	}()
	return t
}

// draw returns the values of the stripe that starts with cell first; nil if they cannot be drawn.
func (s *stream) draw(first int) []float64 {
	values := make([]float64, min(stripeCells, s.size-first))
	blocks := (len(values) + blockCells - 1) / blockCells
	var next atomic.Int64
	var failed atomic.Bool
	var group sync.WaitGroup
	for range max(1, min(s.noise.workers, blocks)) {
		group.Go(func() {
			if s.drawBlocks(first, values, &next) != nil {
				failed.Store(true)
			}
		})
	}
	group.Wait()
	if failed.Load() {
		return nil
	}
	return values
}

// drawBlocks is one worker: it draws blocks of a stripe until none is left.
func (s *stream) drawBlocks(first int, values []float64, next *atomic.Int64) error {
	w, err := s.newBlockWorker()
	if err != nil {
		return err
	}
	defer w.source.Wipe()
	for {
		start := int(next.Add(1)-1) * blockCells
		if start >= len(values) {
			return nil
		}
		end := min(start+blockCells, len(values))
		multiples, err := w.draw(s, first+start, end-start)
		if err != nil {
			return err
		}
		s.finish(multiples, values[start:end])
	}
}

// blockWorker holds the memory in which a worker draws one block after the other.
type blockWorker struct {
	source  *gauss.Bits
	sampler sampler
	block   *payload
}

func (s *stream) newBlockWorker() (w blockWorker, err error) {
	if w.source, err = s.keys.Block(0, nil); err != nil {
		return w, err
	}
	if w.sampler, err = s.noise.sampler(w.source); err != nil {
		return w, err
	}
	w.block = s.exact.zeros(blockCells)
	return w, nil
}

// draw returns the noisy cells of the block that starts at cell start. They are valid until the next call.
func (w blockWorker) draw(s *stream, start, cells int) ([]int64, error) {
	block := &payload{cells: w.block.cells.Cut(0, cells)}
	block.wipe()
	s.exact.copyTo(start, block)
	if _, err := s.keys.Block(start/blockCells, w.source); err != nil {
		return nil, err
	}
	return block.cells.High, block.noiseBlock(w.sampler, 0)
}
