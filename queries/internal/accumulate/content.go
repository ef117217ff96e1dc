package accumulate

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
)

// The input of fingerprints
//
// A fingerprint of totals is a hash of the bytes that a contentWriter writes. Equal totals give equal bytes, whatever
// engine computed them and however memory holds them. The bytes hold each number that is not 0, after its index.

// errContent is a bug of this program: a partial of this kind cannot be in a [Ranked].
var errContent = errors.New("queries: a partial of this kind is not added up by rank")

// contentWriter writes numbers, each after its index.
type contentWriter struct {
	to  io.Writer
	err error
}

func (w *contentWriter) words(words ...uint64) {
	var b []byte
	for _, x := range words {
		b = binary.BigEndian.AppendUint64(b, x)
	}
	if w.err == nil {
		_, w.err = w.to.Write(b)
	}
}

// vector writes the byte what, which names the vector, then each of n numbers that is not 0, after its index, then an
// end mark. at returns a number and its index.
func (w *contentWriter) vector(what byte, n int, at func(i int) (index uint64, x int128.Int)) {
	w.words(uint64(what))
	for i := range n {
		if index, x := at(i); x != (int128.Int{}) {
			w.words(index, uint64(x.High), x.Low)
		}
	}
	w.words(1<<64 - 1)
}

func (w *contentWriter) counts(what byte, counts []int64) {
	w.vector(what, len(counts), func(i int) (uint64, int128.Int) { return uint64(i), int128.Int{Low: uint64(counts[i])} })
}

func (w *contentWriter) wide(what byte, s int128.Slice) {
	w.vector(what, len(s.High), func(i int) (uint64, int128.Int) { return uint64(i), s.At(i) })
}

// partial writes the totals of a partial that belongs to a [Ranked].
func (w *contentWriter) partial(of Partial) {
	switch a := of.(type) {
	case *Counts:
		a.makeSlots()
		w.counts('c', a.slots[1:])
		return
	case *Sparse:
		order := make([]uint64, len(a.rows))
		for id, cell := range a.cells.Keys {
			order[id] = cell<<32 | uint64(id)
		}
		slices.Sort(order)
		w.vector('c', len(order), func(i int) (uint64, int128.Int) {
			return order[i] >> 32, int128.Int{Low: uint64(a.rows[uint32(order[i])])}
		})
		return
	case *Sums:
		a.makeTotals()
		a.flush()
		w.wide('s', a.totals)
		w.wide('2', a.second)
		w.counts('r', a.rows)
		return
	}
	w.err = errContent
}
