package bounding

import (
	"errors"
	"sync"
	"sync/atomic"
)

// boundingRun bounds the units of all 256 partitions. Several goroutines each take the next partition.
type boundingRun struct {
	rows    *Rows
	queries []boundQuery
	tallies []BoundTally
	all     *allContents // the distinct contents that records refer to by number; nil if records hold their contents
	next    atomic.Int32
	failed  atomic.Bool
	mutex   sync.Mutex // held while kept rows are passed to the callers
}

// Bound enforces the limits on each unit and calls keep for each content of the kept rows, with the number of rows that
// have it. It empties r.
func (r *Rows) Bound(l Limits, keep func(content []byte, rows uint64)) (BoundTally, error) {
	return r.BoundBy(Bounded{Limits: l, Keep: keep})
}

// BoundBy enforces the limits of b on each unit and passes the kept rows to the functions of b. It empties r.
func (r *Rows) BoundBy(b Bounded) (BoundTally, error) {
	whole := view{width: r.Size, cellWidth: r.cellWidth}
	tallies, err := r.boundAll([]boundQuery{{whole, b}})
	return tallies[0], err
}

// boundAll bounds each unit by the limits of several queries.
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

// joinContents collects the distinct contents of all segments. It returns nil if some records hold their contents.
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

// boundPartitions bounds one partition after the other until none is left or one has failed.
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

// boundPass bounds the units that a pass selects. If their rows do not fit in memory, it bounds oversized units one at
// a time and tries again. If no unit is oversized, it splits the pass into two.
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

// handOn passes the kept rows to the query's functions, and counts kept and dropped rows. cut is the number of dropped
// rows.
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

// addUnits adds units of which a query keeps at least one row.
func (b *boundingRun) addUnits(q *queryBounder, units int64) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.tallies[q.number].Units += units
}

// bound enforces the limits of all queries on the units that were gathered.
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

// endUnit counts the unit whose kept slots are q.kept[before:].
func (q *queryBounder) endUnit(before int) {
	of := q.kept[before:]
	if len(of) > 0 {
		q.units++
	}
	if q.counts {
		numberContents(of)
	}
}

// numberContents stores in each kept slot of a unit how many slots of the unit are kept.
func numberContents(of []slot) {
	for i := range of {
		of[i].At = int32(len(of))
	}
}

// keepAll keeps all rows of a unit that is within every limit. refs are its rows, each of which occurs once.
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

// keepWithinLimits keeps as many rows of a unit as the query's limits allow, and drops the others.
func (q *queryBounder) keepWithinLimits(slots []slot) {
	q.cut += totalRows(slots)
	for _, x := range q.sampler.keepWithinLimits(slots) {
		if x.Rows > 0 {
			q.kept = append(q.kept, x)
			q.cut -= x.Rows
		}
	}
}
