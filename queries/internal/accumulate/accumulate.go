// Package accumulate adds the rows of a table up to exact answers, one worker at a time.
//
// A [Partial] is one worker's totals so far. It grows in one of two ways. If each row is a privacy unit, AddRows adds
// batches as they come. If the unit is named by columns, rows are counted only after all rows of their unit are known:
// WriteRows writes each row's unit and content to a [bounding.Rows], which bounds them later and passes the kept rows
// to the function that AddRecords returns. Kinds of partials:
//
//	Counts  the rows of each cell, every cell in memory
//	Units   the rows of each cell, and the units that have a row there
//	Sparse  the rows of each cell that has some, if a domain is too large for memory
//	Sums    of each cell the sum of values and what a mean or a variance needs beside it
//
// Totals are integers, so they are the same for every order of the rows and every split among workers.
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

// MaxRows is the largest row count of a cell; more rows are not counted.
const MaxRows = 1 << 48

// Partial is the exact, private totals of one worker, which grow with each batch. None of its errors depends on a row's
// value.
type Partial interface {
	// AddRows adds the rows of a batch for which b.Keep is true, or all rows if Keep is nil.
	AddRows(b *table.Batch) error
	// WriteRows writes those rows of a batch to a store, which bounds the rows of each unit later.
	WriteRows(b *table.Batch, to bounding.Writer) error
	// Content returns the fields of a row's content, in the order in which WriteRows writes them: the cell, and values
	// within their bounds.
	Content() []bounding.Field
	// AddRecords returns a function that adds rows with the same content, which WriteRows has written.
	AddRecords() func(content []byte, rows uint64)
	// Merge adds everything that another partial of the same query holds. The other partial cannot be used afterwards.
	Merge(other Partial) error
	// Totals returns the totals. The partial cannot be used afterwards.
	Totals() (Totals, error)
	// SaveState writes the exact state of the partial.
	SaveState(w *state.Writer)
	// LoadState adds a state that SaveState of another process wrote. Invalid input is an error and never a panic.
	LoadState(r *state.Reader) error
	// ValidRecord reports whether WriteRows may have written this content, whose length is right.
	ValidRecord(content []byte) bool
}

// HideCounts turns row counts into an exact answer. Each count is capped at MaxRows.
func HideCounts(cells []int64) ([]mechanism.Exact, error) {
	return one(mechanism.Hide(1, capRows(cells)))
}

// HideSparse turns row counts into an exact answer, given only the counts that are not 0.
func HideSparse(cells *mechanism.Sparse) ([]mechanism.Exact, error) {
	return one(mechanism.HideSparse(1, *cells))
}

// HideSums turns sums into an exact answer. They are integer multiples of quantum.
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

// ValidValues reports whether content holds a value within the quantizer's bounds.
func ValidValues(q *quantize.Quantizer, content []byte) bool {
	for i := range q.Numbers() {
		x := int64(binary.BigEndian.Uint64(content[8*i:]))
		if low, high := q.Range(i); x < low || x > high {
			return false
		}
	}
	return true
}
