package arrow

import (
	"sync"

	"github.com/dprelease/dprelease/io/table"
)

// room is memory for reading a buffer. After a buffer is read, other buffers use the room again.
type room struct {
	block, plain, out []byte // memory for the file's bytes, decompressed bytes, and the bytes that nextBytes returns
	values            table.Values
	codes             []int32
}

var rooms = sync.Pool{New: func() any { return new(room) }}

// maxKeptBytes is the maximum length, in bytes, of a slice that is kept for other buffers.
const maxKeptBytes = 4 << 20

// isLarge reports whether a slice of the room is too long to be kept.
func (m *room) isLarge() bool {
	v := &m.values
	return max(cap(m.block), cap(m.plain), cap(m.out), 8*cap(v.Ints), 8*cap(v.Floats), 4*cap(v.Offsets),
		4*cap(m.codes)) > maxKeptBytes
}

// newRoom returns an unused room from the pool, or a new one.
func newRoom() *room {
	if m, ok := rooms.Get().(*room); ok {
		return m
	}
	return new(room)
}

func (m *room) giveBack() {
	m.values.Data = nil // Data shares the memory of out
	if !m.isLarge() {
		rooms.Put(m)
	}
}
