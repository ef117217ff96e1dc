package parquet

import "sync"

// pageMemory is what reading and decoding a chunk needs and the next chunk can use again.
type pageMemory struct {
	block, stored, plain []byte
	repeated, defined    []byte
	values               decoded
}

// pageMemories are the memories of long column chunks and of short ones, so that a column of few bytes does not hold
// what a long one needed.
var pageMemories [2]sync.Pool

// shortChunk is below how many stored bytes a chunk is short.
const shortChunk = 256 << 10

// pageMemoriesOf returns the memories for a chunk of so many bytes.
func pageMemoriesOf(size int64) *sync.Pool {
	if size < shortChunk {
		return &pageMemories[0]
	}
	return &pageMemories[1]
}

// mostKept is the longest piece of memory that is kept, in bytes.
const mostKept = 16 << 20

// large says whether a piece of the memory is too long to be kept.
func (m *pageMemory) large() bool {
	v := &m.values
	return max(
		cap(m.block), cap(m.stored), cap(m.plain), cap(m.repeated), cap(m.defined), cap(v.bytes), 4*cap(v.offsets),
		4*cap(v.ints32), 8*cap(v.ints64), 12*cap(v.ints96), 4*cap(v.floats32), 8*cap(v.floats64),
	) > mostKept
}
