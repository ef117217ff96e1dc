package bounding

import (
	"github.com/dprelease/dprelease/queries/internal/intern"
)

const (
	partitionBits  = 8
	partitionCount = 1 << partitionBits
)

// partition is the rows of all units whose hashes begin with the same partitionBits bits.
type partition struct {
	segment           // the segment to which rows are added
	ended   []segment // the segments before it, to which no rows are added
}

// segment is some rows of a partition. A partition begins a new segment after a spill or a merge, for example.
type segment struct {
	// If units have text, a record holds the number of its unit's text in the segment. In memory, texts holds the texts; in
	// the spill, the pieces spilledTexts hold them one after the other, each after its length in four bytes.
	texts        *intern.Texts
	spilledTexts []piece
	// numbers has the contents, if records hold content numbers; else nil.
	numbers *contentNumbers
	// A single record stands for one row. A counted record is followed by a multiplicity: how many rows it stands for.
	single, counted records
}

// records is a list of records: those in memory, in chunks, and those in the spill, in pieces.
type records struct {
	chunks  [][]byte
	outside []piece
}

// piece is size consecutive bytes in the spill, beginning at offset at.
type piece struct{ at, size int64 }

const pieceBytes = 1 << 20 // the approximate size of a piece

// size returns the length of all records in bytes.
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

// staging holds the staged rows of each partition; staged.go explains them.
type staging struct {
	buffers [partitionCount][]byte
	bytes   int64 // the capacity of all buffers
	touched byte  // makes the compiler keep the reads that only load texts into the processor's cache
}

// drop frees the buffers. They must be empty.
func (s *staging) drop() { *s = staging{} }
