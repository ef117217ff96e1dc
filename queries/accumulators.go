package queries

import (
	"io"

	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/internal/gather"
	"github.com/dprelease/dprelease/queries/internal/intern"
	"github.com/dprelease/dprelease/queries/internal/keyselection"
	"github.com/dprelease/dprelease/queries/internal/state"
	"github.com/dprelease/dprelease/queries/query"
)

// Accumulators: what an engine adds rows up with
//
// Engines that read rows give batches to the accumulators of some aggregations. Engines that let others add rows up
// give them totals of cells. From there on all is the same: [HideTotals] hides what was added up as the exact answers
// of a query, and nothing else outside of the queries' packages can read it.

// Accumulator gathers the exact totals of an aggregation for one worker.
type Accumulator = gather.Accumulator

// NewAccumulators makes the accumulators of some aggregations for one worker. Those whose privacy unit is made of the
// same columns share the rows of units: see [gather.NewAccumulators]. The spill may be nil.
func NewAccumulators(of []*aggregation.Aggregation, spill bounding.Spill) ([]*Accumulator, error) {
	return gather.NewAccumulators(of, spill)
}

// NewSeparately makes the same accumulators, none of which share rows.
func NewSeparately(of []*aggregation.Aggregation, spill bounding.Spill) ([]*Accumulator, error) {
	return gather.NewSeparately(of, spill)
}

// HideTotals bounds the rows of each unit and returns the exact answer of each component of q. The accumulator must be
// of q's aggregation; it is spent.
func HideTotals(q query.Query, a *Accumulator) ([]mechanism.Exact, error) {
	t, err := gather.Totals(a)
	if err != nil {
		return nil, err
	}
	return q.Hide(t)
}

// Total is what another engine has added up in a cell.
type Total = accumulate.Total

// KeyValue is what a part of a key is of a group of rows.
type KeyValue = keyselection.PartValue

// MaxKeyBytes is the length of the longest text that is a key.
const MaxKeyBytes = keyselection.MaxKeyBytes

// KeyOf makes a key of the values of its parts; ok is false if one of them is no key.
func KeyOf(parts []aggregation.KeyPart, values []KeyValue) (key string, ok bool) {
	return keyselection.Join(parts, values)
}

// What accumulators hold can leave the process: see package gather. It is exact and plain, so only what encrypts it may
// ask for it (pipeline/partial).

// ErrState means that what was read is no state of the queries.
var ErrState = state.ErrState

// ErrOther is an ErrState: what was read is a state of other aggregations.
var ErrOther = gather.ErrOther

// Buckets describes which rows of units are to be apart; see [intern.Buckets].
type Buckets = intern.Buckets

// NewBuckets is [intern.NewBuckets].
func NewBuckets(n int, key [16]byte, text func(unit []byte) uint64) Buckets {
	return intern.NewBuckets(n, key, text)
}

// StateSource is what states are read from.
type StateSource = state.Source

// Save writes all that accumulators hold, and spends them.
func Save(all []*Accumulator, to io.Writer) error { return gather.Save(all, to) }

// Load adds what Save wrote to accumulators. Errors are ErrState, and those of the source and the accumulators' spill.
func Load(all []*Accumulator, from StateSource) error { return gather.Load(all, from) }

// SaveAnswers writes the answers alone. The rows of units must have been saved or bounded.
func SaveAnswers(all []*Accumulator, to io.Writer) error { return gather.SaveAnswers(all, to) }

// LoadAnswers adds what SaveAnswers wrote.
func LoadAnswers(all []*Accumulator, from StateSource) error { return gather.LoadAnswers(all, from) }

// SaveRows hands the rows of units to emit in blocks of about limit bytes, each for one bucket, and leaves the answers.
// The block is in memory that the next one uses again.
func SaveRows(all []*Accumulator, b Buckets, limit int, emit func(bucket int, block []byte) error) error {
	return gather.SaveRows(all, b, limit, emit)
}

// LoadRows adds a block that SaveRows handed on.
func LoadRows(all []*Accumulator, block []byte) error { return gather.LoadRows(all, block) }

// Bound enforces the bounds of all units now, so that the answers are complete. No rows can be added after it.
func Bound(all []*Accumulator) error { return gather.Bound(all) }
