package accumulate

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
)

// The bytes of totals, for fingerprints
//
// Equal totals give equal bytes, whatever engine added them up and however they are held in memory. The bytes hold each
// number that is not 0, with its position.

// errContent is a bug of this program: partials of this kind are not added up by rank.
var errContent = errors.New("queries: a partial of this kind is not added up by rank")

// contentWriter writes numbers with their positions.
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

// vector writes the byte what, which names the vector, then each non-zero number with its position, then an end mark.
func (w *contentWriter) vector(what byte, n int, at func(i int) (place uint64, x int128.Int)) {
	w.words(uint64(what))
	for i := range n {
		if place, x := at(i); x != (int128.Int{}) {
			w.words(place, uint64(x.High), x.Low)
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

// partial writes one step's totals of a [Ranked]; a nil partial writes nothing.
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
