package arrow

import (
	"sync"

	"github.com/dprelease/dprelease/io/table"
)

// room is the memory with which a buffer is read. Later buffers use the same memory again.
type room struct {
	block, plain, out []byte // memory of the section, of decompressed bytes, of taken bytes
	values            table.Values
	codes             []int32
}

var rooms = sync.Pool{New: func() any { return new(room) }}

// mostKept is the longest slice that is kept for another buffer, in bytes.
const mostKept = 4 << 20

// isLarge reports whether a slice of the room is too long to be kept.
func (m *room) isLarge() bool {
	v := &m.values
	return max(cap(m.block), cap(m.plain), cap(m.out), 8*cap(v.Ints), 8*cap(v.Floats), 4*cap(v.Offsets),
		4*cap(m.codes)) > mostKept
}

// newRoom returns a room, which may have been used before.
func newRoom() *room {
	if m, ok := rooms.Get().(*room); ok {
		return m
	}
	return new(room)
}

func (m *room) giveBack() {
	m.values.Data = nil // it shares the memory of out
	if !m.isLarge() {
		rooms.Put(m)
	}
}
