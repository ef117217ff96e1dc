package mechanism

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dprelease/dprelease/mechanism/internal/gauss"
)

const (
	// heldCells is the most cells that a noisy vector made of sparse answers holds in memory; longer ones are streams.
	heldCells = 1 << 20
	// stripeCells is how many cells of a stream are drawn at a time, by all workers: 2 MiB.
	stripeCells = 1 << 18
	// keptStripes is how many of them are kept: the one that is read, the next one, and as many for a second reader.
	keptStripes = 4
)

// stream is a noisy vector of very many cells, most of whose exact answers are 0. It holds none of them: a stripe is drawn when
// it is read, each block of it from random bits of its own, and is the same whenever it is drawn. The next stripe is drawn
// meanwhile, and no further one until that is read: a slow reader slows the workers down.
//
// It is safe for concurrent use.
type stream struct {
	job   job
	size  int
	exact *payload
	keys  *gauss.Keys

	mu     sync.Mutex
	recent []*stripe
}

// stripe are cells of a stream from index·stripeCells on.
type stripe struct {
	index int
	ready chan struct{} // closed when units are drawn
	units []int64       // nil where they could not be
}

// stream draws the keys of all blocks, from entropy, and takes the sparse answers over.
func (j job) stream(p *payload, size int) (*stream, error) {
	keys, err := gauss.NewKeys(j.entropy, (size+blockCells-1)/blockCells)
	if err == nil {
		_, err = keys.Block(0, nil) // so that reading has no error
	}
	if err != nil {
		p.wipe()
		return nil, err
	}
	return &stream{job: j, size: size, exact: p, keys: keys}, nil
}

// from returns the noisy cells from one on, as far as they are drawn together; nil where they cannot be drawn.
func (s *stream) from(cell int) []int64 {
	t := s.stripe(cell / stripeCells)
	<-t.ready
	if t.units == nil {
		return nil
	}
	return t.units[cell%stripeCells:]
}

// stripe returns a stripe that is being drawn or was, and has the next one drawn.
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
		t.units = s.draw(index * stripeCells)
	}()
	return t
}

// draw returns the noisy cells of the stripe that starts at a cell.
func (s *stream) draw(first int) []int64 {
	p := &payload{high: make([]int64, min(stripeCells, s.size-first))}
	if s.exact.low != nil {
		p.low = make([]uint64, len(p.high))
	}
	s.exact.copy(first, p)
	blocks := (len(p.high) + blockCells - 1) / blockCells
	var next, failed atomic.Int64
	var group sync.WaitGroup
	for range max(1, min(s.job.workers, blocks)) {
		group.Go(func() {
			if s.work(p, first/blockCells, &next) != nil {
				failed.Add(1)
			}
		})
	}
	group.Wait()
	if failed.Load() > 0 {
		p.wipe()
		return nil
	}
	return p.high
}

// work noises blocks of a stripe, whose first block of the stream is given, until there are none left.
func (s *stream) work(p *payload, first int, next *atomic.Int64) error {
	source, err := s.keys.Block(first, nil)
	if err != nil {
		return err
	}
	defer source.Wipe()
	sampler, err := s.job.sampler(source)
	if err != nil {
		return err
	}
	for {
		block := int(next.Add(1) - 1)
		if block*blockCells >= len(p.high) {
			return nil
		}
		if source, err = s.keys.Block(first+block, source); err != nil {
			return err
		}
		if err := p.add(sampler, block*blockCells); err != nil {
			return err
		}
	}
}
