package reread

import "encoding/binary"

// The wire types of Thrift's compact protocol (github.com/apache/thrift, doc/specs/thrift-compact-protocol.md).
const (
	wireTrue = iota + 1
	wireFalse
	wireByte
	wireI16
	wireI32
	wireI64
	wireDouble
	wireBinary
	wireList
	wireSet
	wireMap
	wireStruct
)

// mostDeep is deeper than Parquet's metadata nests.
const mostDeep = 16

// thriftStruct is a decoded struct: integers and truth values as int64, texts as []byte, lists as []any.
type thriftStruct map[int16]any

func (s thriftStruct) int(id int16) int64                { v, _ := s[id].(int64); return v }
func (s thriftStruct) text(id int16) string              { v, _ := s[id].([]byte); return string(v) }
func (s thriftStruct) list(id int16) []any               { v, _ := s[id].([]any); return v }
func (s thriftStruct) sub(id int16) (thriftStruct, bool) { v, ok := s[id].(thriftStruct); return v, ok }

// thriftReader decodes structs from bytes; after an error everything is zero.
type thriftReader struct {
	b   []byte
	bad bool
}

// decodeStruct returns the struct at the start of b and how many bytes it takes; ok: it is whole.
func decodeStruct(b []byte) (s thriftStruct, n int, ok bool) {
	r := &thriftReader{b: b}
	s = r.structure(0)
	return s, len(b) - len(r.b), !r.bad
}

func (r *thriftReader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return nil
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *thriftReader) octet() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *thriftReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *thriftReader) zigzag() int64 {
	v := r.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

func (r *thriftReader) structure(depth int) thriftStruct {
	out, id := thriftStruct{}, int16(0)
	for depth < mostDeep && !r.bad {
		head := r.octet()
		if head == 0 {
			return out
		}
		if delta := head >> 4; delta != 0 {
			id += int16(delta)
		} else {
			id = int16(r.zigzag())
		}
		switch wire := head & 0x0f; wire {
		case wireTrue:
			out[id] = int64(1)
		case wireFalse:
			out[id] = int64(0)
		default:
			out[id] = r.value(wire, depth)
		}
	}
	r.bad = true
	return out
}

func (r *thriftReader) value(wire byte, depth int) any {
	switch wire {
	case wireTrue, wireFalse, wireByte: // in a list a truth value takes a byte
		return int64(r.octet())
	case wireI16, wireI32, wireI64:
		return r.zigzag()
	case wireDouble:
		return r.take(8)
	case wireBinary:
		return r.take(r.uvarint())
	case wireList, wireSet:
		return r.elements(depth)
	case wireStruct:
		return r.structure(depth + 1)
	}
	r.bad, r.b = true, nil // Parquet has no maps
	return nil
}

func (r *thriftReader) elements(depth int) []any {
	head := r.octet()
	n := uint64(head >> 4)
	if n == 15 {
		n = r.uvarint()
	}
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return nil
	}
	out := make([]any, 0, n)
	for range n {
		out = append(out, r.value(head&0x0f, depth+1))
	}
	return out
}
