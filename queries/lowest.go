package queries

import (
	"bytes"
	"slices"
)

// item is a candidate: its digest and the place of its cell.
type item struct {
	digest digest
	index  int
}

// lowest keeps the items of lowest digest, limit of them: it gathers up to twice as many and then lets the higher half go.
type lowest struct {
	limit int64
	items []item
	cut   bool // items were let go: none above the last one kept matters any more
	worst digest
}

// reset forgets all items.
func (l *lowest) reset(limit int64) { l.limit, l.items, l.cut = limit, l.items[:0], false }

func (l *lowest) add(x item) {
	if l.cut && bytes.Compare(x.digest[:], l.worst[:]) >= 0 {
		return
	}
	l.items = append(l.items, x)
	if int64(len(l.items))-l.limit >= l.limit {
		l.kept()
	}
}

// kept returns the lowest items so far, in any order.
func (l *lowest) kept() []item {
	if int64(len(l.items)) <= l.limit {
		return l.items
	}
	slices.SortFunc(l.items, func(a, b item) int { return bytes.Compare(a.digest[:], b.digest[:]) })
	l.items = l.items[:l.limit]
	l.cut, l.worst = true, l.items[l.limit-1].digest
	return l.items
}
