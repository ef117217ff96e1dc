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

// thriftDepth is the deepest nesting that is passed; Parquet's metadata is 8 deep.
const thriftDepth = 32

// thriftWalk passes over a struct in Thrift's compact protocol and checks that every length is within the bytes. The
// library that decodes the struct allocates what a length says before it reads that much, and a flipped bit can say
// gigabytes. Source: github.com/apache/thrift, doc/specs/thrift-compact-protocol.md.
type thriftWalk struct {
	b       []byte
	at      int
	structs int // elements of lists that are structs: what decoding allocates for
	bad     bool
	more    *scan.Section // what follows b, nil if nothing does; b grows by what is read of it
	err     error         // of more
}

// walkThrift walks over the struct at the start of b. ok is true if it is whole and sound.
func walkThrift(b []byte) (w thriftWalk, ok bool) {
	w.b = b
	w.fields(thriftDepth)
	return w, !w.bad
}

// shortenThrift reads the struct at the start of a section. Its texts, which may be of any length, come out empty. ok
// is false if it is not whole or not sound.
func shortenThrift(s *scan.Section) (b []byte, ok bool, err error) {
	w := thriftWalk{more: s}
	w.fields(thriftDepth)
	return w.b, !w.bad, w.err
}

// decodeThrift decodes a struct. A field of another type than it should be is an error, not a field that is missing.
func decodeThrift(b []byte, v any) error {
	d := thrift.NewDecoder((&thrift.CompactProtocol{}).NewReaderFromBytes(b))
	d.SetStrict(true)
	return d.Decode(v)
}

func (w *thriftWalk) fail() { w.bad, w.at = true, len(w.b) }

// left returns how many bytes were not passed.
func (w *thriftWalk) left() uint64 {
	n := len(w.b) - w.at
	if w.more != nil {
		n += int(w.more.Left())
	}
	return uint64(n)
}

// grow reads one more byte; it returns false if there is none.
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

// text passes a text; of what follows b it leaves an empty one.
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

// fields passes the fields of a struct.
func (w *thriftWalk) fields(depth int) {
	if depth == 0 {
		w.fail()
	}
	for !w.bad {
		head := w.octet()
		if head == 0 {
			return
		}
		if head>>4 == 0 { // the field's number follows
			w.uvarint()
		}
		if typ := head & 15; typ != thriftTrue && typ != thriftFalse { // a boolean field is in its type
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
	n, typ := w.listed()
	if typ == thriftStruct {
		w.structs += int(min(n, w.left()))
	}
	w.items(n, depth, typ)
}

// listed passes what is before the elements of a list: how many there are, and their type.
func (w *thriftWalk) listed() (n uint64, typ byte) {
	head := w.octet()
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

// items passes n times the elements of the given types, each of at least a byte.
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
