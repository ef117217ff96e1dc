package domain

import (
	"fmt"
	"slices"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/problem"
)

// BatchColumns describes the columns of batches to coders: the schema of the input, and which of its columns a batch
// holds, in order.
type BatchColumns struct {
	Schema   table.Schema
	Columns  []string
	Problems *problem.Problems
}

// Find returns a column's position in a batch and its type. If the batch has no such column, it reports the problem at
// field.
func (l *BatchColumns) Find(column, field string) (at int, t table.Type, ok bool) {
	f, ok := l.Schema.Lookup(column)
	if !ok {
		problem.UnknownColumn(column, field, l.Schema, l.Problems)
	}
	return slices.Index(l.Columns, column), f.Type, ok
}

// coordinates finds a column of coordinates, or reports that the column cannot hold coordinates.
func (l *BatchColumns) coordinates(column, field string) Coordinates {
	at, t, ok := l.Find(column, field)
	if ok && t.Kind != table.Int && t.Kind != table.Uint && t.Kind != table.Float && t.Kind != table.String {
		l.Problems.Add(field, problem.CodeColumnType, fmt.Sprintf("a column of type %s cannot hold coordinates", t),
			"coordinates are decimal degrees")
	}
	return Coordinates{At: at, Kind: t}
}

// RowCoder maps each row of a batch to a code: a cell number, or [Dropped].
type RowCoder interface {
	// OfRows returns the code of each row. The slice is valid until the next call.
	OfRows(b *table.Batch) ([]int32, error)
}
