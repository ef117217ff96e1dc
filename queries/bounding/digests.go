package bounding

import "slices"

// digests caches the digests of a unit's rows, for all queries that share its records.
type digests struct {
	On      bool
	first   []int32 // by slot, the index of its first digest in digests; -1 if none was computed
	digests []digest
	content []byte // working memory: the digest of occurrence 0, from which the digests of later occurrences are made
}

// reset forgets all digests and prepares for the slots of the next unit.
func (r *digests) reset(slots []slot) {
	r.On = totalRows(slots) <= mostDigests
	r.first, r.digests = r.first[:0], r.digests[:0]
	for range slots {
		r.first = append(r.first, -1)
	}
}

// add computes the missing digests of slots: first for occurrence 0 of each content, then for the later ones, which
// need it.
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
		if place := r.first[x.At]; int(place) >= from {
			m.batch.SetContent(m.Contents.Content(x.Ref))
			r.addOne(m, 0, place)
		}
	}
	r.take(m)
	if !later {
		return
	}
	m.openLater()
	for _, x := range slots {
		if place := r.first[x.At]; int(place) >= from && x.Rows > 1 {
			r.content = r.digests[place].AppendTo(r.content[:0])
			m.batch.SetContent(r.content)
			for n := range int32(x.Rows) - 1 {
				r.addOne(m, uint64(n)+1, place+n+1)
			}
		}
	}
	r.take(m)
}

// addOne adds a message to the batch. Its digest will be stored at index place.
func (r *digests) addOne(m *messages, number uint64, place int32) {
	if m.batch.Full() {
		r.take(m)
	}
	m.batch.Add(number, place)
}

// take stores the digests of the batch at their indices.
func (r *digests) take(m *messages) {
	sums, places := m.batch.Empty()
	for i, place := range places {
		r.digests[place] = sums[i]
	}
}

// of returns the digests of the rows of a slot. add must have been called with it.
func (r *digests) of(x slot) []digest { return r.digests[r.first[x.At]:][:x.Rows] }

// mostDigests is the largest number of rows of a unit for which digests are cached.
const mostDigests = 1 << 12
