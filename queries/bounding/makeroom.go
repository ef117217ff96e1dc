package bounding

import (
	"encoding/binary"

	"github.com/dprelease/dprelease/queries/internal/intern"
)

// Counting repeated records
//
// If a table has few units or a query has few cells, a unit has many rows with the same content, so that many records
// are equal. A store replaces equal records by one record with a multiplicity. It searches for equal records when it
// holds firstSearch bytes, whenever its size has doubled, and when memory is short. It first tries one of the 256
// partitions, and continues with the others only if that saves a quarter of the partition's memory. So a search costs
// little, and a table with many repeats stays small.

// makeRoom frees memory if one more chunk would exceed the limit: it merges equal records or, if that does not free
// half of the memory, writes all rows to the spill. It also spills if the partition has used half of its text numbers.
// The search for equal records begins in this partition, which must have rows.
func (r *Rows) makeRoom(partition uint64, chunk int64) error {
	share := r.spill.Share() - r.staged.bytes
	numbered := r.numbersRunOut(partition)
	full := r.held+chunk > share || numbered
	if !full && r.held+chunk <= r.nextSearch || r.making {
		return nil
	}
	r.making = true // appending the records of staged rows calls makeRoom again, which must then do nothing
	defer func() { r.making = false }()
	counted := !numbered && r.countRepeated(int(partition))
	r.repeats = repeats{} // free its memory: there can be hundreds of stores
	used := r.held - int64(len(r.free)*r.chunk())
	if full && (!counted || used > share/2) {
		return r.spillAll()
	}
	r.nextSearch = used + max(firstSearch, used)
	return nil
}

// countRepeated merges the equal records of one partition. If that saves a quarter of their memory, it does the same
// with all partitions and returns true.
func (r *Rows) countRepeated(partition int) bool {
	single, more := r.countPartition(partition)
	if 4*more > 3*single || single == 0 {
		return false
	}
	for i := range r.partitions {
		if i != partition {
			r.countPartition(i)
		}
	}
	return true
}

// countPartition merges the equal records of a partition that are in memory into counted records. single is the length
// in bytes of the single records that it removed, more the number of bytes by which the counted records grew.
func (r *Rows) countPartition(partition int) (single, more int64) {
	r.numberStaged(uint64(partition))
	r.closeChunk(uint64(partition))
	p := &r.partitions[partition]
	if len(p.single) == 0 {
		return 0, 0
	}
	single, more = sizeOf(p.single), -sizeOf(p.counted)
	counted := r.repeats.count(r.width, p.single, p.counted)
	r.held += int64(cap(counted))
	for _, c := range p.counted {
		r.held -= int64(cap(c))
	}
	r.release(p.single)
	p.single, p.counted = nil, [][]byte{counted}
	return single, more + int64(len(counted))
}

// endSegments ends the current segment of each partition: later rows begin a new segment.
func (r *Rows) endSegments() {
	for i := range r.partitions {
		r.numberStaged(uint64(i))
		r.closeChunk(uint64(i))
		p := &r.partitions[i]
		if !p.empty() {
			p.numbers = r.numbers
			p.ended = append(p.ended, p.segment)
		}
		p.segment = segment{}
	}
}

// spillAll writes all rows in memory to the spill.
func (r *Rows) spillAll() error {
	for i := range r.partitions {
		r.numberStaged(uint64(i))
		r.closeChunk(uint64(i))
		p := &r.partitions[i]
		for j := range p.ended {
			if err := r.spillSegment(&p.ended[j]); err != nil {
				return err
			}
		}
		if err := r.spillSegment(&p.segment); err != nil {
			return err
		}
	}
	r.unitCache.generation++
	return nil
}

// spillSegment writes the rows of a segment that are in memory.
func (r *Rows) spillSegment(s *segment) error {
	if s.texts != nil {
		if err := r.spillTexts(s); err != nil {
			return err
		}
		r.held -= s.texts.Bytes()
		s.texts = nil
	}
	if err := r.spillRecords(s, singleRecords, s.single); err != nil {
		return err
	}
	err := r.spillRecords(s, countedRecords, s.counted)
	s.single, s.counted = nil, nil
	return err
}

// spillRecords writes chunks of a segment's records, in pieces, and releases the chunks.
func (r *Rows) spillRecords(s *segment, kind pieceKind, chunks [][]byte) error {
	for i, size := 0, 0; i < len(chunks); size = 0 {
		from := i
		for ; i < len(chunks) && (i == from || size+len(chunks[i]) <= pieceBytes); i++ {
			size += len(chunks[i])
		}
		if err := r.spillPiece(s, kind, chunks[from:i]...); err != nil {
			return err
		}
	}
	r.release(chunks)
	return nil
}

// spillTexts writes the texts of a segment, in pieces.
func (r *Rows) spillTexts(s *segment) error {
	var buf []byte
	kind := firstTexts
	for i := range s.texts.Len() {
		text := s.texts.At(int32(i))
		buf = append(binary.LittleEndian.AppendUint32(buf, uint32(len(text))), text...)
		if len(buf) < pieceBytes && i < s.texts.Len()-1 {
			continue
		}
		if err := r.spillPiece(s, kind, buf); err != nil {
			return err
		}
		buf, kind = buf[:0], moreTexts
	}
	return nil
}

// spillPiece writes some bytes, joined to one piece of a segment.
func (r *Rows) spillPiece(s *segment, kind pieceKind, parts ...[]byte) error {
	at, err := r.spill.Write(parts...)
	if err == nil {
		s.spilled = append(s.spilled, piece{at, sizeOf(parts), kind})
	}
	return err
}

// release keeps chunks of full size for later rows, and drops smaller chunks.
func (r *Rows) release(chunks [][]byte) {
	for _, c := range chunks {
		if cap(c) == r.chunk() {
			r.free = append(r.free, c[:0])
		} else {
			r.held -= int64(cap(c))
		}
	}
}

// chunk returns the full size of a chunk in bytes, a multiple of the length of a record.
func (r *Rows) chunk() int { return max(chunkBytes/r.width, 1) * r.width }

// writeContents ends the numbering of contents: later records hold contents instead of content numbers.
func (r *Rows) writeContents() {
	if r.numbers == nil {
		return
	}
	r.endSegments()
	for _, c := range r.free {
		r.held -= int64(cap(c))
	}
	r.numbers.close()
	r.free, r.numbers, r.width = nil, nil, r.packedWidth()
	r.unitCache.generation++
}

// numbersRunOut reports whether a partition has used half of the numbers for its texts. A spill makes all numbers
// available again.
func (r *Rows) numbersRunOut(partition uint64) bool {
	texts := r.partitions[partition].texts
	return texts != nil && texts.Len() > intern.MaxUnits/2
}
