package bounding

import (
	"slices"

	"github.com/dprelease/dprelease/queries/internal/manyhash"
)

// candidate is a row or a cell of a unit that may be kept. Index is its index in a list of the caller.
type candidate struct {
	Digest manyhash.Sum
	Index  int
}

// maxSorted is the largest sample size for which a bottomK keeps its candidates sorted.
const maxSorted = 32

// bottomK is a bottom-k sample: of all candidates that are added, it keeps the limit candidates with the smallest
// digests. If limit is at most maxSorted, it inserts each candidate in sorted order. Otherwise it gathers up to 2·limit
// candidates, then sorts them and drops the larger half.
type bottomK struct {
	limit int64
	items []candidate
	// full is set as soon as limit candidates have been sorted. From then on, a digest is rejected if its first eight
	// bytes, as an integer, are above bar.
	full  bool
	bar   uint64
	Taken bool // set if a candidate was added; the caller clears it
}

// reset removes all candidates and sets the size of the sample.
func (l *bottomK) reset(limit int64) {
	l.limit, l.items, l.full, l.Taken = limit, l.items[:0], false, false
}

// add adds a candidate unless its digest is rejected.
func (l *bottomK) add(d *manyhash.Sum, index int) {
	if l.rejects(d) {
		return
	}
	if l.limit <= maxSorted {
		l.insert(candidate{*d, index})
		return
	}
	l.Taken = true
	l.items = append(l.items, candidate{*d, index})
	if int64(len(l.items))-l.limit >= l.limit {
		l.kept()
	}
}

// rejects reports whether the first eight bytes prove that d is larger than every kept digest.
func (l *bottomK) rejects(d *manyhash.Sum) bool { return l.full && d.First() > l.bar }

// insert inserts a candidate in sorted order, unless the sample is full and the digest is too large.
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

// raise sets bar to the largest kept digest if there are limit candidates. The candidates must be sorted.
func (l *bottomK) raise() {
	if n := int64(len(l.items)); n == l.limit {
		l.full, l.bar = true, l.items[n-1].Digest.First()
	}
}

// kept returns the candidates with the smallest digests, in any order.
func (l *bottomK) kept() []candidate {
	if int64(len(l.items)) <= l.limit {
		return l.items
	}
	slices.SortFunc(l.items, func(a, b candidate) int { return a.Digest.Compare(&b.Digest) })
	l.items = l.items[:l.limit]
	l.raise()
	return l.items
}
