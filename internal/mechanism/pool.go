package mechanism

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/dprelease/dprelease/internal/mechanism/internal/gauss"
)

// blockCells is the number of cells that a worker noises at a time. A block takes about 0.2 ms; before each one the
// worker checks whether it should stop.
const blockCells = 1 << 14

// run adds noise to every cell in place. The answers must not be sparse. After an error all cells are wiped.
func (d draw) run(ctx context.Context, p *payload) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var group sync.WaitGroup
	blocks := (p.cells.Len() + blockCells - 1) / blockCells
	for range max(1, min(d.workers, blocks)) {
		group.Go(func() {
			if err := d.noiseBlocks(ctx, p, &next); err != nil {
				cancel(err)
			}
		})
	}
	group.Wait()
	clear(p.cells.Low)
	if err := context.Cause(ctx); err != nil {
		clear(p.cells.High)
		return err
	}
	return nil
}

// noiseBlocks is one worker: it adds noise to one block after the other until none is left. next is the number of
// blocks that workers have taken.
func (d draw) noiseBlocks(ctx context.Context, p *payload, next *atomic.Int64) error {
	source, err := gauss.NewBits(d.entropy)
	if err != nil {
		return err
	}
	defer source.Wipe()
	sampler, err := d.sampler(source)
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		start := int(next.Add(1)-1) * blockCells
		if start >= p.cells.Len() {
			return nil
		}
		if err := p.noiseBlock(sampler, start); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// noiseBlock adds noise to the block that starts at cell start.
func (p *payload) noiseBlock(s sampler, start int) error {
	block := p.cells.Cut(start, min(start+blockCells, p.cells.Len()))
	if block.Low == nil {
		return s.Add(block.High)
	}
	return s.AddWide(block)
}
