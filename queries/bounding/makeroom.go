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
	r.making = true // appending the records of staged rows calls makeRoom, which must then do nothing
	defer func() { r.making = false }()
	counted := !numbered && r.countRepeated(int(partition))
	used := r.held - int64(len(r.free)*r.chunk())
	if full && (!counted || used > share/2) {
		return r.spillAll()
	}
	r.nextSearch = used + max(firstSearch, used)
	return nil
}

// countRepeated merges the equal records of one partition. If that saves a quarter of their memory, it does the same with
// all partitions and returns true.
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

// countPartition merges the equal records of a partition that are in memory into counted records. It returns the length
// of the single records that it removed, and by how many bytes the counted records grew.
func (r *Rows) countPartition(partition int) (single, more int64) {
	r.numberStaged(uint64(partition))
	p := &r.partitions[partition]
	if o := r.open[partition]; len(o) > 0 {
		p.single.chunks = append(p.single.chunks, o)
		r.open[partition] = nil
	}
	if len(p.single.chunks) == 0 {
		return 0, 0
	}
	single, more = p.single.size(), -p.counted.size()
	counted := r.repeats.count(r.width, p.single.chunks, p.counted.chunks)
	r.held += int64(cap(counted))
	for _, c := range p.counted.chunks {
		r.held -= int64(cap(c))
	}
	r.release(p.single.chunks)
	p.single.chunks, p.counted.chunks = nil, [][]byte{counted}
	return single, more + int64(len(counted))
}

// endSegment ends the current segment of a partition: later rows begin a new segment.
func (r *Rows) endSegment(partition int) {
	r.numberStaged(uint64(partition))
	p := &r.partitions[partition]
	if o := r.open[partition]; len(o) > 0 {
		p.single.chunks = append(p.single.chunks, o)
		r.open[partition] = nil
	}
	if !p.empty() {
		p.numbers = r.numbers
		p.ended = append(p.ended, p.segment)
	}
	p.segment = segment{}
}

// spillAll writes all rows in memory to the spill.
func (r *Rows) spillAll() error {
	for i := range r.partitions {
		r.endSegment(i)
		ended := r.partitions[i].ended
		for j := range ended {
			if err := r.spillOne(&ended[j]); err != nil {
				return err
			}
		}
	}
	r.unitCache.generation++
	return nil
}

func (r *Rows) spillOne(s *segment) (err error) {
	if s.texts != nil {
		if s.spilledTexts, err = r.spillTexts(s.texts); err != nil {
			return err
		}
		r.held -= s.texts.Bytes()
		s.texts = nil
	}
	if err := r.spillRecords(&s.single); err != nil {
		return err
	}
	return r.spillRecords(&s.counted)
}

func (r *Rows) spillRecords(s *records) error {
	for i, size := 0, 0; i < len(s.chunks); size = 0 {
		from := i
		for ; i < len(s.chunks) && (i == from || size+len(s.chunks[i]) <= pieceBytes); i++ {
			size += len(s.chunks[i])
		}
		at, err := r.spill.Write(s.chunks[from:i]...)
		if err != nil {
			return err
		}
		s.outside = append(s.outside, piece{at, int64(size)})
	}
	r.release(s.chunks)
	s.chunks = nil
	return nil
}

func (r *Rows) spillTexts(t *intern.Texts) (names []piece, err error) {
	var buf []byte
	for i := range t.Len() {
		text := t.At(int32(i))
		buf = append(binary.LittleEndian.AppendUint32(buf, uint32(len(text))), text...)
		if len(buf) < pieceBytes && i < t.Len()-1 {
			continue
		}
		at, err := r.spill.Write(buf)
		if err != nil {
			return nil, err
		}
		names = append(names, piece{at, int64(len(buf))})
		buf = buf[:0]
	}
	return names, nil
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
	for i := range r.partitions {
		r.endSegment(i)
	}
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
