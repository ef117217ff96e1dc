package bounding

import (
	"errors"
	"sync"
	"sync/atomic"
)

// boundingRun bounds the units of all parts, by several goroutines that each take the next part.
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
// is exact and private, as a [Tally].
type BoundTally struct{ Rows, Cut int64 }

// Bound enforces the limits on each unit and hands what is kept to keep. The rows are gone after it.
func (r *Rows) Bound(l Limits, keep func(content []byte, rows uint64)) (t BoundTally, err error) {
	if r.failed != nil {
		return t, r.failed
	}
	for i := range r.partitions {
		r.close(i)
	}
	r.free, r.dense.scratch = nil, nil
	b := &boundingRun{rows: r, limits: l, keep: keep}
	errs := make(chan error)
	n := max(1, min(r.spill.Workers(), partitionCount))
	for range n {
		go func() { errs <- b.run() }()
	}
	var first error
	for range n {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	return b.tally, first
}

// run bounds parts until there are none left, or one failed.
func (b *boundingRun) run() error {
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

// boundPartition bounds the units of a part.
func (b *boundingRun) boundPartition(u *unitBounder, p *partition) error {
	if err := b.rows.spill.Err(); err != nil || len(p.ended) == 0 {
		return err
	}
	u.rows.skip, u.rows.room = setAside{}, b.rows.spill.Room()
	return b.pass(u, p, pass{})
}

// pass bounds the units of a pass: all at once if their rows fit, those with very many rows by themselves, and else in two passes.
func (b *boundingRun) pass(u *unitBounder, p *partition, in pass) error {
	for {
		switch err := u.rows.gather(p.ended, in); {
		case err == nil:
			u.bound()
			b.take(u.kept, u.cut, u.rows.content)
			return nil
		case !errors.Is(err, errTooManyRows):
			return err
		}
		crowds := u.rows.oversizedUnits()
		for _, unit := range crowds {
			c := oversizedUnit{unitBounder: u, segments: p.ended, unit: unit}
			if err := c.bound(); err != nil {
				return err
			}
			b.take(c.kept, c.cut, c.content)
		}
		u.rows.skip.units = append(u.rows.skip.units, crowds...)
		if len(crowds) == 0 {
			break
		}
	}
	if in.mask+1 >= maxPasses {
		return errTooManyRows
	}
	one, other := in.halves()
	if err := b.pass(u, p, one); err != nil {
		return err
	}
	return b.pass(u, p, other)
}

// take hands on what is kept, and counts it and the rows that are cut.
func (b *boundingRun) take(kept []slot, cut uint64, content func(ref uint32) []byte) {
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

// unitBounder bounds the units of one part after the other.
type unitBounder struct {
	rows    *gatherer
	sampler sampler
	kept    []slot // of the part's units
	cut     uint64 // rows of the part's units that are not kept
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
		for _, x := range u.sampler.keep(slots) {
			if x.rows > 0 {
				u.kept = append(u.kept, x)
				u.cut -= x.rows
			}
		}
	}
}
