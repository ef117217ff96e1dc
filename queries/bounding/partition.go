package bounding

import (
	"math/bits"

	"github.com/dprelease/dprelease/queries/internal/intern"
)

const (
	// maxPartitionBits limits the number of partitions to 256.
	maxPartitionBits = 8
	// partitionBytes is the least share of memory for each partition. A store with a small share has fewer partitions, so
	// that a piece in the spill is not much smaller than this, and the list of all pieces is short.
	partitionBytes = 2 * chunkBytes
)

// split makes the store's partitions, unless there are some. It is called before the first record, because the store's
// share of the memory is known only after all stores have joined. The first used bits of the hashes of all units are
// equal, so that the next bits choose a partition.
func (r *Rows) split(used uint8) {
	if r.partitions != nil {
		return
	}
	n := bits.Len64(uint64(r.spill.Share()/partitionBytes)) - 1
	n = min(max(n, 1), maxPartitionBits)
	r.shift = 64 - used - uint8(n)
	r.partitions, r.open, r.staged.buffers = make([]partition, 1<<n), make([][]byte, 1<<n), make([][]byte, 1<<n)
}

// partitionOf returns the index of the partition of the units with a hash: the first bits of the hash that not all
// units of the store have in common.
func (r *Rows) partitionOf(hash uint64) uint64 {
	return hash >> (r.shift & 63) & uint64(len(r.partitions)-1)
}

// partition holds the rows of all units whose hashes begin with the same bits.
type partition struct {
	segment           // the segment to which rows are added
	ended   []segment // the segments before it, to which no rows are added
}

// segment holds some rows of a partition. A partition begins a new segment after a merge, for example.
type segment struct {
	// If units have text, a record holds the number of its unit's text in texts.
	texts *intern.Texts
	// numbers has the contents, if records hold content numbers; else nil.
	numbers *contentNumbers
	// The records in memory, in chunks. A single record stands for one row. A counted record is followed by a
	// multiplicity: how many rows it stands for.
	single, counted [][]byte
	// spilled is the pieces in the spill. Each spill appends the texts in memory, then the single records, then the
	// counted records. A record holds the number of its unit's text among the texts of the same spill.
	spilled []piece
}

// piece locates size consecutive bytes in the spill, beginning at offset at.
type piece struct {
	at, size int64
	kind     pieceKind
}

// pieceKind is the kind of the contents of a piece.
type pieceKind uint8

const (
	singleRecords pieceKind = iota
	countedRecords
	firstTexts // the first texts of a spill, one after the other, each after its length in four bytes
	moreTexts  // the texts after those of the piece before
)

const pieceBytes = 1 << 20 // the approximate size of a piece

// sizeOf returns the length of chunks in bytes.
func sizeOf(chunks [][]byte) int64 {
	n := int64(0)
	for _, c := range chunks {
		n += int64(len(c))
	}
	return n
}

func (s *segment) empty() bool { return len(s.single)+len(s.counted)+len(s.spilled) == 0 }

// staging holds the staged rows of each partition; staged.go explains them.
type staging struct {
	buffers [][]byte
	bytes   int64 // the capacity of all buffers
	touched byte  // makes the compiler keep the reads that only load texts into the processor's cache
}

// drop frees the buffers. They must be empty.
func (s *staging) drop() {
	clear(s.buffers)
	s.bytes = 0
}
