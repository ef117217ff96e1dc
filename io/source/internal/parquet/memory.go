package parquet

import "sync"

// pageMemory is the memory with which a column chunk is read and decoded. Later chunks use the same memory again.
type pageMemory struct {
	block, stored, plain []byte
	repeated, defined    []byte
	values               decoded
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

// mostKept is the length in bytes of the longest slice that is kept for later chunks.
const mostKept = 16 << 20

// isLarge reports whether a slice is too long to be kept.
func (m *pageMemory) isLarge() bool {
	v := &m.values
	return max(
		cap(m.block), cap(m.stored), cap(m.plain), cap(m.repeated), cap(m.defined), cap(v.bytes), 4*cap(v.offsets),
		4*cap(v.ints32), 8*cap(v.ints64), 12*cap(v.ints96), 4*cap(v.floats32), 8*cap(v.floats64),
	) > mostKept
}
