package bounding

import (
	"bytes"
	"encoding/binary"
)

// Partitions that do not fit in memory
//
// The rows of a partition may not fit in the memory of the goroutine that bounds it: a store with a small share of the
// memory has few partitions. Then all records are copied once to a store with more partitions, which the next bits of
// the units' hashes choose, and these partitions are bounded one after another. So a record is read only a few times,
// however many rows there are.

// maxHashBits is the maximum number of bits of a unit's hash that choose a partition. Different units agree in so many
// bits only if there are far more than a table can have.
const maxHashBits = 48

// roomSpill is a Spill for a store that one goroutine fills while it bounds units.
type roomSpill struct{ Spill }

// Share returns the memory of the goroutine.
func (s roomSpill) Share() int64 { return s.Room() }

// divide copies the records of some segments to a new store and returns it. The first used bits of the hashes of all
// units are equal.
func (g *gatherer) divide(segments []segment, used uint8) (*Rows, error) {
	if used >= maxHashBits {
		return nil, errTooManyRows
	}
	g.forget()
	g.grouped = grouped{} // its memory is for the new store
	r := &Rows{units: g.units, recordShape: g.recordShape, spill: roomSpill{g.spill}, unitCache: unitCache{generation: 1},
		nextSearch: firstSearch}
	r.split(used)
	if g.all == nil {
		r.width = r.packedWidth()
	}
	var texts []loadedText
	to := segmentReader{
		startTexts: func() { texts = texts[:0] },
		text:       func(unit []byte) { texts = append(texts, r.loaded(bytes.Clone(unit))) },
		single:     func(records []byte) { r.copyRecords(records, 0, texts) },
		counted:    func(records []byte) { r.copyRecords(records, countBytes, texts) },
	}
	for i := range segments {
		s := &segments[i]
		if g.all != nil && r.numbers != s.numbers {
			r.endSegments()
			r.numbers = s.numbers
		}
		if err := g.read(s, to); err != nil {
			return nil, err
		}
	}
	r.endSegments()
	r.free, r.repeats = nil, repeats{}
	return r, r.failed
}

// copyRecords appends records of another store with the same shape. more is the length of the multiplicity after each
// record, 0 or countBytes. A unit of text has its number among texts.
func (r *Rows) copyRecords(records []byte, more int, texts []loadedText) {
	appendTo := r.appendRecord
	if more > 0 {
		appendTo = r.appendCountedRecord
	}
	for width := r.width + more; len(records) >= width && r.failed == nil; records = records[width:] {
		if !r.units.HasText() {
			copy(appendTo(r.partitionOf(hashBytes(records[:r.key]))), records[:width])
			continue
		}
		t := &texts[binary.LittleEndian.Uint32(records)]
		to := appendTo(r.partitionOf(t.unit.hash))
		copy(to, records[:width])
		r.putLoaded(to, t)
	}
}
