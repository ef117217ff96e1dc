package arrow

import (
	"encoding/binary"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dprelease/dprelease/io/source/fault"
)

// bitReader reads the bits of a buffer in order.
type bitReader struct {
	buffer *buffer
	octet  byte
	have   int // number of bits of octet that are left
}

// appendBits appends the next n bits to dst.
func (b *bitReader) appendBits(n int, dst []bool) ([]bool, error) {
	raw, err := b.buffer.nextBytes(int64(max(n-b.have+7, 0) / 8))
	if err != nil {
		return dst, err
	}
	for range n {
		if b.have == 0 {
			b.octet, raw, b.have = raw[0], raw[1:], 8
		}
		dst = append(dst, b.octet&1 == 1)
		b.octet >>= 1
		b.have--
	}
	return dst, nil
}

// offsetReader reads the offsets of the strings or lists (items) of an array. It reads ahead, and holds the ends of the
// items that were not taken yet.
type offsetReader struct {
	buffer *buffer
	wide   bool // offsets have 8 bytes, not 4
	begun  bool
	at     int64 // offset of the next item's start
	ends   []int64
	memory []int64
}

func isWide(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.LARGE_STRING, arrow.LARGE_BINARY, arrow.LARGE_LIST:
		return true
	}
	return false
}

// start reads the first offset, which need not be zero, and returns it.
func (o *offsetReader) start() (int64, error) {
	if o.begun {
		return 0, nil
	}
	o.begun = true
	first, err := o.read(1, nil)
	if err != nil {
		return 0, err
	}
	o.at = first[0]
	return o.at, nil
}

// read appends the next n offsets to dst. It fails if an offset is less than the one before.
func (o *offsetReader) read(n int, dst []int64) ([]int64, error) {
	width := 4
	if o.wide {
		width = 8
	}
	raw, err := o.buffer.nextBytes(int64(n * width))
	if err != nil {
		return nil, err
	}
	last := o.at
	if len(dst) > 0 {
		last = dst[len(dst)-1]
	}
	for i := 0; i < len(raw); i += width {
		v := int64(int32(binary.LittleEndian.Uint32(raw[i:])))
		if o.wide {
			v = int64(binary.LittleEndian.Uint64(raw[i:]))
		}
		if v < last {
			return nil, fault.New(fault.CodeDamaged, "an array has an offset outside its values")
		}
		dst, last = append(dst, v), v
	}
	return dst, nil
}

// fit returns how many of the next n items have at most limit bytes or elements together, but at least 1. long is true
// if the first of them is longer than longest.
func (o *offsetReader) fit(n int, limit, longest int64) (k int, long bool, err error) {
	if have := len(o.ends); have < n {
		o.memory = append(o.memory[:0], o.ends...)
		ends, err := o.read(n-have, o.memory)
		if err != nil {
			return 0, false, err
		}
		o.memory, o.ends = ends, ends
	}
	k = 1
	for k < n && o.ends[k]-o.at <= limit {
		k++
	}
	if o.ends[0]-o.at > longest {
		return 1, true, nil
	}
	return k, false, nil
}

// appendOffsets appends offsets of the next n items to dst: 0, then the end of each item, relative to the start of the
// first. It returns the items' total length.
func (o *offsetReader) appendOffsets(n int, dst []uint32) ([]uint32, int64) {
	from := o.at
	dst = append(dst, 0)
	for _, end := range o.ends[:n] {
		dst = append(dst, uint32(end-from))
	}
	if n > 0 {
		o.at = o.ends[n-1]
	}
	o.ends = o.ends[n:]
	return dst, o.at - from
}
