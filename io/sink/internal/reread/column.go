package reread

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
)

// groupReader reads the columns of row groups.
type groupReader struct {
	r     io.ReaderAt
	size  int64
	unzip *zstd.Decoder
}

// The numbers that Parquet gives to what is used here.
const (
	codecZstd       = 6
	pageData        = 0
	pageDictionary  = 2
	plain           = 0
	plainDictionary = 2
	rleDictionary   = 8
)

func (g *groupReader) columns(group thriftStruct, schema []described) ([]Column, error) {
	var out []Column
	for i, c := range group.list(1) {
		chunk, ok := c.(thriftStruct)
		meta, sub := chunk.sub(3)
		if !ok || !sub || meta.int(4) != codecZstd || meta.int(5) != group.int(3) || Kind(meta.int(1)) != schema[i].kind {
			return nil, ErrFormat
		}
		column := &chunkReader{column: Column{Name: schema[i].name, Kind: schema[i].kind}, optional: schema[i].optional, unzip: g.unzip}
		if err := column.read(g, meta); err != nil {
			return nil, err
		}
		out = append(out, column.column)
	}
	return out, nil
}

// chunkReader reads one column of a row group.
type chunkReader struct {
	column     Column
	optional   bool
	unzip      *zstd.Decoder
	dictionary []string
	rows       int64
}

func (c *chunkReader) read(g *groupReader, meta thriftStruct) error {
	at, n := meta.int(9), meta.int(7)
	if d := meta.int(11); d > 0 && d < at {
		at = d
	}
	if at < 4 || n < 0 || n > g.size || at > g.size-n {
		return ErrFormat
	}
	b := make([]byte, n)
	if _, err := g.r.ReadAt(b, at); err != nil {
		return err
	}
	for c.rows < meta.int(5) {
		rest, err := c.page(b)
		if err != nil {
			return err
		}
		b = rest
	}
	if len(b) != 0 || c.rows != meta.int(5) {
		return ErrFormat
	}
	return nil
}

// page reads one page and returns what follows it.
func (c *chunkReader) page(b []byte) (rest []byte, err error) {
	head, n, ok := decodeStruct(b)
	size, whole := head.int(3), head.int(2)
	if b = b[n:]; !ok || size < 0 || size > int64(len(b)) || whole < 0 || whole > mostPage {
		return nil, ErrFormat
	}
	stored := b[:size]
	if sum, there := head[4].(int64); !there || uint32(sum) != crc32.ChecksumIEEE(stored) {
		return nil, ErrFormat
	}
	values, err := c.unzip.DecodeAll(stored, make([]byte, 0, whole))
	if err != nil || int64(len(values)) != whole {
		return nil, ErrFormat
	}
	rest = b[size:]
	if d, ok := head.sub(7); ok && head.int(1) == pageDictionary && d.int(2) == plain && c.dictionary == nil {
		c.dictionary, ok = texts(values, d.int(1))
		return rest, formatUnless(ok)
	}
	d, ok := head.sub(5)
	if !ok || head.int(1) != pageData {
		return nil, ErrFormat
	}
	c.rows += d.int(1)
	return rest, formatUnless(c.data(values, d.int(1), d.int(2)))
}

func formatUnless(ok bool) error {
	if ok {
		return nil
	}
	return ErrFormat
}

// data takes the n values of a data page.
func (c *chunkReader) data(b []byte, n, encoding int64) bool {
	if n <= 0 || n > mostPage {
		return false
	}
	defined := n
	if c.optional {
		var ok bool
		if b, defined, ok = c.levels(b, n); !ok {
			return false
		}
	}
	switch {
	case c.column.Kind == Text && (encoding == rleDictionary || encoding == plainDictionary):
		return !c.optional && c.coded(b, n)
	case encoding != plain:
		return false
	case c.column.Kind == Text:
		values, ok := texts(b, n)
		c.column.Texts = append(c.column.Texts, values...)
		return ok && !c.optional
	}
	return int64(len(b)) == 8*defined && c.numbers(b, n)
}

// levels reads the definition levels of n values and returns how many are there.
func (c *chunkReader) levels(b []byte, n int64) (rest []byte, defined int64, ok bool) {
	if len(b) < 4 {
		return nil, 0, false
	}
	size := int64(binary.LittleEndian.Uint32(b))
	if b = b[4:]; size > int64(len(b)) {
		return nil, 0, false
	}
	levels, ok := hybrid(b[:size], 1, n)
	for _, l := range levels {
		c.column.Null = append(c.column.Null, l == 0)
		defined += int64(l)
	}
	return b[size:], defined, ok
}

// numbers takes n rows of 8 bytes each; rows without a value have no bytes.
func (c *chunkReader) numbers(b []byte, n int64) bool {
	null := c.column.Null
	if c.optional {
		null = null[int64(len(null))-n:]
	}
	for i := range n {
		var bits uint64
		if !c.optional || !null[i] {
			bits, b = binary.LittleEndian.Uint64(b), b[8:]
		}
		if c.column.Kind == Int64 {
			c.column.Ints = append(c.column.Ints, int64(bits))
		} else {
			c.column.Floats = append(c.column.Floats, math.Float64frombits(bits))
		}
	}
	return true
}

// coded takes n texts as codes of the dictionary: a byte with their width, then the codes.
func (c *chunkReader) coded(b []byte, n int64) bool {
	if len(b) == 0 || b[0] > 31 {
		return false
	}
	codes, ok := hybrid(b[1:], int(b[0]), n)
	for _, code := range codes {
		if int(code) >= len(c.dictionary) {
			return false
		}
		c.column.Texts = append(c.column.Texts, c.dictionary[code])
	}
	return ok
}

// texts reads exactly n texts, each after its length.
func texts(b []byte, n int64) ([]string, bool) {
	var out []string
	for range n {
		if len(b) < 4 {
			return nil, false
		}
		size := int64(binary.LittleEndian.Uint32(b))
		if b = b[4:]; size > int64(len(b)) {
			return nil, false
		}
		out, b = append(out, string(b[:size])), b[size:]
	}
	return out, len(b) == 0
}

// hybrid reads n numbers of so many bits in runs and bit-packed groups of eight.
func hybrid(b []byte, bits int, n int64) ([]uint32, bool) {
	out := make([]uint32, 0, n)
	for int64(len(out)) < n {
		head, k := binary.Uvarint(b)
		if k <= 0 {
			return nil, false
		}
		b = b[k:]
		if head&1 == 0 {
			width := (bits + 7) / 8
			if len(b) < width || head>>1 > uint64(n)-uint64(len(out)) {
				return nil, false
			}
			var v uint32
			for i := range width {
				v |= uint32(b[i]) << (8 * i)
			}
			for range head >> 1 {
				out = append(out, v)
			}
			b = b[width:]
			continue
		}
		size := (head >> 1) * uint64(bits)
		if size > uint64(len(b)) {
			return nil, false
		}
		out = unpack(out, b[:size], bits, int(min(8*(head>>1), uint64(n)-uint64(len(out)))))
		b = b[size:]
	}
	return out, true
}

// unpack appends n numbers of so many bits, the lowest bits first.
func unpack(out []uint32, b []byte, bits, n int) []uint32 {
	for i := range n {
		var v uint32
		for j := range bits {
			at := i*bits + j
			v |= uint32(b[at/8]>>(at%8)&1) << j
		}
		out = append(out, v)
	}
	return out
}
