package parquet

import "sync"

// pageMemory is the memory for reading and decoding a chunk. A later chunk uses it again.
type pageMemory struct {
	block, stored, plain []byte
	repeated, defined    []byte
	values               decoded
}

// pageMemories holds unused memory: of long column chunks, and of short ones. They are apart so that a short column
// does not hold what a long one needed.
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

// mostKept is the longest slice that is kept, in bytes.
const mostKept = 16 << 20

// isLarge reports whether a slice is too long to be kept.
func (m *pageMemory) isLarge() bool {
	v := &m.values
	return max(
		cap(m.block), cap(m.stored), cap(m.plain), cap(m.repeated), cap(m.defined), cap(v.bytes), 4*cap(v.offsets),
		4*cap(v.ints32), 8*cap(v.ints64), 12*cap(v.ints96), 4*cap(v.floats32), 8*cap(v.floats64),
	) > mostKept
}
