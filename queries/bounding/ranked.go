package bounding

import (
	"math"
	"slices"
)

// Rows by rank
//
// The bound on the rows of a unit may be chosen after all rows are read, from noisy numbers. A unit then contributes
// the same rows as with that bound from the start: of the rows that the other bounds keep, the k with the smallest
// digests. A larger bound keeps the same rows and more. So each row has a rank: the smallest bound under which it is
// kept. Rows are added up by rank, and the answer under a bound is the sum over all ranks up to this bound.

// step returns the index of the first of the Steps that is at least rank; ranks begin at 1.
func (r *Ranked) step(rank int64) int {
	step, _ := slices.BinarySearch(r.Steps, rank)
	return step
}

// few returns the number of rows of a unit up to which no digests are needed. Ranks need digests as soon as there are
// two rows.
func (b *Bounded) few() int64 {
	if b.Ranked != nil {
		return 1
	}
	return math.MaxInt64
}

// handUp passes kept rows of some units to the functions of to, and returns their number.
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

// keepRanked keeps the rows of a unit that are within its limits, each with the step of its rank. slots must be sorted
// by cell.
func (q *queryBounder) keepRanked(slots []slot) {
	rows := totalRows(slots)
	if rows == 0 {
		return
	}
	q.cut += rows
	l := q.sampler.Limits
	if len(slots) == 1 { // equal rows: any order gives the same ranks
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

// keepRanks appends the rows of a sample to kept, each with the step of its rank, and returns how many they are.
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
