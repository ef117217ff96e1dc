package perunit

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// quantum describes how the values of a sum are rounded: they are clamped to [lo, hi] and rounded to multiples of size,
// a power of two, so that their sums are exact in any order.
type quantum struct {
	lo, hi float64
	size   float64
}

// roundedBits is the number of binary digits that the largest value (lo or hi) has after rounding to multiples of the
// quantum.
const roundedBits = 40

func newQuantum(lo, hi float64, whole bool) quantum {
	q := quantum{lo: lo, hi: hi, size: 1}
	_, exponent := math.Frexp(max(math.Abs(lo), math.Abs(hi)))
	if !whole || exponent > 62 || lo != math.Trunc(lo) || hi != math.Trunc(hi) {
		q.size = math.Ldexp(1, max(exponent-roundedBits, -1000))
	}
	return q
}

// quantize returns the clamped and rounded value, as a multiple of q.size.
func (q *quantum) quantize(x float64) int64 {
	return int64(math.Round(min(max(x, q.lo), q.hi) / q.size))
}

// state summarizes one unit's rows for one column of the table of units. The column's Kind decides which fields are
// used.
type state struct {
	n        int64      // the number of rows (Count), of values (Sum), or of rows that fulfil the conditions (Any, All)
	other    int64      // the number of rows that do not fulfil the conditions
	total    int128.Int // a sum
	best     []byte     // the encoded value of Min, Max, First or Last so far; nil if there is none
	distinct [][]byte   // the encoded different values, sorted
}

// sum returns the sum as the nearest float.
func (s *state) sum() float64 {
	if s.total.High < 0 {
		negated := int128.Int{}.Sub(s.total)
		return -(math.Ldexp(float64(uint64(negated.High)), 64) + float64(negated.Low))
	}
	return math.Ldexp(float64(s.total.High), 64) + float64(s.total.Low)
}

// keepExtreme keeps value instead of the stored value if value is larger (largest set) or smaller (largest not set).
func (s *state) keepExtreme(value []byte, largest bool) {
	if s.best == nil || (bytes.Compare(value, s.best) > 0) == largest && !bytes.Equal(value, s.best) {
		s.best = append([]byte{}, value...) // an empty text must not become nil
	}
}

// takeDistinct adds a value to the set of different values, unless the set has MaxDistinct values.
func (s *state) takeDistinct(value []byte) {
	if len(s.distinct) == MaxDistinct {
		return
	}
	if at, known := slices.BinarySearchFunc(s.distinct, value, bytes.Compare); !known {
		s.distinct = slices.Insert(s.distinct, at, bytes.Clone(value))
	}
}

// merge adds the state of other rows of the same unit.
func (s *state) merge(o *state, kind Kind) {
	s.n, s.other = s.n+o.n, s.other+o.other
	s.total = s.total.Add(o.total)
	if o.best != nil {
		s.keepExtreme(o.best, kind == Max || kind == Last)
	}
	for _, value := range o.distinct {
		s.takeDistinct(value)
	}
}

// append appends the state in the form that reader reads.
func (s *state) append(dst []byte) []byte {
	for _, x := range []uint64{uint64(s.n), uint64(s.other), s.total.Low, uint64(s.total.High)} {
		dst = binary.LittleEndian.AppendUint64(dst, x)
	}
	dst = appendBytes(dst, s.best)
	dst = binary.AppendUvarint(dst, uint64(len(s.distinct)))
	for _, value := range s.distinct {
		dst = appendBytes(dst, value)
	}
	return dst
}

// appendBytes appends 1 + the length of b, then b. It appends only 0 if b is nil.
func appendBytes(dst, b []byte) []byte {
	if b == nil {
		return append(dst, 0)
	}
	return append(binary.AppendUvarint(dst, uint64(len(b))+1), b...)
}

// reader reads states that append wrote. It does not check them, because a spill returns the written bytes or an error.
type reader struct{ rest []byte }

func (r *reader) word() uint64 {
	x := binary.LittleEndian.Uint64(r.rest)
	r.rest = r.rest[8:]
	return x
}

func (r *reader) length() int {
	x, n := binary.Uvarint(r.rest)
	r.rest = r.rest[n:]
	return int(x)
}

func (r *reader) bytes() []byte {
	n := r.length() - 1
	if n < 0 {
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) state() state {
	s := state{n: int64(r.word()), other: int64(r.word())}
	s.total.Low, s.total.High, s.best = r.word(), int64(r.word()), r.bytes()
	for range r.length() {
		s.distinct = append(s.distinct, r.bytes())
	}
	return s
}

// encode appends a row's value, encoded so that the order of the bytes is the order of the values. ok is false if the
// value is null or a text of more than maxText bytes.
func encode(dst []byte, c *table.Column, row int) (value []byte, ok bool) {
	before := len(dst)
	value, ok = columnar.AppendOrdered(dst, c, row)
	return value, ok && (c.Type.Kind != table.String || len(value)-before <= maxText)
}
