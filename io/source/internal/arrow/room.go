package arrow

import (
	"sync"

	"github.com/dprelease/dprelease/io/table"
)

// room is the memory that reading a buffer needs, and that a buffer of a later record batch can use again.
type room struct {
	block, plain, out []byte // of the section; decompressed; taken
	values            table.Values
	codes             []int32
}

var rooms = sync.Pool{New: func() any { return new(room) }}

// mostKept is the longest piece of memory that is kept, in bytes.
const mostKept = 4 << 20

// large says whether a piece of the memory is too long to be kept.
func (m *room) large() bool {
	v := &m.values
	return max(cap(m.block), cap(m.plain), cap(m.out), 8*cap(v.Ints), 8*cap(v.Floats), 4*cap(v.Offsets),
		4*cap(m.codes)) > mostKept
}

// newRoom returns a room, perhaps one that was used before.
func newRoom() *room {
	if m, ok := rooms.Get().(*room); ok {
		return m
	}
	return new(room)
}

// giveBack ends the use of a room.
func (m *room) giveBack() {
	m.values.Data = nil // of out
	if !m.large() {
		rooms.Put(m)
	}
}
