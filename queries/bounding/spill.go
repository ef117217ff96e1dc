package bounding

import (
	"encoding/binary"
	"math"

	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/internal/intern"
)

// Spill is memory and scratch space that the accumulators of a scan share. Its methods may be called by several
// goroutines. Whatever is written to it is private: it keeps that from everybody, and only as long as the scan needs it.
type Spill interface {
	// Join adds an accumulator to those that share the memory; all join before the first batch.
	Join()
	// Share returns how many bytes of rows each accumulator may hold before it writes them to the scratch space.
	Share() int64
	// Room returns how many bytes each goroutine may use while units are bounded.
	Room() int64
	// Cells returns how many cells accumulators may hold in a vector; of larger domains they hold those that have rows.
	Cells() int64
	// Workers returns how many goroutines may bound units at a time.
	Workers() int
	// Err returns why the scan has ended before its time, or nil.
	Err() error
	// Write stores pieces, one after the other, and returns their place.
	Write(pieces ...[]byte) (at int64, err error)
	// Read fills piece with what Write stored at a place, all of it. An error says that it was changed or that the scan has ended.
	Read(piece []byte, at int64) error
}

// JoinNow lets an accumulator share the memory of a spill by itself, also if the spill joins rows of units later, when it is known which queries share them.
func JoinNow(s Spill) {
	switch s := s.(type) {
	case nil:
	case interface{ JoinNow() }:
		s.JoinNow()
	default:
		s.Join()
	}
}

// inMemory is a Spill without bounds that is never written to.
type inMemory struct{}

func (inMemory) Join()                          {}
func (inMemory) Share() int64                   { return math.MaxInt64 }
func (inMemory) Room() int64                    { return math.MaxInt64 }
func (inMemory) Cells() int64                   { return math.MaxInt64 }
func (inMemory) Err() error                     { return nil }
func (inMemory) Workers() int                   { return 1 }
func (inMemory) Write(...[]byte) (int64, error) { return 0, columnar.ErrShape }
func (inMemory) Read([]byte, int64) error       { return columnar.ErrShape }

// partition is the rows of the units that share the first bits of a hash.
type partition struct {
	segment           // in memory, to be continued
	ended   []segment // the others
}

// segment is some rows of a partition.
type segment struct {
	// texts are the units of the rows if units have text: in memory or, each after its length in four bytes, outside
	texts *intern.Texts
	names []piece
	// single are records; counted are followed by their number
	single, counted records
}

// records are pieces of whole records, in memory or outside.
type records struct {
	chunks  [][]byte
	outside []piece
}

// piece is bytes that were written to a Spill.
type piece struct{ at, size int64 }

const pieceBytes = 1 << 20

// size returns the bytes of the records.
func (r *records) size() int64 {
	n := int64(0)
	for _, c := range r.chunks {
		n += int64(len(c))
	}
	for _, p := range r.outside {
		n += p.size
	}
	return n
}

func (s *segment) empty() bool {
	return len(s.single.chunks)+len(s.counted.chunks)+len(s.single.outside)+len(s.counted.outside) == 0
}

// endSegment ends the segment of a partition that is in memory.
func (r *Rows) endSegment(partition int) {
	p := &r.partitions[partition]
	if o := r.open[partition]; len(o) > 0 {
		p.single.chunks = append(p.single.chunks, o)
		r.open[partition] = nil
	}
	if !p.empty() {
		p.ended = append(p.ended, p.segment)
	}
	p.segment = segment{}
}

// spillAll writes all that is in memory to the spill.
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
	r.known.generation++
	return nil
}

func (r *Rows) spillOne(s *segment) (err error) {
	if s.texts != nil {
		if s.names, err = r.spillTexts(s.texts); err != nil {
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

// release keeps the chunks of full size for the next rows.
func (r *Rows) release(chunks [][]byte) {
	for _, c := range chunks {
		if cap(c) == r.chunk() {
			r.free = append(r.free, c[:0])
		} else {
			r.held -= int64(cap(c))
		}
	}
}

// chunk is the bytes of a full chunk.
func (r *Rows) chunk() int { return max(chunkBytes/r.width, 1) * r.width }
