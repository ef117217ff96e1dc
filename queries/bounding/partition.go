package bounding

import (
	"github.com/dprelease/dprelease/queries/internal/intern"
)

const (
	partitionBits  = 8
	partitionCount = 1 << partitionBits
)

// partition is the rows of the units that share the first bits of a hash.
type partition struct {
	segment           // in memory, still growing
	ended   []segment // the complete ones
}

// segment is some rows of a partition.
type segment struct {
	// texts are the units of the rows if units have text. In the spill (names), each has its length before it, in four
	// bytes
	texts *intern.Texts
	names []piece
	// numbers are the contents' numbers in the records; nil if records have their contents
	numbers *contentNumbers
	// single are records; counted are records followed by their multiplicity
	single, counted records
}

// records holds whole records, in memory (chunks) or in the spill (outside).
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

// staging is the staged rows of each partition.
type staging struct {
	buffers [partitionCount][]byte
	bytes   int64 // the size of all buffers
	touched byte  // written so that the compiler does not drop the reads that prefetch texts
}

// drop frees the buffers, which are empty.
func (s *staging) drop() { *s = staging{} }
