package bounding

import (
	"math"
	"slices"
)

// Rows by rank
//
// The bound on the rows of a unit may be chosen after all rows are read, from noisy numbers. A unit then contributes
// the same rows as with that bound from the start: of the rows that the other bounds keep, the k with the smallest
// digests. These sets are nested, so each row has a rank: the least bound under which it is kept. Rows are added up by
// rank, and the answer under a bound is the sum over the ranks up to it.

// step returns the least step that keeps a row of a rank, from 1.
func (r *Ranked) step(rank int64) int {
	step, _ := slices.BinarySearch(r.Steps, rank)
	return step
}

// few returns the number of rows up to which a unit needs no digests.
func (b *Bounded) few() int64 {
	if b.Ranked != nil {
		return 1
	}
	return math.MaxInt64
}

// handUp passes the kept rows of some units to to.Keep, by rank.
func (q *queryBounder) handUp(to *Ranked, kept []slot, content func(ref uint32) []byte) (rows uint64) {
	for _, x := range kept {
		to.Keep(int(x.At), q.own(content(x.Ref)), x.Rows)
		rows += x.Rows
	}
	for step, n := range q.ends {
		if n > 0 {
			to.Units(step, n)
		}
	}
	clear(q.ends)
	return rows
}

// keepRanked keeps the rows of a unit with the steps of their ranks. Rows of one cell must be adjacent in slots.
func (q *queryBounder) keepRanked(slots []slot) {
	rows := totalRows(slots)
	if rows == 0 {
		return
	}
	q.cut += rows
	l := q.sampler.Limits
	if len(slots) == 1 { // equal rows: any may be the first
		left := int64(min(rows, uint64(l.Rows), uint64(l.RowsPerCell)))
		q.ends[q.ranked.step(left)]++
		q.cut -= uint64(left)
		for step, from := 0, int64(0); from < left; step++ {
			to := min(q.ranked.Steps[step], left)
			q.kept = append(q.kept, slot{Ref: slots[0].Ref, At: int32(step), Rows: uint64(to - from)})
			from = to
		}
		return
	}
	q.sampler.startUnit()
	q.sampler.cut(slots)
	slots = q.sampler.keepCells(slots)
	q.cut -= q.keepRanks(q.sampler.firstRows(slots), func(index int) uint32 { return slots[index].Ref }, &q.kept)
}

// keepRanks appends sampled rows to kept, with the steps of their ranks, and returns their number.
func (q *queryBounder) keepRanks(sample []candidate, ref func(index int) uint32, kept *[]slot) uint64 {
	slices.SortFunc(sample, func(a, b candidate) int { return a.Digest.Compare(&b.Digest) })
	for i, x := range sample {
		*kept = append(*kept, slot{Ref: ref(x.Index), At: int32(q.ranked.step(int64(i) + 1)), Rows: 1})
	}
	if n := len(sample); n > 0 {
		q.ends[q.ranked.step(int64(n))]++
	}
	return uint64(len(sample))
}
