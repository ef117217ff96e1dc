package bounding

import (
	"encoding/binary"
	"hash/maphash"
)

// Staged rows
//
// A record of a text unit holds the text's number within its partition. Looking up each text as it comes would take
// several cache misses, because the tables of all partitions are far larger than the processor's caches if there are
// many units. So rows are first staged: the text, its hash and the row's content are copied to a buffer of the
// partition. When the buffer is full, its texts are looked up one after the other, while the tables of this one
// partition are in the cache.
//
// A staged row is the lower half of the hash (four bytes), the length of the text (four bytes), the packed content, and
// the text.

const (
	stagedHeader = 8
	// A buffer starts with leastStaged bytes. It grows, up to mostStaged, while it is smaller than the texts of its
	// partition.
	leastStaged = 4 << 10
	mostStaged  = 64 << 10
)

// stageRow stages a row and returns the bytes for its packed content.
func (r *Rows) stageRow(row int) []byte {
	if r.units.Columns() == 1 {
		text := r.units.OnlyText(row)
		to := r.stage(maphash.Bytes(textSeed, text), 4+len(text))
		if to == nil {
			return r.numberedRow(row)
		}
		unit := to[r.contentWidth():]
		binary.BigEndian.PutUint32(unit, uint32(len(text)))
		copy(unit[4:], text)
		return to[:r.contentWidth()]
	}
	unit := r.units.Bytes(row)
	to := r.stage(r.units.Hash(textSeed, unit), len(unit))
	if to == nil {
		return r.numberedRow(row)
	}
	copy(to[r.contentWidth():], unit)
	return to[:r.contentWidth()]
}

// stage stages a row whose unit has unit bytes and this hash. It returns the bytes for the row's content and unit, or
// nil if the unit is too long.
func (r *Rows) stage(hash uint64, unit int) []byte {
	partition := hash >> (64 - partitionBits)
	b := r.staged.buffers[partition]
	from, n := len(b), stagedHeader+r.contentWidth()+unit
	if from+n > cap(b) {
		if b = r.emptied(partition, n); b == nil {
			return nil
		}
		from = 0
	}
	b = b[:from+n]
	r.staged.buffers[partition] = b
	row := b[from:]
	binary.LittleEndian.PutUint32(row, uint32(hash))
	binary.LittleEndian.PutUint32(row[4:], uint32(unit))
	return row[stagedHeader:]
}

// emptied makes records of the rows that are staged for a partition. It returns the empty buffer with room for n bytes,
// or nil if a buffer cannot be that long.
func (r *Rows) emptied(partition uint64, n int) []byte {
	r.numberStaged(partition)
	b := r.staged.buffers[partition]
	most := int(min(mostStaged, r.spill.Share()/8/partitionCount))
	size := max(leastStaged, cap(b))
	if t := r.partitions[partition].texts; t != nil && t.Bytes() > int64(size) {
		size *= 2
	}
	for size < n {
		size *= 2
	}
	switch size = min(size, most); {
	case size < n:
		return nil
	case size > cap(b):
		r.staged.bytes += int64(size - cap(b))
		b = make([]byte, 0, size)
	}
	return b
}

// numberedRow appends a record of a row whose unit is too long to be staged. It returns the bytes for its packed
// content.
func (r *Rows) numberedRow(row int) []byte {
	unit := r.units.Bytes(row)
	hash := r.units.Hash(textSeed, unit)
	record := r.appendRecord(hash >> (64 - partitionBits)) // this may spill the partition's texts
	binary.LittleEndian.PutUint32(record, r.numberText(hash, unit))
	return record[r.key:]
}

// lookedUp is how many texts are looked up together, so that memory accesses overlap. A first loop reads the hash
// table's slot of each text, a second loop the text to which the slot points. The lookups that follow find these in the
// cache.
const lookedUp = 128

// numberStaged makes records of the rows that are staged for a partition.
func (r *Rows) numberStaged(partition uint64) {
	b := r.staged.buffers[partition]
	if len(b) == 0 {
		return
	}
	r.staged.buffers[partition] = nil // making room for records must not begin this again
	for rest := b; len(rest) > 0; {
		rest = r.numberSome(partition, rest)
	}
	r.staged.buffers[partition] = b[:0]
}

// numberSome makes records of the first staged rows and returns the rest.
func (r *Rows) numberSome(partition uint64, staged []byte) (rest []byte) {
	var ends [lookedUp]int
	var found [lookedUp]uint32 // number + 1 of the text in the slot that is read first; 0 if the slot is empty
	texts := r.partitions[partition].texts
	rows, at := 0, 0
	for ; rows < lookedUp && at < len(staged); rows++ {
		if texts != nil {
			found[rows] = texts.Slot(uint64(binary.LittleEndian.Uint32(staged[at:])))
		}
		at += stagedHeader + r.contentWidth() + int(binary.LittleEndian.Uint32(staged[at+4:]))
		ends[rows] = at
	}
	for _, id := range found[:rows] {
		if id > 0 {
			if text := texts.At(int32(id - 1)); len(text) > 0 {
				r.staged.touched ^= text[0] ^ text[len(text)-1]
			}
		}
	}
	from := 0
	for _, end := range ends[:rows] {
		row := staged[from:end]
		from = end
		hash := partition<<(64-partitionBits) | uint64(binary.LittleEndian.Uint32(row))
		record := r.appendRecord(partition) // this may spill the partition's texts
		binary.LittleEndian.PutUint32(record, r.numberText(hash, row[stagedHeader+r.contentWidth():]))
		copy(record[r.key:], row[stagedHeader:stagedHeader+r.contentWidth()])
	}
	return staged[at:]
}
