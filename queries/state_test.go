package queries

import (
	"bytes"
	"errors"
	"testing"
)

// carries counts the calls of carried.
var carries int

// carried returns accumulators unchanged or, in two of three cases, others that have loaded their state: at once, or
// first the totals and then the rows of three buckets. So every test of exact answers also tests states.
func carried(tb testing.TB, all []adding, fresh func() ([]adding, error)) []adding {
	tb.Helper()
	carries++
	if carries%3 == 0 {
		return all
	}
	next, err := fresh()
	if err != nil {
		tb.Fatal(err)
	}
	if carries%3 == 1 {
		var b bytes.Buffer
		if err := errors.Join(Save(bare(all), &b), Load(bare(next), &b)); err != nil || b.Len() > 0 {
			tb.Fatalf("%v, %d bytes left", err, b.Len())
		}
		return next
	}
	for _, blocks := range inBuckets(tb, all) {
		for _, block := range blocks {
			if err := LoadRows(bare(next), block); err != nil {
				tb.Fatal(err)
			}
		}
	}
	var b bytes.Buffer
	if err := errors.Join(SaveTotals(bare(all), &b), LoadTotals(bare(next), &b)); err != nil {
		tb.Fatal(err)
	}
	return next
}

// inBuckets saves the rows of units of accumulators, in blocks for three buckets.
func inBuckets(tb testing.TB, all []adding) [][][]byte {
	tb.Helper()
	buckets := make([][][]byte, 3)
	text := func(unit []byte) uint64 { return uint64(len(unit)+int(unit[0])) << 50 }
	err := SaveRows(bare(all), NewBuckets(3, [16]byte{3, 5, 8: 7, 15: 77}, text), 100, func(bucket int, block []byte) error {
		buckets[bucket] = append(buckets[bucket], bytes.Clone(block))
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return buckets
}

// bounds counts the calls of boundInBuckets. asGathered disables it, for tests that add more rows or check the counts
// of dropped rows, which are not part of a state.
var (
	bounds     int
	asGathered bool
)

// boundInBuckets returns accumulators unchanged or, in half of the cases, others with the same answers, for which the
// rows of each bucket were bounded separately.
func boundInBuckets(tb testing.TB, all []adding, fresh func() ([]adding, error)) []adding {
	tb.Helper()
	if bounds++; bounds%2 == 0 || asGathered {
		return all
	}
	final, err := fresh()
	if err != nil {
		tb.Fatal(err)
	}
	buckets := inBuckets(tb, all)
	for i, blocks := range append(buckets, nil) {
		apart := all
		if i < len(buckets) {
			if apart, err = fresh(); err != nil {
				tb.Fatal(err)
			}
		}
		for _, block := range blocks {
			if err := LoadRows(bare(apart), block); err != nil {
				tb.Fatal(err)
			}
		}
		var b bytes.Buffer
		if err := errors.Join(Bound(bare(apart)), SaveTotals(bare(apart), &b), LoadTotals(bare(final), &b)); err != nil {
			tb.Fatal(err)
		}
	}
	return final
}
