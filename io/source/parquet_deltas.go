package source

import "encoding/binary"

// deltaHead is the header of differences.
type deltaHead struct {
	minis   int // miniblocks a block
	perMini int // values a miniblock
	values  int
	most    byte // bits of a difference
}

func broken() error { return fault(CodeDamaged, "a page's differences cannot be decoded") }

// deltas passes over differences of integers of so many bits and returns how many values they are and what comes
// after them.
// Source: parquet-format, Encodings.md, "DELTA_BINARY_PACKED = 5".
func (p *dataPage) deltas(b []byte, width byte) (int, []byte, error) {
	h, b, err := p.deltaHead(b)
	h.most = width
	for left := h.values - 1; left > 0 && err == nil; {
		left, b, err = h.block(left, b)
	}
	return h.values, b, err
}

func (p *dataPage) deltaHead(b []byte) (deltaHead, []byte, error) {
	var head [4]uint64 // values a block, miniblocks a block, values, the first value
	for i := range head {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return deltaHead{}, nil, short()
		}
		head[i], b = v, b[n:]
	}
	size, minis, values := head[0], head[1], head[2]
	if size == 0 || size > 1<<16 || minis == 0 || size%minis != 0 || size/minis%32 != 0 || values > uint64(p.values) {
		return deltaHead{}, nil, broken()
	}
	return deltaHead{minis: int(minis), perMini: int(size / minis), values: int(values)}, b, nil
}

// block passes over a block, of which left values are in use, and returns how many are left after it.
func (h *deltaHead) block(left int, b []byte) (int, []byte, error) {
	_, n := binary.Uvarint(b)
	if n <= 0 || len(b)-n < h.minis {
		return 0, nil, short()
	}
	widths, b := b[n:n+h.minis], b[n+h.minis:]
	for _, w := range widths {
		if left <= 0 { // miniblocks without values have no bytes
			break
		}
		size := h.perMini / 8 * int(w)
		switch {
		case w > h.most:
			return 0, nil, broken()
		case size > len(b):
			return 0, nil, short()
		}
		b = b[size:]
		left -= h.perMini
	}
	return left, b, nil
}
