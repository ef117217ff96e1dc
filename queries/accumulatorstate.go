package queries

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"

	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/internal/intern"
	"github.com/dprelease/dprelease/queries/internal/state"
)

// The states of accumulators
//
// One process may gather a part of a table, and another continue from its state: totals are integers, which are added,
// and all rows of a unit are collected before it is bounded. So the totals are the same as in one process. A state
// holds exact totals and rows unencrypted: only code that encrypts them may write them (pipeline/partial). The
// accumulators that save and the accumulators that load are made by [NewAccumulators] from the same aggregations: each
// total begins with the digest of its aggregation. Errors of loading are [state.ErrState] or errors of the source, and
// depend on no row.

// Save writes all that accumulators hold, and spends them.
func Save(all []*Accumulator, to io.Writer) error {
	w := state.NewWriter(to)
	if err := saveTotals(all, w); err != nil {
		return err
	}
	err := saveRows(all, intern.OneBucket, bounding.BlockBytes, func(_ int, write func(*state.Writer)) error {
		write(w)
		return w.Flush() // blocks are long
	})
	if err != nil {
		return err
	}
	w.Uint(0)
	return w.Flush()
}

// Load adds a state that Save wrote to accumulators of the same aggregations. Errors are ErrState, ErrOther, and errors
// of the source.
func Load(all []*Accumulator, from interface {
	io.Reader
	io.ByteReader
}) error {
	r := state.NewReader(from)
	if err := loadTotals(all, r); err != nil {
		return err
	}
	for {
		switch store := r.Uint(); {
		case r.Err() != nil:
			return r.Err()
		case store == 0:
			return nil
		default:
			if err := loadBlock(all, store, r); err != nil {
				return err
			}
		}
	}
}

// SaveTotals writes the totals without the rows of units. The rows must have been saved or bounded before.
func SaveTotals(all []*Accumulator, to io.Writer) error {
	w := state.NewWriter(to)
	if err := saveTotals(all, w); err != nil {
		return err
	}
	return w.Flush()
}

// LoadTotals adds totals that SaveTotals wrote.
func LoadTotals(all []*Accumulator, from interface {
	io.Reader
	io.ByteReader
}) error {
	return loadTotals(all, state.NewReader(from))
}

// SaveRows calls emit with blocks of rows of about limit bytes. Each block is for one bucket. emit must not keep it:
// its memory is used again. The totals stay in all.
func SaveRows(all []*Accumulator, b Buckets, limit int, emit func(bucket int, block []byte) error) error {
	var block bytes.Buffer
	w := state.NewWriter(&block)
	return saveRows(all, b, limit, func(bucket int, write func(*state.Writer)) error {
		block.Reset()
		w.Reset(&block)
		if write(w); w.Flush() != nil {
			return w.Flush()
		}
		return emit(bucket, block.Bytes())
	})
}

// LoadRows adds a block that SaveRows handed on.
func LoadRows(all []*Accumulator, block []byte) error {
	from := bytes.NewBuffer(block)
	r := state.NewReader(from)
	store := r.Uint()
	if r.Err() != nil {
		return r.Err()
	}
	if err := loadBlock(all, store, r); err != nil {
		return err
	}
	if from.Len() > 0 {
		return state.ErrState
	}
	return nil
}

// Bound enforces the bounds of all units now, so that the totals are complete. No rows can be added after it.
func Bound(all []*Accumulator) error {
	for _, g := range all {
		if g.partial == nil {
			return bounding.ErrSpent
		}
		if g.shared != nil {
			if err := g.shared.bound(); err != nil {
				return err
			}
		}
		if g.rows != nil {
			tally, err := g.rows.BoundBy(g.bounded())
			if g.takeTally(g.partial, tally); err != nil {
				return err
			}
			g.rows = nil
		}
	}
	return nil
}

// ErrState means that the bytes are not a valid state of accumulators.
var ErrState = state.ErrState

// Buckets assigns each privacy unit to one of n buckets, so that the rows of a unit are together wherever they are
// gathered. It has no exported field: [NewBuckets] makes it.
type Buckets = intern.Buckets

// NewBuckets returns n buckets, at least one. The bucket of a unit of numbers follows from a hash under key. The bucket
// of a unit with texts follows from text(unit), a hash of the unit's bytes. All processes of a run must use the same
// key and the same function.
func NewBuckets(n int, key [16]byte, text func(unit []byte) uint64) Buckets {
	return intern.NewBuckets(n, key, text)
}

// ErrOther is an [ErrState]: the state belongs to other aggregations.
var ErrOther = fmt.Errorf("%w: of other aggregations", state.ErrState)

func saveTotals(all []*Accumulator, w *state.Writer) error {
	w.Uint(uint64(len(all)))
	for _, g := range all {
		if g.partial == nil {
			return bounding.ErrSpent
		}
		digest := g.of.Digest()
		w.Bytes(digest[:])
		g.partial.SaveState(w)
	}
	return nil
}

func loadTotals(all []*Accumulator, r *state.Reader) error {
	r.Expect(uint64(len(all)))
	for _, g := range all {
		if g.partial == nil {
			return bounding.ErrSpent
		}
		if digest := g.of.Digest(); !bytes.Equal(r.Bytes(sha256.Size), digest[:]) {
			_ = r.Fail() // the error stays
			return ErrOther
		}
		if err := g.partial.LoadState(r); err != nil {
			return err
		}
	}
	return r.Err()
}

// saveRows passes on the rows of all stores: each block begins with the number of its first accumulator, from 1.
func saveRows(all []*Accumulator, b Buckets, limit int,
	emit func(bucket int, write func(*state.Writer)) error) error {
	for i, g := range all {
		if g.partial == nil {
			return bounding.ErrSpent
		}
		numbered := func(bucket int, write func(*state.Writer)) error {
			return emit(bucket, func(w *state.Writer) {
				w.Uint(uint64(i) + 1)
				write(w)
			})
		}
		var err error
		switch {
		case g.part != nil:
			err = g.part.Save(b, limit, numbered)
		case g.rows != nil:
			err = g.rows.Save(b, limit, numbered)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// loadBlock adds a block to the store of an accumulator.
func loadBlock(all []*Accumulator, store uint64, r *state.Reader) error {
	if store == 0 || store > uint64(len(all)) {
		return r.Fail()
	}
	g := all[store-1]
	switch {
	case g.partial == nil:
		return bounding.ErrSpent
	case g.rows != nil:
		return g.rows.Load(r, g.partial.ValidRecord)
	case g.part == nil || !g.part.First():
		return r.Fail()
	}
	var parts []*bounding.QueryRows
	var valid []func([]byte) bool
	for _, m := range g.shared.members {
		if m.partial == nil || m.part == nil {
			return bounding.ErrSpent
		}
		parts, valid = append(parts, m.part), append(valid, m.partial.ValidRecord)
	}
	return bounding.LoadTogether(parts, r, valid)
}
