package queries

import (
	"io"

	"github.com/dprelease/dprelease/queries/internal/gather"
	"github.com/dprelease/dprelease/queries/internal/intern"
	"github.com/dprelease/dprelease/queries/internal/state"
)

// What accumulators hold can leave the process: see package gather. It is exact and plain, so only what encrypts it may
// ask for it (pipeline/partial).

// ErrState says that what was read is no state of the queries.
var ErrState = state.ErrState

// Buckets says which rows of units are to be apart; see [intern.Buckets].
type Buckets = intern.Buckets

// NewBuckets is [intern.NewBuckets].
func NewBuckets(n int, key [16]byte, text func(unit []byte) uint64) Buckets {
	return intern.NewBuckets(n, key, text)
}

// StateSource is what states are read from.
type StateSource = state.Source

// Save writes all that accumulators hold, and spends them.
func Save(all []Accumulator, to io.Writer) error { return gather.Save(all, to) }

// Load adds what Save wrote to accumulators. Errors are ErrState, and those of the source and the accumulators' spill.
func Load(all []Accumulator, from StateSource) error { return gather.Load(all, from) }

// SaveAnswers writes the answers alone. The rows of units must have been saved or bounded.
func SaveAnswers(all []Accumulator, to io.Writer) error { return gather.SaveAnswers(all, to) }

// LoadAnswers adds what SaveAnswers wrote.
func LoadAnswers(all []Accumulator, from StateSource) error { return gather.LoadAnswers(all, from) }

// SaveRows hands the rows of units to emit in blocks of about limit bytes, each for one bucket, and leaves the answers.
// The block is in memory that the next one uses again.
func SaveRows(all []Accumulator, b Buckets, limit int, emit func(bucket int, block []byte) error) error {
	return gather.SaveRows(all, b, limit, emit)
}

// LoadRows adds a block that SaveRows handed on.
func LoadRows(all []Accumulator, block []byte) error { return gather.LoadRows(all, block) }

// Bound enforces the bounds of all units now, so that the answers are complete. No rows can be added after it.
func Bound(all []Accumulator) error { return gather.Bound(all) }
