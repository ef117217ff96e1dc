package bounding

import (
	"slices"

	"github.com/dprelease/dprelease/queries/internal/manyhash"
)

// candidate is a row or cell of a unit that may be kept: its digest, and its index in a list of the caller.
type candidate struct {
	Digest manyhash.Sum
	Index  int
}

// fewCandidates is the largest sample size for which candidates are kept sorted.
const fewCandidates = 32

// bottomK is a bottom-k sample: it keeps the candidates with the smallest digests, limit of them. It keeps them sorted
// if limit is at most fewCandidates. A larger sample gathers up to 2·limit candidates and then drops those with the
// larger digests.
type bottomK struct {
	limit int64
	items []candidate
	// full is set once there are limit candidates. From then on, a digest is rejected if its first eight bytes are above
	// bar.
	full  bool
	bar   uint64
	Taken bool // a candidate was added since the caller set it to false
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

// rejects reports whether d is larger than every kept digest, judged by its first eight bytes.
func (l *bottomK) rejects(d *manyhash.Sum) bool { return l.full && d.First() > l.bar }

// insert puts a candidate in its place among the sorted ones, unless its digest is too large.
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

// raise sets bar to the largest kept digest if there are limit candidates. They must be sorted.
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
