package bounding

import (
	"math"
	"slices"
)

// Rows by rank
//
// The bound k on the rows of a unit may be chosen after all rows are read, from noisy numbers. Under bound k, a unit
// contributes the k rows with the smallest digests among the rows that the other bounds keep. A larger k keeps the same
// rows and more. So each row has a rank, which is the smallest k under which it is kept. Rows are added up separately
// for each rank; the answer under bound k is the sum over all ranks up to k. Only some values of k can be chosen, the
// Steps: a row counts at the first step that is at least its rank.

// Ranked receives kept rows by step, for a bound on the rows of a unit that is chosen later. One goroutine at a time
// calls its functions.
type Ranked struct {
	// Steps are the bounds among which one is chosen later, ascending. The last one is Limits.Rows.
	Steps []int64
	// Keep receives a content, and how many rows of one unit with this content are kept if and only if the chosen bound is
	// at least Steps[step].
	Keep func(step int, content []byte, rows uint64)
	// Units receives a number of units for which Steps[step] is the smallest bound that keeps all their rows.
	Units func(step int, units int64)
}

// step returns the index of the first of the Steps that is at least rank. Ranks begin at 1.
func (r *Ranked) step(rank int64) int {
	step, _ := slices.BinarySearch(r.Steps, rank)
	return step
}

// unhashed returns the largest number of rows that a unit within the query's limits may have without needing digests: 1
// if rows get ranks, otherwise any number.
func (b *Bounded) unhashed() int64 {
	if b.Ranked != nil {
		return 1
	}
	return math.MaxInt64
}

// deliverRanked passes kept rows of some units to the functions of to, and returns how many rows they are.
func (q *queryBounder) deliverRanked(to *Ranked, kept []slot, content func(ref uint32) []byte) (rows uint64) {
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

// keepRanked keeps the rows of a unit that are within the query's limits, each with its step. slots must be sorted by
// cell.
func (q *queryBounder) keepRanked(slots []slot) {
	rows := totalRows(slots)
	if rows == 0 {
		return
	}
	q.cut += rows
	l := q.sampler.Limits
	if len(slots) == 1 { // the rows are equal: in any order, their ranks are 1, 2, 3, …
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

// keepRanks appends the rows of a sample to kept, each with its step, and returns how many rows they are.
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
