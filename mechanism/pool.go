package mechanism

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/dprelease/dprelease/mechanism/internal/gauss"
)

// blockCells is how many cells a worker takes at a time: some 0.2 ms, after which it looks whether to stop.
const blockCells = 1 << 14

// run adds noise to every cell, in place. On an error it wipes all of them.
func (j job) run(ctx context.Context, cells []int64) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var group sync.WaitGroup
	blocks := (len(cells) + blockCells - 1) / blockCells
	for range max(1, min(j.workers, blocks)) {
		group.Go(func() {
			if err := j.work(ctx, cells, &next); err != nil {
				cancel(err)
			}
		})
	}
	group.Wait()
	clear(j.low)
	if err := context.Cause(ctx); err != nil {
		clear(cells)
		return err
	}
	return nil
}

// work noises blocks until there are none left. next counts the blocks that are taken.
func (j job) work(ctx context.Context, cells []int64, next *atomic.Int64) error {
	source, err := gauss.NewBits(j.entropy)
	if err != nil {
		return err
	}
	defer source.Wipe()
	sampler, err := gauss.New(j.scale, j.lift, source)
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		start := int(next.Add(1)-1) * blockCells
		if start >= len(cells) {
			return nil
		}
		if err := j.add(sampler, cells, start); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// add noises the block that starts at a cell.
func (j job) add(sampler *gauss.Sampler, cells []int64, start int) error {
	end := min(start+blockCells, len(cells))
	if j.low == nil {
		return sampler.Add(cells[start:end])
	}
	return sampler.AddWide(cells[start:end], j.low[start:end])
}
