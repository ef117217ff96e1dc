// Package accumulate adds the rows of a table up to exact answers, one worker at a time.
//
// A [Partial] grows in one of two ways. If each row is a privacy unit, AddRows takes in batches as they come. If the
// unit is made of columns, nothing can be counted before all rows of a unit are known: WriteRows writes each row as a
// record of its unit and its content, a [bounding.Rows] keeps the records and bounds them, and the function that
// AddRecords returns adds the records that the bounds leave. Both ways make the same counts and sums:
//
//	Counts  the rows of each cell, every cell in memory
//	Units   the rows of each cell, and the units that have a row there
//	Sparse  the rows of each cell that has some, if a domain is too large for memory
//	Sums    of each cell the sum of values and what a mean or a variance needs beside it
//
// Answers are integers, so that they are the same for every order of the rows and every split among workers.
package accumulate

import (
	"encoding/binary"

	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/internal/state"
	"github.com/dprelease/dprelease/queries/quantize"
)

// MaxRows is the largest number of rows that a cell counts.
const MaxRows = 1 << 48

// Partial is the exact and private totals of one worker as they grow. No error of it depends on a row's value.
type Partial interface {
	// AddRows takes in the rows of a batch that its Keep keeps.
	AddRows(b *table.Batch) error
	// WriteRows appends those rows to the rows of units instead.
	WriteRows(b *table.Batch, to bounding.Writer) error
	// Content returns the fields of the contents that WriteRows writes: the cell, and values within their bounds.
	Content() []bounding.Field
	// AddRecords returns the function that adds rows with the same content, in the form of WriteRows.
	AddRecords() func(content []byte, rows uint64)
	// Merge adds everything that another partial of the same query holds. The other partial is spent.
	Merge(other Partial) error
	// Totals returns the totals. The partial is spent.
	Totals() (Totals, error)
	// SaveState writes the exact state of the partial.
	SaveState(w *state.Writer)
	// LoadState adds the state that another partial of the same query saved. No input makes it panic.
	LoadState(r *state.Reader) error
	// ValidRecord reports whether a content, of the right length, is one that WriteRows may have written.
	ValidRecord(content []byte) bool
}

// HideCounts hides row counts, each capped at MaxRows.
func HideCounts(cells []int64) ([]mechanism.Exact, error) {
	return one(mechanism.Hide(1, capRows(cells)))
}

// HideSparse hides row counts most of which are 0.
func HideSparse(cells *mechanism.Sparse) ([]mechanism.Exact, error) {
	return one(mechanism.HideSparse(1, *cells))
}

// HideSums hides sums of multiples of a quantum.
func HideSums(quantum float64, cells int128.Slice) ([]mechanism.Exact, error) {
	return one(mechanism.HideWide(quantum, cells))
}

func one(e mechanism.Exact, err error) ([]mechanism.Exact, error) {
	if err != nil {
		return nil, err
	}
	return []mechanism.Exact{e}, nil
}

// ValueFields returns the fields of the numbers of a quantized value.
func ValueFields(q *quantize.Quantizer) (fields []bounding.Field) {
	for i := range q.Numbers() {
		low, high := q.Range(i)
		fields = append(fields, bounding.Field{Bytes: 8, Min: low, Max: high})
	}
	return fields
}

// ValidValues reports whether the bytes hold the numbers of a quantized value.
func ValidValues(q *quantize.Quantizer, content []byte) bool {
	for i := range q.Numbers() {
		x := int64(binary.BigEndian.Uint64(content[8*i:]))
		if low, high := q.Range(i); x < low || x > high {
			return false
		}
	}
	return true
}
