// Package accumulate computes the exact totals of a table's rows, separately for each worker.
//
// A [Partial] is the totals of one worker. If each row is a privacy unit, AddRows adds batches to it as they come. If
// columns name the unit, rows count only after all rows of their unit are known: WriteRows writes each row's unit and
// content to a [bounding.Rows], which bounds the units later and passes the kept rows to the function that AddRecords
// returns. Kinds of partials:
//
//	Counts      row counts of all cells, and the number of units with a kept row
//	Sparse      row counts of the cells that have rows, if there are too many cells for memory
//	Tables      row counts in several tables, for marginals
//	Sums        for each cell, the sum of values and the other totals of a mean or a variance; also row counts, if each
//	            row has a multiplicity
//	BinnedSums  the same for each bin of the values, for a clamp that is chosen later
//	Ranked      one of the above for each rank of rows, for a bound on rows that is chosen later
//
// Totals are integers, so they are the same for every order of the rows and every split among workers.
package accumulate

import (
	"encoding/binary"

	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/internal/state"
	"github.com/dprelease/dprelease/queries/quantize"
)

// MaxRows is the largest row count of a cell. A larger count becomes MaxRows.
const MaxRows = 1 << 48

// Partial is the exact, private totals of one worker. Its errors do not depend on the values of rows.
type Partial interface {
	// AddRows adds the rows of a batch for which b.Keep is true, or all rows if Keep is nil.
	AddRows(b *table.Batch) error
	// WriteRows writes the rows that AddRows would add to a store, which bounds the rows of each unit later.
	WriteRows(b *table.Batch, to bounding.Writer) error
	// Content returns the fields of a row's content in the order in which WriteRows writes them: the cell, then the
	// quantized values.
	Content() []bounding.Field
	// AddRecords returns a function that adds rows with the same content to the totals.
	AddRecords() func(content []byte, rows uint64)
	// Merge adds the totals of another partial of the same query. The other partial cannot be used afterwards.
	Merge(other Partial) error
	// Totals returns the totals. The partial cannot be used afterwards.
	Totals() Totals
	// SaveState writes the totals.
	SaveState(w *state.Writer)
	// LoadState adds the totals that SaveState of another process wrote. It returns an error if the input is invalid.
	LoadState(r *state.Reader) error
	// AddTotal adds totals that an engine, such as a database, has computed itself. Its errors depend only on indexes and
	// lengths and on negative row counts.
	AddTotal(t aggregation.Total) error
}

// HideCounts turns row counts into an exact answer, whose values other packages cannot read. Each count is capped at
// MaxRows.
func HideCounts(cells []int64) ([]mechanism.Exact, error) {
	return one(mechanism.Hide(1, capRows(cells)))
}

// HideSparse turns row counts into an exact answer. It gets only the counts that are not 0.
func HideSparse(cells *mechanism.Sparse) ([]mechanism.Exact, error) {
	return one(mechanism.HideSparse(1, *cells))
}

// HideSums turns sums into an exact answer. The sums are integer multiples of quantum.
func HideSums(quantum float64, cells int128.Slice) ([]mechanism.Exact, error) {
	return one(mechanism.HideWide(quantum, cells))
}

func one(e mechanism.Exact, err error) ([]mechanism.Exact, error) {
	if err != nil {
		return nil, err
	}
	return []mechanism.Exact{e}, nil
}

// ValueFields returns one field for each component of a quantized value.
func ValueFields(q *quantize.Quantizer) (fields []bounding.Field) {
	for i := range q.Numbers() {
		low, high := q.Range(i)
		fields = append(fields, bounding.Field{Bytes: 8, Min: low, Max: high})
	}
	return fields
}

// ValidContent returns a function that reports whether WriteRows of the partial can write a content. The content must
// have the right length.
func ValidContent(p Partial) func(content []byte) bool {
	fields := p.Content()
	return func(content []byte) bool {
		for _, f := range fields {
			x := f.Min // a field that is not a number may have any bytes
			switch f.Bytes {
			case 4:
				x = int64(binary.BigEndian.Uint32(content))
			case 8:
				x = int64(binary.BigEndian.Uint64(content))
			}
			if x < f.Min || x > f.Max {
				return false
			}
			content = content[f.Bytes:]
		}
		return true
	}
}
