package parquet

import (
	"math"
	"sync"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// pageMemory is the memory with which a column chunk is read and decoded. Later chunks use the same memory again.
type pageMemory struct {
	block, plain      []byte // a block of the section, and the current page, decompressed
	repeated, defined []byte
	values            decoded
}

// bytes returns the size of the memory, except for the section's block.
func (m *pageMemory) bytes() int64 {
	v := &m.values
	return int64(cap(m.plain) + cap(m.repeated) + cap(m.defined) + cap(v.bytes) + 4*cap(v.offsets) + 4*cap(v.ints32) +
		8*cap(v.ints64) + 12*cap(v.ints96) + 4*cap(v.floats32) + 8*cap(v.floats64))
}

// sharedMemory is what the readers of a scan have in common.
type sharedMemory struct {
	codecs scan.Codecs
	stored []byte // the compressed page that was read last
	// held is the size of the pages, their values and the dictionaries that readers hold between batches. A reader whose
	// next page would make it exceed most reads through a window, of at most window bytes (window.go).
	held, most, window int64
	// pages, dictionary and buffer serve all readers with windows, one after another.
	pages, dictionary pageMemory
	converted         table.Values
	buffer            rowBuffer
}

// minWindow is the minimum length of a window in bytes: about a hundred numbers. maxWindow is the maximum: the offsets
// of texts in a window have 32 bits.
const (
	minWindow = 1 << 10
	maxWindow = 1 << 30
)

// newSharedMemory returns the memory for readers that hold at most some bytes together; 0 for no limit.
func newSharedMemory(bytes int64, readers int) *sharedMemory {
	if bytes == 0 {
		return &sharedMemory{most: math.MaxInt64}
	}
	n := int64(readers)
	bytes -= min(n*scan.BlockSize, bytes/2) // each section has a block
	// The slices of a window can be longer by a quarter than their rows.
	return &sharedMemory{most: bytes / 2, window: min(max(bytes*2/5/n, minWindow), maxWindow)}
}

// pageMemories holds unused memory in two pools, one for long column chunks and one for short ones. So a short chunk
// never occupies the large memory that a long chunk could use.
var pageMemories [2]sync.Pool

// shortChunk is the stored length below which a chunk is short, in bytes.
const shortChunk = 256 << 10

// pageMemoriesOf returns the pool for a chunk of size bytes.
func pageMemoriesOf(size int64) *sync.Pool {
	if size < shortChunk {
		return &pageMemories[0]
	}
	return &pageMemories[1]
}

// maxKept is the length in bytes of the longest slice that is kept for later chunks.
const maxKept = 16 << 20

// isLarge reports whether a slice is too long to be kept.
func (m *pageMemory) isLarge() bool {
	v := &m.values
	return max(
		cap(m.block), cap(m.plain), cap(m.repeated), cap(m.defined), cap(v.bytes), 4*cap(v.offsets),
		4*cap(v.ints32), 8*cap(v.ints64), 12*cap(v.ints96), 4*cap(v.floats32), 8*cap(v.floats64),
	) > maxKept
}
