package bounding

import (
	"encoding/binary"
	"hash/maphash"
)

// Staged rows
//
// If the privacy unit is text, a record holds the text's number within its partition. If there are many units, the hash
// tables of all partitions are far larger than the processor's cache, and looking up each text at once would cost
// several cache misses. So rows are first staged: the text, its hash and the row's content are copied to a buffer of
// the partition. When the buffer is full, its texts are looked up one after the other, while the table of this one
// partition is in the cache.
//
// A staged row is the lower half of the hash (four bytes), the length of the text (four bytes), the packed content, and
// the text.

const (
	stagedHeader = 8
	// A buffer starts with minBuffer bytes. It grows while it is smaller than the texts of its partition, up to maxBuffer.
	minBuffer = 4 << 10
	maxBuffer = 64 << 10
)

// stageRow stages a row and returns the bytes for its content, packed or numbered.
func (r *Rows) stageRow(row int) []byte {
	if r.units.Columns() == 1 {
		text := r.units.OnlyText(row)
		to := r.stage(maphash.Bytes(textSeed, text), 4+len(text))
		if to == nil {
			return r.recordUnstaged(row)
		}
		unit := to[r.contentWidth():]
		binary.BigEndian.PutUint32(unit, uint32(len(text)))
		copy(unit[4:], text)
		return to[:r.contentWidth()]
	}
	unit := r.units.Bytes(row)
	to := r.stage(r.units.Hash(textSeed, unit), len(unit))
	if to == nil {
		return r.recordUnstaged(row)
	}
	copy(to[r.contentWidth():], unit)
	return to[:r.contentWidth()]
}

// stage stages a row whose unit has this hash and a length of unit bytes. It returns the bytes for the row's content
// and unit, or nil if the unit is too long to be staged.
func (r *Rows) stage(hash uint64, unit int) []byte {
	partition := r.partitionOf(hash)
	b := r.staged.buffers[partition]
	from, n := len(b), stagedHeader+r.contentWidth()+unit
	if from+n > cap(b) {
		if b = r.emptyBuffer(partition, n); b == nil {
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

// emptyBuffer turns the rows that are staged for a partition into records. It returns the empty buffer with room for n
// bytes, or nil if a buffer must not be that long.
func (r *Rows) emptyBuffer(partition uint64, n int) []byte {
	r.numberStaged(partition)
	b := r.staged.buffers[partition]
	most := int(min(maxBuffer, r.spill.Share()/8/int64(len(r.partitions))))
	size := max(minBuffer, cap(b))
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

// recordUnstaged appends a record of a row whose unit is too long to be staged. It returns the bytes for its content.
func (r *Rows) recordUnstaged(row int) []byte {
	unit := r.units.Bytes(row)
	hash := r.units.Hash(textSeed, unit)
	record := r.appendRecord(r.partitionOf(hash)) // this may spill the partition's texts
	binary.LittleEndian.PutUint32(record, r.numberText(hash, unit))
	return record[r.key:]
}

// lookupBatch is how many texts are looked up together, so that memory accesses overlap. A first loop reads the hash
// table's slot of each text, a second loop the text to which the slot points. Then each text is looked up, and finds
// both in the processor's cache.
const lookupBatch = 128

// numberStaged turns the rows that are staged for a partition into records.
func (r *Rows) numberStaged(partition uint64) {
	b := r.staged.buffers[partition]
	if len(b) == 0 {
		return
	}
	r.staged.buffers[partition] = nil // so that makeRoom does not call this function again for the same rows
	for rest := b; len(rest) > 0; {
		rest = r.numberSome(partition, rest)
	}
	r.staged.buffers[partition] = b[:0]
}

// numberSome turns the first lookupBatch staged rows into records and returns the rest.
func (r *Rows) numberSome(partition uint64, staged []byte) (rest []byte) {
	var ends [lookupBatch]int
	var found [lookupBatch]uint32 // 1 + the number of the text in the first slot of the lookup; 0 if the slot is empty
	texts := r.partitions[partition].texts
	rows, at := 0, 0
	for ; rows < lookupBatch && at < len(staged); rows++ {
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
		hash := partition<<(r.shift&63) | uint64(binary.LittleEndian.Uint32(row))
		record := r.appendRecord(partition) // this may spill the partition's texts
		binary.LittleEndian.PutUint32(record, r.numberText(hash, row[stagedHeader+r.contentWidth():]))
		copy(record[r.key:], row[stagedHeader:stagedHeader+r.contentWidth()])
	}
	return staged[at:]
}
