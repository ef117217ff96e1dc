// Package bottomk keeps the candidates of smallest digest.
package bottomk

import (
	"slices"

	"github.com/dprelease/dprelease/queries/internal/manyhash"
)

// Item is a candidate: its digest and its place among the caller's.
type Item struct {
	Digest manyhash.Sum
	Index  int
}

// fewItems is the limit up to which items are kept sorted.
const fewItems = 32

// Sample is a bottom-k sample: it keeps the items of smallest digest, limit of them. A few are kept sorted. If the limit is larger, it
// gathers up to twice as many items and then drops the half with the larger digests.
type Sample struct {
	limit int64
	items []Item
	// full says that the limit is reached: digests above the last one kept are rejected. Those whose first eight bytes are above bar are
	// among them.
	full  bool
	bar   uint64
	Taken bool // an item was added since somebody set it to false
}

// Reset forgets all items.
func (l *Sample) Reset(limit int64) {
	l.limit, l.items, l.full, l.Taken = limit, l.items[:0], false, false
}

// Add adds an Item unless its digest is rejected.
func (l *Sample) Add(d *manyhash.Sum, index int) {
	if l.Rejects(d) {
		return
	}
	if l.limit <= fewItems {
		l.insert(Item{*d, index})
		return
	}
	l.Taken = true
	l.items = append(l.items, Item{*d, index})
	if int64(len(l.items))-l.limit >= l.limit {
		l.Kept()
	}
}

// Rejects says that a digest is above those that are kept.
func (l *Sample) Rejects(d *manyhash.Sum) bool { return l.full && d.First() > l.bar }

// insert puts an item in its place among the sorted ones, unless its digest is rejected.
func (l *Sample) insert(x Item) {
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
func (l *Sample) raise() {
	if n := int64(len(l.items)); n == l.limit {
		l.full, l.bar = true, l.items[n-1].Digest.First()
	}
}

// Kept returns the items of smallest digest so far, in any order.
func (l *Sample) Kept() []Item {
	if int64(len(l.items)) <= l.limit {
		return l.items
	}
	slices.SortFunc(l.items, func(a, b Item) int { return a.Digest.Compare(&b.Digest) })
	l.items = l.items[:l.limit]
	l.raise()
	return l.items
}
