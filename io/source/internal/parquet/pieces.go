package parquet

import (
	"bytes"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/internal/scan"
)

// A page of a few bytes can hold 2^31 values, and a page of one long text a thousand copies of it, since runs,
// differences and prefixes expand. The rows of the table decide how many values there are, so no number may be refused.
// Therefore a page is decoded in pieces of at most maxPiece rows (elements, if the column holds lists) and little more
// than scan.BatchBytes of texts. Most pages are one piece.

// pageRest is the part of a page that is not decoded yet.
type pageRest struct {
	leaf              *leaf
	levels            int  // number of rows that are left or, for lists, of elements and empty lists
	whole             bool // the page is one piece
	repeated, defined runs
	// The levels of the current piece; nil if the page stores none.
	repetitions, definitions []byte
	values                   pageValues
	ahead                    int // number of values that the decoder returned and that belong to later pieces
}

type pageValues interface {
	// next decodes some values into the memory of d, and returns how many: at least one if any is left. They are valid
	// until the next call.
	next(d *decoded) (v decoded, n int, err error)
}

// highest returns the definition level that marks a value; 0 if the page stores no levels.
func (r *pageRest) highest() byte {
	if r.leaf.list != nil {
		return r.leaf.list.highest
	}
	return r.leaf.highest
}

// openLevels checks the levels of a page and returns the bytes after them.
func (r *pageRest) openLevels(p *dataPage) (data []byte, err error) {
	repeated, defined, data, err := p.split()
	if err != nil {
		return nil, err
	}
	if r.leaf.list != nil {
		if r.repeated, err = levelRuns(repeated, r.levels, 1); err != nil {
			return nil, err
		}
	}
	if highest := r.highest(); highest > 0 {
		r.defined, err = levelRuns(defined, r.levels, highest)
	}
	return data, err
}

// load decodes the next n levels.
func (r *pageRest) load(n int, m *pageMemory) (err error) {
	if r.leaf.list != nil {
		if m.repeated, r.repetitions, err = loadLevels(&r.repeated, m.repeated, n, r.whole, 1); err != nil {
			return err
		}
	}
	m.defined, r.definitions, err = loadLevels(&r.defined, m.defined, n, r.whole, r.highest())
	return err
}

// present returns how many values of the page are not null.
func (r *pageRest) present(m *pageMemory) (n int, err error) {
	highest := r.highest()
	switch {
	case highest == 0:
		return r.levels, nil
	case r.whole:
		err = r.load(r.levels, m)
		return bytes.Count(r.definitions, []byte{highest}), err
	}
	walk := *r
	for left := r.levels; left > 0; left -= len(walk.definitions) {
		if err := walk.load(min(left, maxPiece), m); err != nil {
			return 0, err
		}
		n += bytes.Count(walk.definitions, []byte{highest})
	}
	return n, nil
}

// open returns the decoder of a page's values, which decodes into the memory of d. The caller must have called check
// for data.
func (p *dataPage) open(data []byte, present int, dict *scan.Dictionary, d *decoded) pageValues {
	whole := present <= maxPiece
	switch {
	case isCodes(p.encoding):
		runs := newRuns(data[min(1, len(data)):], codeWidth(data))
		return &codeValues{page: data, runs: runs, left: present, whole: whole, size: dict.Size}
	case p.encoding == format.RLE:
		n, _ := lengthPrefix(data)
		return &boolValues{runs: newRuns(data[min(4, len(data)):][:n], 1), left: present, whole: whole}
	case p.encoding == format.DeltaBinaryPacked && present > 0:
		return &deltaValues{leaf: p.leaf, deltas: newDeltas(data, &d.ints64)}
	case p.encoding == format.DeltaLengthByteArray && !whole:
		_, rest, _ := countDeltas(data, 32, p.values)
		return &lengthValues{lengths: newLengths(data, &d.ints64), left: present, data: rest}
	case p.encoding == format.DeltaByteArray && present > 0 && !(whole && expandsLittle(data)):
		_, suffixes, _ := countDeltas(data, 32, p.values)
		_, rest, _ := countDeltas(suffixes, 32, p.values)
		return &prefixedValues{
			prefixes: newLengths(data, &d.ints64), suffixes: newLengths(suffixes, new([]int64)),
			left: present, data: rest, width: p.leaf.width, fixed: p.leaf.physical == format.FixedLenByteArray,
		}
	}
	return &wholeValues{page: p, data: data, left: present}
}

// expandsLittle reports whether all strings of a page, with their shared prefixes restored, fit into the memory of
// about one batch.
func expandsLittle(data []byte) bool {
	shared, ok := sumLengths(data)
	return ok && shared+int64(len(data)) <= scan.BatchBytes
}

// codeWidth returns the width of codes in bits, which is the first byte of the page's values.
func codeWidth(data []byte) uint {
	if len(data) == 0 {
		return 0
	}
	return uint(data[0])
}

// codeValues decodes codes into a dictionary of size entries.
type codeValues struct {
	page  []byte
	runs  runs
	left  int
	whole bool
	size  int
}

func (c *codeValues) next(d *decoded) (v decoded, n int, err error) {
	n = min(c.left, maxPiece)
	c.left -= n
	if d.ints32, v.ints32, err = c.runs.decodeCodes(d.ints32, c.page, n, c.whole); err != nil {
		return v, 0, err
	}
	if !allBelow(v.ints32, c.size) {
		return v, 0, notInDictionary()
	}
	return v, n, nil
}

// boolValues decodes booleans in runs.
type boolValues struct {
	runs  runs
	left  int
	whole bool
}

func (b *boolValues) next(d *decoded) (v decoded, n int, err error) {
	n = min(b.left, maxPiece)
	b.left -= n
	d.bytes, v.bools, err = b.runs.decodeOctets(d.bytes, n, b.whole)
	return v, n, err
}

// deltaValues decodes integers that are stored as differences.
type deltaValues struct {
	leaf   *leaf
	deltas deltas
}

func (v *deltaValues) next(*decoded) (decoded, int, error) {
	out, err := v.deltas.Next()
	if v.leaf.physical == format.Int32 {
		narrow(out, v.leaf)
	}
	return decoded{ints64: out}, len(out), err
}

// lengthValues decodes the encoding DELTA_LENGTH_BYTE_ARRAY in several pieces: the lengths of all strings, then their
// bytes.
type lengthValues struct {
	lengths lengths
	left    int
	data    []byte
}

func (v *lengthValues) next(d *decoded) (decoded, int, error) {
	n, size := min(v.left, maxPiece), 0
	d.offsets = append(d.offsets[:0], 0)
	for range n {
		length, err := v.lengths.Next()
		if size += length; err != nil || size > len(v.data) {
			return decoded{}, 0, short()
		}
		d.offsets = append(d.offsets, uint32(size))
	}
	out := decoded{bytes: v.data[:size], offsets: d.offsets}
	v.left, v.data = v.left-n, v.data[size:]
	return out, n, nil
}

// prefixedValues decodes the encoding DELTA_BYTE_ARRAY in several pieces. Each string is stored without the prefix that
// it shares with the string before. The lengths of all prefixes come first, then the lengths of the rests, then their
// bytes.
type prefixedValues struct {
	prefixes, suffixes lengths
	left               int
	data               []byte
	width              int
	fixed              bool
	last               []byte
	held               []byte // memory for last
	prefix, suffix     int    // lengths of the next string, if waits is set: it did not fit into the last piece
	waits              bool
}

func (v *prefixedValues) next(d *decoded) (decoded, int, error) {
	v.held = append(v.held[:0], v.last...)
	v.last = v.held
	out, n := d.bytes[:0], 0
	d.offsets = append(d.offsets[:0], 0)
	for ; n < min(v.left, maxPiece); n++ {
		if err := v.readLengths(); err != nil {
			return decoded{}, 0, err
		}
		from, size := len(out), v.prefix+v.suffix
		if n > 0 && from+size > scan.BatchBytes {
			break
		}
		out = append(append(out, v.last[:v.prefix]...), v.data[:v.suffix]...)
		v.last, v.data, v.waits = out[from:], v.data[v.suffix:], false
		d.offsets = append(d.offsets, uint32(len(out)))
	}
	v.left -= n
	d.bytes = out
	if v.fixed {
		return decoded{bytes: out}, n, nil
	}
	return decoded{bytes: out, offsets: d.offsets}, n, nil
}

// readLengths reads the lengths of the next string, unless they were read before.
func (v *prefixedValues) readLengths() (err error) {
	if v.waits {
		return nil
	}
	if v.prefix, err = v.prefixes.Next(); err != nil {
		return err
	}
	if v.suffix, err = v.suffixes.Next(); err != nil {
		return err
	}
	v.waits = true
	if v.prefix > len(v.last) || v.suffix > len(v.data) || v.fixed && v.prefix+v.suffix != v.width {
		return short()
	}
	return nil
}

// wholeValues decodes all values of a page at once, if they take little more memory than the page.
type wholeValues struct {
	page *dataPage
	data []byte
	left int
}

func (w *wholeValues) next(d *decoded) (decoded, int, error) {
	v, err := d.decode(w.page.leaf, parquet.LookupEncoding(w.page.encoding), w.data, w.left)
	return v, w.left, err
}
