package queries

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"

	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/internal/intern"
	"github.com/dprelease/dprelease/queries/internal/state"
)

// Saving and loading accumulators
//
// One process may add up a part of a table, and another process continue from the state that the first one saved. The
// totals are the same as in one process, because totals are integers that are added, and the rows of a unit are bounded
// only when all of them are there. A state holds exact totals and rows unencrypted: only code that encrypts them may
// write them (pipeline/partial). Both processes make their accumulators by [NewAccumulators] from the same
// aggregations: a state names the digest of each aggregation. Errors of loading are [state.ErrState] or errors of the
// source, and depend on no row.

// Save writes everything that the accumulators hold. They cannot be used afterwards.
func Save(all []*Accumulator, to io.Writer) error {
	w := state.NewWriter(to)
	if err := saveTotals(all, w); err != nil {
		return err
	}
	err := saveRows(all, intern.OneBucket, bounding.BlockBytes, func(_ int, write func(*state.Writer)) error {
		write(w)
		return w.Flush() // Flush after each block, so that only one block, which is large, is in memory.
	})
	if err != nil {
		return err
	}
	w.Uint(0)
	return w.Flush()
}

// Load adds a state that Save wrote to accumulators of the same aggregations. It returns [ErrState], [ErrOther], or an
// error of the source.
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

// SaveTotals writes the totals without the rows of units. SaveRows or Bound must have been called before.
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

// SaveRows calls emit with blocks of rows of about limit bytes. All rows of a block belong to units of one bucket. emit
// must not keep the block: its memory is used again. The totals stay in the accumulators.
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

// LoadRows adds a block that SaveRows passed to emit.
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

// Bound bounds the rows of all units now, so that the totals are complete. No rows can be added afterwards.
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
			g.takeTally(tally)
			if g.rows = nil; err != nil {
				g.partial = nil
				return err
			}
		}
	}
	return nil
}

// ErrState means that the bytes are not a valid state of accumulators.
var ErrState = state.ErrState

// Buckets assigns each privacy unit to one of n buckets. Processes that read different files send the rows of a unit to
// the same bucket. [NewBuckets] makes it.
type Buckets = intern.Buckets

// NewBuckets returns n buckets; n is at least 1. The bucket of a unit depends on a hash of its values. If all columns
// of the unit hold numbers, key is the key of that hash. If a column holds texts, text(unit) is the hash of the unit's
// bytes. All processes of a run must use the same key and the same function text.
func NewBuckets(n int, key [16]byte, text func(unit []byte) uint64) Buckets {
	return intern.NewBuckets(n, key, text)
}

// ErrOther wraps [ErrState]: the state belongs to other aggregations.
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
			_ = r.Fail() // Fail makes later reads of r fail, too.
			return ErrOther
		}
		if err := g.partial.LoadState(r); err != nil {
			return err
		}
	}
	return r.Err()
}

// saveRows calls emit with the rows of all stores. A store is the rows of one accumulator, or of several that share
// them; each block begins with the number of the store's first accumulator, counted from 1.
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

// loadBlock reads a block of rows into the store whose first accumulator has the number store, counted from 1.
func loadBlock(all []*Accumulator, store uint64, r *state.Reader) error {
	if store == 0 || store > uint64(len(all)) {
		return r.Fail()
	}
	g := all[store-1]
	switch {
	case g.partial == nil:
		return bounding.ErrSpent
	case g.rows != nil:
		return g.rows.Load(r, accumulate.ValidContent(g.partial))
	case g.part == nil || !g.part.First():
		return r.Fail()
	}
	var parts []*bounding.QueryRows
	var valid []func([]byte) bool
	for _, m := range g.shared.members {
		if m.partial == nil || m.part == nil {
			return bounding.ErrSpent
		}
		parts, valid = append(parts, m.part), append(valid, accumulate.ValidContent(m.partial))
	}
	return bounding.LoadTogether(parts, r, valid)
}
