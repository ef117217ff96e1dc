package queries

import (
	"encoding/binary"
	"math"
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
	// Workers returns how many goroutines may bound units at a time.
	Workers() int
	// Write stores pieces, one after the other, and returns their place.
	Write(pieces ...[]byte) (at int64, err error)
	// Read fills piece with what Write stored at a place, all of it. An error says that it was changed or that the scan has ended.
	Read(piece []byte, at int64) error
}

// inMemory is a Spill without bounds that is never written to.
type inMemory struct{}

func (inMemory) Join()                          {}
func (inMemory) Share() int64                   { return math.MaxInt64 }
func (inMemory) Room() int64                    { return math.MaxInt64 }
func (inMemory) Workers() int                   { return 1 }
func (inMemory) Write(...[]byte) (int64, error) { return 0, errShape }
func (inMemory) Read([]byte, int64) error       { return errShape }

// unitPart is the rows of one part.
type unitPart struct {
	texts    *texts   // of the chunks, where units have text
	chunks   [][]byte // full
	segments []segment
}

// segment is some records of a part, in memory or outside.
type segment struct {
	texts  *texts
	chunks [][]byte
	// outside: the texts, each after its length in four bytes, and the records
	names, rows []piece
}

// piece is bytes that were written to a Spill.
type piece struct{ at, size int64 }

const (
	pieceBytes = 1 << 20
	textBytes  = 24 // what a text takes beside its bytes
)

// spillAll writes all that is in memory to the spill.
func (r *unitRows) spillAll() error {
	for i := range r.parts {
		r.close(i)
		segments := r.parts[i].segments
		for j := range segments {
			if err := r.spillOne(&segments[j]); err != nil {
				return err
			}
		}
	}
	r.known.generation++
	return nil
}

func (r *unitRows) spillOne(s *segment) (err error) {
	if s.texts != nil {
		if s.names, err = r.spillTexts(s.texts); err != nil {
			return err
		}
		r.held -= int64(len(s.texts.data)) + textBytes*int64(s.texts.len())
		s.texts = nil
	}
	for i, size := 0, 0; i < len(s.chunks); size = 0 {
		from := i
		for ; i < len(s.chunks) && (i == from || size+len(s.chunks[i]) <= pieceBytes); i++ {
			size += len(s.chunks[i])
		}
		at, err := r.spill.Write(s.chunks[from:i]...)
		if err != nil {
			return err
		}
		s.rows = append(s.rows, piece{at, int64(size)})
	}
	r.release(s.chunks)
	s.chunks = nil
	return nil
}

func (r *unitRows) spillTexts(t *texts) (names []piece, err error) {
	var buf []byte
	for i := range t.len() {
		text := t.at(int32(i))
		buf = append(binary.LittleEndian.AppendUint32(buf, uint32(len(text))), text...)
		if len(buf) < pieceBytes && i < t.len()-1 {
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
func (r *unitRows) release(chunks [][]byte) {
	for _, c := range chunks {
		if cap(c) >= chunkBytes {
			r.free = append(r.free, c[:0])
		} else {
			r.held -= int64(cap(c))
		}
	}
}
