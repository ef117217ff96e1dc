package parquet

import (
	"encoding/binary"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/internal/scan"
)

// deltaHead is the header of differences.
type deltaHead struct {
	minis   int // miniblocks a block
	perMini int // values a miniblock
	values  int
	most    byte // bits of a difference
	widest  byte // bits that one has
}

func broken() error { return scan.Fault(scan.CodeDamaged, "a page's differences cannot be decoded") }

// deltas passes over differences of integers of so many bits and returns how many values they are and what comes
// after them.
// Source: parquet-format, Encodings.md, "DELTA_BINARY_PACKED = 5".
func (p *dataPage) deltas(b []byte, width byte) (int, []byte, error) {
	h, b, err := p.deltaHead(b)
	h.most = width
	for left := h.values - 1; left > 0 && err == nil; {
		left, b, err = h.block(left, b)
	}
	p.wide = p.wide || h.widest > 32
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
	p.wide = head[3] >= 1<<32 // in zigzag
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
		h.widest = max(h.widest, w)
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

// narrow decodes differences of integers of 32 bits and returns the page with plain values. By the format they wrap, and some writers compute
// them in 64 bits, so that first values and differences may be longer than 32; the library takes none that are.
func (p *dataPage) narrow() ([]byte, error) {
	wide, err := (&delta.BinaryPackedEncoding{}).DecodeInt64(nil, p.data)
	if err != nil {
		return nil, broken()
	}
	levels := len(p.body) - len(p.data)
	out := make([]byte, levels, levels+4*len(wide))
	copy(out, p.body)
	for _, v := range wide {
		out = binary.LittleEndian.AppendUint32(out, uint32(v))
	}
	return out, nil
}

// plain says in a header that a page has plain values.
func plain(h *format.PageHeader) {
	h.DataPageHeader.V.Encoding, h.DataPageHeaderV2.V.Encoding = format.Plain, format.Plain
}
