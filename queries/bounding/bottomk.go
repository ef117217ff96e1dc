package bounding

import (
	"slices"

	"github.com/dprelease/dprelease/queries/internal/manyhash"
)

// candidate is a row or cell that may be kept: its digest and its index in the caller's list.
type candidate struct {
	Digest manyhash.Sum
	Index  int
}

// fewCandidates is the limit up to which candidates are kept sorted.
const fewCandidates = 32

// bottomK is a bottom-k sample: it keeps the limit items of smallest digest, sorted if limit is at most fewCandidates.
// If the limit is larger, it gathers up to twice as many items and then drops the half with the larger digests.
type bottomK struct {
	limit int64
	items []candidate
	// full is set if the limit is reached: digests above the last kept one are rejected. Every digest whose first eight
	// bytes are above bar is rejected.
	full  bool
	bar   uint64
	Taken bool // an item was added since the flag was cleared
}

// reset forgets all items.
func (l *bottomK) reset(limit int64) {
	l.limit, l.items, l.full, l.Taken = limit, l.items[:0], false, false
}

// add adds a candidate unless its digest is rejected.
func (l *bottomK) add(d *manyhash.Sum, index int) {
	if l.rejects(d) {
		return
	}
	if l.limit <= fewCandidates {
		l.insert(candidate{*d, index})
		return
	}
	l.Taken = true
	l.items = append(l.items, candidate{*d, index})
	if int64(len(l.items))-l.limit >= l.limit {
		l.kept()
	}
}

// rejects reports whether the first eight bytes of a digest are larger than the first eight bytes of every kept digest.
func (l *bottomK) rejects(d *manyhash.Sum) bool { return l.full && d.First() > l.bar }

// insert puts an item in its place among the sorted ones, unless its digest is rejected.
func (l *bottomK) insert(x candidate) {
	if l.full {
		if x.Digest.Compare(&l.items[len(l.items)-1].Digest) >= 0 {
			return
		}
		l.items = l.items[:len(l.items)-1]
	}
	l.items = append(l.items, x)
	i := len(l.items) - 1
	for ; i > 0 && x.Digest.Compare(&l.items[i-1].Digest) < 0; i-- {
		l.items[i] = l.items[i-1]
	}
	l.items[i] = x
	l.Taken = true
	l.raise()
}

// raise sets the bar if there are enough items, sorted.
func (l *bottomK) raise() {
	if n := int64(len(l.items)); n == l.limit {
		l.full, l.bar = true, l.items[n-1].Digest.First()
	}
}

// kept returns the items of smallest digest so far, in any order.
func (l *bottomK) kept() []candidate {
	if int64(len(l.items)) <= l.limit {
		return l.items
	}
	slices.SortFunc(l.items, func(a, b candidate) int { return a.Digest.Compare(&b.Digest) })
	l.items = l.items[:l.limit]
	l.raise()
	return l.items
}
