package bounding

import "slices"

// digests caches the digests of the rows of one unit, so that the queries that share records compute each digest once.
type digests struct {
	On      bool    // false for a unit with too many rows: its digests are not cached
	first   []int32 // for each slot, the index in digests of its first row's digest; -1 if it was not computed
	digests []digest
	content []byte // working memory: the digest of occurrence 0, with which the messages of later occurrences begin
}

// reset removes all digests. slots are all slots of the next unit.
func (r *digests) reset(slots []slot) {
	r.On = totalRows(slots) <= maxCached
	r.first, r.digests = r.first[:0], r.digests[:0]
	for range slots {
		r.first = append(r.first, -1)
	}
}

// add computes the missing digests of slots: first the digest of occurrence 0 of each content, then the digests of the
// later occurrences, whose messages hold the first digest.
func (r *digests) add(slots []slot, m *messages) {
	from, later := len(r.digests), false
	for _, x := range slots {
		if r.first[x.At] < 0 {
			r.first[x.At] = int32(len(r.digests))
			r.digests = slices.Grow(r.digests, int(x.Rows))[:len(r.digests)+int(x.Rows)]
			later = later || x.Rows > 1
		}
	}
	if len(r.digests) == from {
		return
	}
	m.openRows(len(m.Contents.Content(slots[0].Ref)))
	for _, x := range slots {
		if first := r.first[x.At]; int(first) >= from {
			m.batch.SetContent(m.Contents.Content(x.Ref))
			r.addOne(m, 0, first)
		}
	}
	r.store(m)
	if !later {
		return
	}
	m.openLater()
	for _, x := range slots {
		if first := r.first[x.At]; int(first) >= from && x.Rows > 1 {
			r.content = r.digests[first].AppendTo(r.content[:0])
			m.batch.SetContent(r.content)
			for n := range int32(x.Rows) - 1 {
				r.addOne(m, uint64(n)+1, first+n+1)
			}
		}
	}
	r.store(m)
}

// addOne adds a message to the batch. Its digest will become r.digests[index].
func (r *digests) addOne(m *messages, number uint64, index int32) {
	if m.batch.Full() {
		r.store(m)
	}
	m.batch.Add(number, index)
}

func (r *digests) store(m *messages) {
	sums, indexes := m.batch.Empty()
	for i, index := range indexes {
		r.digests[index] = sums[i]
	}
}

// rowDigests returns the digests of the rows of a slot, one for each occurrence. add must have been called with the
// slot.
func (r *digests) rowDigests(x slot) []digest { return r.digests[r.first[x.At]:][:x.Rows] }

// maxCached is the largest number of rows of a unit whose digests are cached.
const maxCached = 1 << 12
