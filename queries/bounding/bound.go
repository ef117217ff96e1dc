package bounding

import (
	"errors"
	"sync"
	"sync/atomic"
)

// boundingRun bounds the units of all partitions, by several goroutines that each take the next partition.
type boundingRun struct {
	rows   *Rows
	limits Limits
	next   atomic.Int32
	failed atomic.Bool
	mutex  sync.Mutex
	// keep takes in rows with the same content that units may contribute. It is called by one goroutine at a time.
	keep  func(content []byte, rows uint64)
	tally BoundTally
}

// BoundTally is how many rows with a cell, a value and a unit a query has, and how many of them the bounds of their units leave out. It
// is exact and private, as all that an operator's tally counts.
type BoundTally struct{ Rows, Cut int64 }

// Bound enforces the limits on each unit and hands what is kept to keep. The rows are gone after it.
func (r *Rows) Bound(l Limits, keep func(content []byte, rows uint64)) (t BoundTally, err error) {
	if r.failed != nil {
		return t, r.failed
	}
	for i := range r.partitions {
		r.endSegment(i)
	}
	r.free, r.dense.scratch = nil, nil
	b := &boundingRun{rows: r, limits: l, keep: keep}
	errs := make(chan error)
	n := max(1, min(r.spill.Workers(), partitionCount))
	for range n {
		go func() { errs <- b.boundPartitions() }()
	}
	var first error
	for range n {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	return b.tally, first
}

// boundPartitions bounds partitions until there are none left, or one failed.
func (b *boundingRun) boundPartitions() error {
	g := newGatherer(b.rows)
	u := unitBounder{rows: g, sampler: sampler{limits: b.limits, contents: g, cellWidth: g.cellWidth}}
	for !b.failed.Load() {
		i := int(b.next.Add(1)) - 1
		if i >= partitionCount {
			return nil
		}
		if err := b.boundPartition(&u, &b.rows.partitions[i]); err != nil {
			b.failed.Store(true)
			return err
		}
		b.rows.partitions[i] = partition{}
	}
	return nil
}

// boundPartition bounds the units of a partition.
func (b *boundingRun) boundPartition(u *unitBounder, p *partition) error {
	if err := b.rows.spill.Err(); err != nil || len(p.ended) == 0 {
		return err
	}
	u.rows.skip, u.rows.room = setAside{}, b.rows.spill.Room()
	return b.boundPass(u, p, pass{})
}

// boundPass bounds the units of a pass: all at once if their rows fit, those with very many rows by themselves, and else in two passes.
func (b *boundingRun) boundPass(u *unitBounder, p *partition, in pass) error {
	for {
		switch err := u.rows.gather(p.ended, in); {
		case err == nil:
			u.bound()
			b.handOn(u.kept, u.cut, u.rows.content)
			return nil
		case !errors.Is(err, errTooManyRows):
			return err
		}
		oversized := u.rows.oversizedUnits()
		for _, unit := range oversized {
			c := oversizedUnit{unitBounder: u, segments: p.ended, unit: unit}
			if err := c.bound(); err != nil {
				return err
			}
			b.handOn(c.kept, c.cut, c.content)
		}
		u.rows.skip.units = append(u.rows.skip.units, oversized...)
		if len(oversized) == 0 {
			break
		}
	}
	if in.mask+1 >= maxPasses {
		return errTooManyRows
	}
	one, other := in.halves()
	if err := b.boundPass(u, p, one); err != nil {
		return err
	}
	return b.boundPass(u, p, other)
}

// handOn hands on what is kept, and counts it and the rows that are cut.
func (b *boundingRun) handOn(kept []slot, cut uint64, content func(ref uint32) []byte) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	rows := cut
	for _, x := range kept {
		b.keep(content(x.ref), x.rows)
		rows += x.rows
	}
	b.tally.Rows += int64(rows)
	b.tally.Cut += int64(cut)
}

// unitBounder bounds the units of one partition after the other.
type unitBounder struct {
	rows    *gatherer
	sampler sampler
	kept    []slot // of the partition's units
	cut     uint64 // rows of the partition's units that are not kept
}

// Bound enforces the limits on the units that were gathered.
func (u *unitBounder) bound() {
	u.kept, u.cut = u.kept[:0], 0
	l := u.sampler.limits
	few := min(l.Rows, l.Groups, l.PerGroup)
	start := uint32(0)
	for id, end := range u.rows.ends {
		refs := u.rows.order[start:end]
		start = end
		if int64(len(refs)) <= few && len(u.rows.counts) == 0 {
			for _, ref := range refs {
				u.kept = append(u.kept, slot{ref, 1})
			}
			continue
		}
		slots := u.rows.slotsOf(int32(id), refs)
		u.cut += total(slots)
		for _, x := range u.sampler.keepWithinLimits(slots) {
			if x.rows > 0 {
				u.kept = append(u.kept, x)
				u.cut -= x.rows
			}
		}
	}
}
