package bounding

import (
	"errors"
	"sync"
	"sync/atomic"
)

// boundingRun bounds the units of all partitions, by several goroutines that each take the next partition.
type boundingRun struct {
	rows    *Rows
	queries []boundQuery
	tallies []BoundTally
	all     *allContents // nil if records have their contents
	next    atomic.Int32
	failed  atomic.Bool
	mutex   sync.Mutex // held while kept rows are passed on
}

// Bound enforces the limits on each unit and calls keep for the kept rows. It empties r.
func (r *Rows) Bound(l Limits, keep func(content []byte, rows uint64)) (BoundTally, error) {
	return r.BoundBy(Bounded{Limits: l, Keep: keep})
}

// BoundBy is Bound for rows that may be kept by rank.
func (r *Rows) BoundBy(b Bounded) (BoundTally, error) {
	whole := view{width: r.Size, cellWidth: r.cellWidth}
	tallies, err := r.boundAll([]boundQuery{{whole, b}})
	return tallies[0], err
}

// boundAll bounds the units for several queries at once.
func (r *Rows) boundAll(queries []boundQuery) ([]BoundTally, error) {
	b := &boundingRun{rows: r, queries: queries, tallies: make([]BoundTally, len(queries))}
	if r.failed != nil {
		return b.tallies, r.failed
	}
	for i := range r.partitions {
		r.endSegment(i)
	}
	if r.failed != nil {
		return b.tallies, r.failed
	}
	r.staged.drop()
	r.free, r.repeats = nil, repeats{}
	if r.numbers != nil {
		b.all = r.joinContents()
	}
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
	return b.tallies, first
}

// joinContents joins the contents of all segments. It returns nil if some records hold their contents.
func (r *Rows) joinContents() *allContents {
	all := newAllContents(r.Size)
	for i := range r.partitions {
		for j := range r.partitions[i].ended {
			n := r.partitions[i].ended[j].numbers
			if n == nil {
				return nil
			}
			if all.places(n) == nil {
				all.join(n)
			}
		}
	}
	return all
}

// boundPartitions bounds partitions until there are none left, or one failed.
func (b *boundingRun) boundPartitions() error {
	g := newGatherer(b.rows)
	g.all = b.all
	u := newUnitBounder(g, b.queries)
	for !b.failed.Load() {
		i := int(b.next.Add(1)) - 1
		if i >= partitionCount {
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

// boundPartition bounds the units of a partition.
func (b *boundingRun) boundPartition(u *unitBounder, p *partition) error {
	if err := b.rows.spill.Err(); err != nil || len(p.ended) == 0 {
		return err
	}
	u.rows.skip, u.rows.room = setAside{}, b.rows.spill.Room()
	return b.boundPass(u, p, pass{})
}

// boundPass bounds the units of a pass, all at once if their rows fit in memory. If not, it bounds oversized units one
// at a time and tries again; if there are none, it splits the pass into two.
func (b *boundingRun) boundPass(u *unitBounder, p *partition, in pass) error {
	for {
		switch err := u.rows.gather(p.ended, in); {
		case err == nil:
			u.bound()
			for i := range u.queries {
				q := &u.queries[i]
				b.handOn(q, q.kept, q.cut, u.rows.Content)
				b.addUnits(q, q.units)
			}
			return nil
		case !errors.Is(err, errTooManyRows):
			return err
		}
		oversized := u.rows.oversizedUnits()
		for _, unit := range oversized {
			for i := range u.queries {
				c := oversizedUnit{unitBounder: u, query: &u.queries[i], segments: p.ended, unit: unit}
				if err := c.bound(); err != nil {
					return err
				}
				if c.query.counts {
					numberContents(c.kept)
				}
				b.handOn(c.query, c.kept, c.cut, c.Content)
				if len(c.kept) > 0 {
					b.addUnits(c.query, 1)
				}
			}
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

// handOn passes a query's kept rows to the caller, and counts these rows and the dropped ones.
func (b *boundingRun) handOn(q *queryBounder, kept []slot, cut uint64, content func(ref uint32) []byte) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	keep, rows := b.queries[q.number].Keep, cut
	if q.ranked != nil {
		rows += q.handUp(q.ranked, kept, content)
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

// addUnits counts units of which a query keeps a row.
func (b *boundingRun) addUnits(q *queryBounder, units int64) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.tallies[q.number].Units += units
}

// bound enforces the limits on the units that were gathered.
func (u *unitBounder) bound() {
	for i := range u.queries {
		u.queries[i].kept, u.queries[i].cut, u.queries[i].units = u.queries[i].kept[:0], 0, 0
	}
	start := uint32(0)
	for id, end := range u.rows.ends {
		refs := u.rows.order[start:end]
		start = end
		if int64(len(refs)) <= u.few && len(u.rows.counts) == 0 {
			u.keepAll(refs)
			continue
		}
		slots := u.rows.slotsOf(int32(id), refs)
		u.digests.reset(slots)
		u.sample.k = 0
		u.inAll = u.rows.inAll(slots)
		for i := range u.queries {
			q := &u.queries[i]
			before := len(q.kept)
			switch {
			case q.shared:
				q.keepOwn(u, slots)
			case q.ranked != nil:
				q.keepRanked(slots)
			default:
				q.keepWithinLimits(slots)
			}
			q.endUnit(before)
		}
	}
}

// endUnit counts a unit, of which the slots from before on are kept.
func (q *queryBounder) endUnit(before int) {
	of := q.kept[before:]
	if len(of) > 0 {
		q.units++
	}
	if q.counts {
		numberContents(of)
	}
}

// numberContents writes the number of slots into each slot of a unit.
func numberContents(of []slot) {
	for i := range of {
		of[i].At = int32(len(of))
	}
}

// keepAll keeps rows that are each there once.
func (u *unitBounder) keepAll(refs []uint32) {
	for i := range u.queries {
		q := &u.queries[i]
		before := len(q.kept)
		for _, ref := range refs {
			if q.has(u.rows.Content(ref)) {
				q.kept = append(q.kept, slot{Ref: ref, Rows: 1})
				if q.ranked != nil {
					q.ends[0]++
				}
			}
		}
		q.endUnit(before)
	}
}

// keepWithinLimits keeps the rows of a unit within the query's limits.
func (q *queryBounder) keepWithinLimits(slots []slot) {
	q.cut += totalRows(slots)
	for _, x := range q.sampler.keepWithinLimits(slots) {
		if x.Rows > 0 {
			q.kept = append(q.kept, x)
			q.cut -= x.Rows
		}
	}
}
