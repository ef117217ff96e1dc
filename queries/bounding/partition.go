package bounding

import (
	"github.com/dprelease/dprelease/queries/internal/intern"
)

const (
	partitionBits  = 8
	partitionCount = 1 << partitionBits
)

// partition is the rows of all units whose hash begins with the same bits.
type partition struct {
	segment           // the current segment, in memory
	ended   []segment // complete segments
}

// segment is a part of a partition's rows.
type segment struct {
	// If units have text, texts holds the text of each unit number. In the spill, names are the pieces that hold them,
	// each text after its length in four bytes.
	texts *intern.Texts
	names []piece
	// numbers is the numbering of contents that the records use; nil if records hold their contents.
	numbers *contentNumbers
	// single are records of one row; counted are records that are followed by a multiplicity.
	single, counted records
}

// records holds whole records: chunks are in memory, outside are pieces of the spill.
type records struct {
	chunks  [][]byte
	outside []piece
}

// piece is size bytes in the spill, which begin at at.
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

// staging is the staged rows of each partition.
type staging struct {
	buffers [partitionCount][]byte
	bytes   int64 // the size of all buffers
	touched byte  // written so that the compiler does not drop the reads that prefetch texts
}

// drop frees the buffers, which are empty.
func (s *staging) drop() { *s = staging{} }
