package bounding

import (
	"errors"
	"sync"
	"sync/atomic"
)

// boundingRun bounds the units of all partitions, on several goroutines: each takes the next partition that nobody
// has taken.
type boundingRun struct {
	rows    *Rows
	queries []boundQuery
	tallies []BoundTally
	all     *allContents // the distinct contents, if records hold content numbers instead of contents; else nil
	next    atomic.Int32 // the index of the next partition to take
	failed  atomic.Bool
	mutex   sync.Mutex // held while the callers' functions receive kept rows
}

// Bound drops rows of each unit until the unit is within l. It passes the kept rows to keep: a content, and how many
// rows of one unit with this content are kept. It empties r. Errors are errors of the spill.
func (r *Rows) Bound(l Limits, keep func(content []byte, rows uint64)) (BoundTally, error) {
	return r.BoundBy(Bounded{Limits: l, Keep: keep})
}

// BoundBy does the same as Bound, but passes the kept rows to the functions of b.
func (r *Rows) BoundBy(b Bounded) (BoundTally, error) {
	whole := view{width: r.Size, cellWidth: r.cellWidth}
	tallies, err := r.boundAll([]boundQuery{{whole, b}})
	return tallies[0], err
}

// boundAll bounds each unit by the limits of several queries, each query by itself. It returns a tally for each query.
func (r *Rows) boundAll(queries []boundQuery) ([]BoundTally, error) {
	b := &boundingRun{rows: r, queries: queries, tallies: make([]BoundTally, len(queries))}
	if r.failed != nil {
		return b.tallies, r.failed
	}
	r.endSegments()
	if r.failed != nil {
		return b.tallies, r.failed
	}
	r.staged.drop()
	r.free, r.repeats = nil, repeats{}
	if r.numbers != nil {
		b.all = r.joinContents()
	}
	errs := make(chan error)
	n := max(1, min(r.spill.Workers(), len(r.partitions)))
	for range n {
		go func() { errs <- b.boundPartitions() }()
	}
	var first error
	for range n {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	return b.tallies, first
}

// joinContents collects the distinct contents of all segments. It returns nil if some records hold contents instead of
// content numbers.
func (r *Rows) joinContents() *allContents {
	all := newAllContents(r.Size)
	for i := range r.partitions {
		for j := range r.partitions[i].ended {
			n := r.partitions[i].ended[j].numbers
			if n == nil {
				return nil
			}
			if all.idsOf(n) == nil {
				all.join(n)
			}
		}
	}
	return all
}

// boundPartitions bounds one partition after another until none is left or any goroutine has failed.
func (b *boundingRun) boundPartitions() error {
	g := newGatherer(b.rows)
	g.all = b.all
	u := newUnitBounder(g, b.queries)
	for !b.failed.Load() {
		i := int(b.next.Add(1)) - 1
		if i >= len(b.rows.partitions) {
			return nil
		}
		if err := b.boundPartition(u, &b.rows.partitions[i]); err != nil {
			b.failed.Store(true)
			return err
		}
		b.rows.partitions[i] = partition{}
	}
	return nil
}

func (b *boundingRun) boundPartition(u *unitBounder, p *partition) error {
	if err := b.rows.spill.Err(); err != nil || len(p.ended) == 0 {
		return err
	}
	u.rows.skip, u.rows.room = setAside{}, b.rows.spill.Room()
	return b.boundSegments(u, p.ended, 64-b.rows.shift)
}

// boundSegments bounds the units of some segments. The first used bits of the hashes of these units are equal. If their
// rows do not fit in memory, it bounds the oversized units that it sees one at a time, excludes them, and tries again.
// If the rest does not fit either, it divides the segments into partitions: there can be many oversized units.
func (b *boundingRun) boundSegments(u *unitBounder, segments []segment, used uint8) error {
	err := u.rows.gather(segments)
	if errors.Is(err, errTooManyRows) {
		oversized := u.rows.oversizedUnits()
		for _, unit := range oversized {
			if err := b.boundOversized(u, segments, unit); err != nil {
				return err
			}
		}
		if len(oversized) > 0 {
			u.rows.skip.units = append(u.rows.skip.units, oversized...)
			err = u.rows.gather(segments)
		}
	}
	switch {
	case err == nil:
		u.bound(func(q *queryBounder) {
			b.deliver(q, q.kept, q.cut, u.rows.Content)
			b.addUnits(q, q.units)
		})
		return nil
	case !errors.Is(err, errTooManyRows):
		return err
	}
	parts, err := u.rows.divide(segments, used)
	if err != nil {
		return err
	}
	for i := range parts.partitions {
		if err := b.boundSegments(u, parts.partitions[i].ended, 64-parts.shift); err != nil {
			return err
		}
		parts.partitions[i] = partition{}
	}
	return nil
}

// boundOversized bounds one oversized unit by the limits of all queries.
func (b *boundingRun) boundOversized(u *unitBounder, segments []segment, unit []byte) error {
	for i := range u.queries {
		c := oversizedUnit{unitBounder: u, query: &u.queries[i], segments: segments, unit: unit}
		if err := c.bound(); err != nil {
			return err
		}
		if c.query.counts {
			numberContents(c.kept)
		}
		b.deliver(c.query, c.kept, c.cut, c.Content)
		if len(c.kept) > 0 {
			b.addUnits(c.query, 1)
		}
	}
	return nil
}

// deliver passes kept rows to the query's functions. It adds their number, and the number cut of dropped rows, to the
// tally.
func (b *boundingRun) deliver(q *queryBounder, kept []slot, cut uint64, content func(ref uint32) []byte) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	keep, rows := b.queries[q.number].Keep, cut
	if q.ranked != nil {
		rows += q.deliverRanked(q.ranked, kept, content)
		kept = nil
	}
	keepOf := b.queries[q.number].KeepOf
	for _, x := range kept {
		if own := q.own(content(x.Ref)); keepOf != nil {
			keepOf(own, int(x.At))
		} else {
			keep(own, x.Rows)
		}
		rows += x.Rows
	}
	b.tallies[q.number].Rows += int64(rows)
	b.tallies[q.number].Cut += int64(cut)
}

// addUnits adds to the query's tally a number of units that have at least one kept row.
func (b *boundingRun) addUnits(q *queryBounder, units int64) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.tallies[q.number].Units += units
}
