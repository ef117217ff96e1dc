package parquet

import (
	"encoding/binary"

	"github.com/parquet-go/parquet-go/encoding/thrift"

	"github.com/dprelease/dprelease/io/source/internal/scan"
)

// The types of Thrift's compact protocol.
const (
	thriftTrue = iota + 1
	thriftFalse
	thriftByte
	thriftI16
	thriftI32
	thriftI64
	thriftDouble
	thriftBinary
	thriftList
	thriftSet
	thriftMap
	thriftStruct
	thriftUUID
)

// thriftDepth is the maximum nesting that is accepted; Parquet's metadata has 8 levels.
const thriftDepth = 32

// thriftWalk walks over a struct in Thrift's compact protocol and checks that every length is within the bytes. The
// library allocates the stated length before it reads the bytes, so one flipped bit can make it allocate gigabytes.
// Source: github.com/apache/thrift, doc/specs/thrift-compact-protocol.md.
type thriftWalk struct {
	b       []byte
	at      int
	structs int   // number of structs in lists: decoding allocates memory for each
	untyped []int // where the heads of empty lists without a type of elements are
	bad     bool
	more    *scan.Section // the bytes that follow b, read when they are needed; nil if b is the whole text
	err     error         // an error in reading more
}

// walkThrift walks over the struct at the start of b. ok is true if it is complete and valid.
func walkThrift(b []byte) (w thriftWalk, ok bool) {
	w.b = b
	w.fields(thriftDepth)
	return w, !w.bad
}

// shortenThrift reads the struct at the start of a section, and returns it with all texts emptied, since texts may have
// any length. ok is false if the struct is not complete and valid.
func shortenThrift(s *scan.Section) (b []byte, ok bool, err error) {
	w := thriftWalk{more: s}
	w.fields(thriftDepth)
	return w.b, !w.bad, w.err
}

// decodeThrift decodes a struct. A field of a wrong type is an error.
func decodeThrift(b []byte, v any) error {
	d := thrift.NewDecoder((&thrift.CompactProtocol{}).NewReaderFromBytes(b))
	d.SetStrict(true)
	return d.Decode(v)
}

func (w *thriftWalk) fail() { w.bad, w.at = true, len(w.b) }

// left returns how many bytes are after the walk's position.
func (w *thriftWalk) left() uint64 {
	n := len(w.b) - w.at
	if w.more != nil {
		n += int(w.more.Left())
	}
	return uint64(n)
}

// grow appends one more byte to b. It returns false if there is none.
func (w *thriftWalk) grow() bool {
	if w.more == nil || w.err != nil {
		return false
	}
	next, err := w.more.Peek(1)
	if w.err = err; len(next) == 0 {
		return false
	}
	w.b = append(w.b, next[0])
	w.more.Skip(1)
	return true
}

func (w *thriftWalk) octet() byte {
	if w.at >= len(w.b) && !w.grow() {
		w.fail()
		return 0
	}
	w.at++
	return w.b[w.at-1]
}

func (w *thriftWalk) uvarint() uint64 {
	v, n := binary.Uvarint(w.b[w.at:])
	for n == 0 && w.grow() {
		v, n = binary.Uvarint(w.b[w.at:])
	}
	if n <= 0 {
		w.fail()
		return 0
	}
	w.at += n
	return v
}

func (w *thriftWalk) pass(n uint64) {
	if n > w.left() {
		w.fail()
		return
	}
	for uint64(len(w.b)-w.at) < n && w.grow() {
	}
	w.at = min(w.at+int(n), len(w.b))
}

// text skips a text. If the bytes come from more, b gets an empty text in its place.
func (w *thriftWalk) text() {
	from := w.at
	n := w.uvarint()
	if w.more == nil || n > w.left() {
		w.pass(n)
		return
	}
	w.b = append(w.b[:from], 0)
	w.at = len(w.b)
	if err := w.more.Pass(int64(n)); err != nil {
		w.err = err
		w.fail()
	}
}

// fields walks over the fields of a struct, up to its stop byte. depth is the number of nesting levels still allowed; 0
// is an error.
func (w *thriftWalk) fields(depth int) {
	if depth == 0 {
		w.fail()
	}
	for !w.bad {
		head := w.octet()
		if head == 0 {
			return
		}
		if head>>4 == 0 { // the field's number is in the next bytes
			w.uvarint()
		}
		if typ := head & 15; typ != thriftTrue && typ != thriftFalse { // the type of a boolean field is also its value
			w.value(typ, depth)
		}
	}
}

func (w *thriftWalk) value(typ byte, depth int) {
	switch typ {
	case thriftTrue, thriftFalse, thriftByte:
		w.octet()
	case thriftI16, thriftI32, thriftI64:
		w.uvarint()
	case thriftDouble:
		w.pass(8)
	case thriftUUID:
		w.pass(16)
	case thriftBinary:
		w.text()
	case thriftStruct:
		w.fields(depth - 1)
	case thriftList, thriftSet:
		w.list(depth - 1)
	case thriftMap:
		w.dict(depth - 1)
	default:
		w.fail()
	}
}

func (w *thriftWalk) list(depth int) {
	n, typ := w.readListHead()
	if typ == thriftStruct {
		w.structs += int(min(n, w.left()))
	}
	w.items(n, depth, typ)
}

// readListHead reads the head of a list: the number and the type of its elements.
func (w *thriftWalk) readListHead() (n uint64, typ byte) {
	head := w.octet()
	if head == 0 && !w.bad {
		w.untyped = append(w.untyped, w.at-1)
	}
	if n = uint64(head >> 4); n == 15 {
		n = w.uvarint()
	}
	return n, head & 15
}

func (w *thriftWalk) dict(depth int) {
	if n := w.uvarint(); n > 0 {
		types := w.octet()
		w.items(n, depth, types>>4, types&15)
	}
}

// items walks over n items. Each item has an element of each of the types, of at least one byte.
func (w *thriftWalk) items(n uint64, depth int, types ...byte) {
	if depth <= 0 || n > w.left() {
		w.fail()
	}
	for ; n > 0 && !w.bad; n-- {
		for _, typ := range types {
			w.value(typ, depth)
		}
	}
}
