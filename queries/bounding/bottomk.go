package bounding

import (
	"slices"

	"github.com/dprelease/dprelease/queries/internal/manyhash"
)

// digest orders what a unit might contribute.
type digest = manyhash.Sum

// item is a candidate: its digest and the place of its cell or slot.
type item struct {
	digest digest
	index  int
}

// fewItems is the limit up to which items are kept sorted.
const fewItems = 32

// bottomK is a bottom-k sample: it keeps the items of smallest digest, limit of them. A few are kept sorted. If the limit is larger, it
// gathers up to twice as many items and then drops the half with the larger digests.
type bottomK struct {
	limit int64
	items []item
	// full says that the limit is reached: digests above the last one kept are rejected. Those whose first eight bytes are above bar are
	// among them.
	full  bool
	bar   uint64
	taken bool // an item was added since somebody asked
}

// reset forgets all items.
func (l *bottomK) reset(limit int64) {
	l.limit, l.items, l.full, l.taken = limit, l.items[:0], false, false
}

// addDigest adds an item unless its digest is rejected.
func (l *bottomK) addDigest(d *digest, index int) {
	if l.full && d.First() > l.bar {
		return
	}
	if l.limit <= fewItems {
		l.insert(item{*d, index})
		return
	}
	l.taken = true
	l.items = append(l.items, item{*d, index})
	if int64(len(l.items))-l.limit >= l.limit {
		l.kept()
	}
}

// insert puts an item in its place among the sorted ones, unless its digest is rejected.
func (l *bottomK) insert(x item) {
	if l.full {
		if x.digest.Compare(&l.items[len(l.items)-1].digest) >= 0 {
			return
		}
		l.items = l.items[:len(l.items)-1]
	}
	l.items = append(l.items, x)
	i := len(l.items) - 1
	for ; i > 0 && x.digest.Compare(&l.items[i-1].digest) < 0; i-- {
		l.items[i] = l.items[i-1]
	}
	l.items[i] = x
	l.taken = true
	l.raise()
}

// raise sets the bar if there are enough items, sorted.
func (l *bottomK) raise() {
	if n := int64(len(l.items)); n == l.limit {
		l.full, l.bar = true, l.items[n-1].digest.First()
	}
}

// kept returns the items of smallest digest so far, in any order.
func (l *bottomK) kept() []item {
	if int64(len(l.items)) <= l.limit {
		return l.items
	}
	slices.SortFunc(l.items, func(a, b item) int { return a.digest.Compare(&b.digest) })
	l.items = l.items[:l.limit]
	l.raise()
	return l.items
}
