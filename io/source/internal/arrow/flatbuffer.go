package arrow

import "encoding/binary"

// flatBuffer reads bytes in FlatBuffers' encoding. A read outside the bytes returns zero and sets bad. Offsets to
// tables, vectors and texts only point forwards, so no walk is endless. Source: github.com/google/flatbuffers, docs,
// "FlatBuffer Internals".
type flatBuffer struct {
	b   []byte
	bad bool
}

// flatTable is a table in a buffer. A field is named by its slot, which is its number in the FlatBuffers schema. A
// field that is not stored reads as zero. The zero table has no fields.
type flatTable struct {
	f      *flatBuffer
	at     int
	vtable int // offset of the vtable, which holds the offsets of the fields
	slots  int
}

// flatVector is a vector of n elements; the first one is at offset at.
type flatVector struct {
	f     *flatBuffer
	at, n int
}

// bytes returns n bytes, at most 8. If they are outside the buffer, they are zero.
func (f *flatBuffer) bytes(at, n int) []byte {
	if at < 0 || at > len(f.b)-n {
		f.bad = true
		return make([]byte, 8)[:n]
	}
	return f.b[at : at+n]
}

func (f *flatBuffer) u16(at int) int { return int(binary.LittleEndian.Uint16(f.bytes(at, 2))) }

func (f *flatBuffer) u32(at int) int { return int(binary.LittleEndian.Uint32(f.bytes(at, 4))) }

func (f *flatBuffer) i64(at int) int64 { return int64(binary.LittleEndian.Uint64(f.bytes(at, 8))) }

func (f *flatBuffer) root() flatTable { return f.table(f.u32(0)) }

func (f *flatBuffer) table(at int) flatTable {
	t := flatTable{f: f, at: at, vtable: at - int(int32(f.u32(at)))}
	size := f.u16(t.vtable)
	if size < 4 || size%2 != 0 || t.vtable > len(f.b)-size {
		f.bad = true
	}
	if f.bad {
		return flatTable{f: f}
	}
	t.slots = size/2 - 2
	return t
}

// place returns the offset of a field, or 0 if it is not stored.
func (t flatTable) place(slot int) int {
	if slot >= t.slots {
		return 0
	}
	at := t.f.u16(t.vtable + 4 + 2*slot)
	if at == 0 {
		return 0
	}
	return t.at + at
}

func (t flatTable) has(slot int) bool { return t.place(slot) != 0 }

func (t flatTable) u8(slot int) byte {
	if at := t.place(slot); at != 0 {
		return t.f.bytes(at, 1)[0]
	}
	return 0
}

func (t flatTable) i16(slot int) int {
	if at := t.place(slot); at != 0 {
		return int(int16(t.f.u16(at)))
	}
	return 0
}

func (t flatTable) i64(slot int) int64 {
	if at := t.place(slot); at != 0 {
		return t.f.i64(at)
	}
	return 0
}

func (t flatTable) table(slot int) flatTable {
	at := t.place(slot)
	if at == 0 {
		return flatTable{f: t.f}
	}
	return t.f.table(at + t.f.u32(at))
}

// vector returns a field that is a vector of elements of size bytes. If an element would be outside the buffer, the
// vector is empty.
func (t flatTable) vector(slot, size int) flatVector {
	at := t.place(slot)
	if at == 0 {
		return flatVector{f: t.f}
	}
	at += t.f.u32(at)
	n := t.f.u32(at)
	if at += 4; n > (len(t.f.b)-at)/size {
		t.f.bad = true
		return flatVector{f: t.f}
	}
	return flatVector{t.f, at, n}
}

// table returns element i of a vector of tables.
func (v flatVector) table(i int) flatTable {
	at := v.at + 4*i
	return v.f.table(at + v.f.u32(at))
}
