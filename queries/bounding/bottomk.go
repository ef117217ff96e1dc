package bounding

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// digest orders what a unit might contribute.
type digest [sha256.Size]byte

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
	full bool
	bar  uint64
}

// reset forgets all items.
func (l *bottomK) reset(limit int64) { l.limit, l.items, l.full = limit, l.items[:0], false }

// addDigest adds an item, and returns false if its digest is rejected.
func (l *bottomK) addDigest(d digest, index int) (added bool) {
	if l.full && binary.BigEndian.Uint64(d[:8]) > l.bar {
		return false
	}
	if l.limit <= fewItems {
		return l.insert(item{d, index})
	}
	l.items = append(l.items, item{d, index})
	if int64(len(l.items))-l.limit >= l.limit {
		l.kept()
	}
	return true
}

// insert puts an item in its place among the sorted ones.
func (l *bottomK) insert(x item) (added bool) {
	if l.full {
		if bytes.Compare(x.digest[:], l.items[len(l.items)-1].digest[:]) >= 0 {
			return false
		}
		l.items = l.items[:len(l.items)-1]
	}
	l.items = append(l.items, x)
	i := len(l.items) - 1
	for ; i > 0 && bytes.Compare(x.digest[:], l.items[i-1].digest[:]) < 0; i-- {
		l.items[i] = l.items[i-1]
	}
	l.items[i] = x
	l.raise()
	return true
}

// raise sets the bar if there are enough items, sorted.
func (l *bottomK) raise() {
	if n := int64(len(l.items)); n == l.limit {
		l.full, l.bar = true, binary.BigEndian.Uint64(l.items[n-1].digest[:8])
	}
}

// kept returns the items of smallest digest so far, in any order.
func (l *bottomK) kept() []item {
	if int64(len(l.items)) <= l.limit {
		return l.items
	}
	slices.SortFunc(l.items, func(a, b item) int { return bytes.Compare(a.digest[:], b.digest[:]) })
	l.items = l.items[:l.limit]
	l.raise()
	return l.items
}
