package domain

import (
	"fmt"
	"slices"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/problem"
)

// BatchColumns describes the columns of batches to coders: the schema of the input, and the input's columns that a
// batch holds, in their order.
type BatchColumns struct {
	Schema   table.Schema
	Columns  []string
	Problems *problem.Problems
}

// Find returns a column's index in a batch and its type. If batches do not have the column, Find adds a problem at
// field to Problems.
func (l *BatchColumns) Find(column, field string) (at int, t table.Type, ok bool) {
	f, ok := l.Schema.Lookup(column)
	if !ok {
		problem.UnknownColumn(column, field, l.Schema, l.Problems)
	}
	return slices.Index(l.Columns, column), f.Type, ok
}

// coordinates returns a reader of a column of coordinates. If the column cannot hold coordinates, it adds a problem at
// field.
func (l *BatchColumns) coordinates(column, field string) Coordinates {
	at, t, ok := l.Find(column, field)
	if ok && t.Kind != table.Int && t.Kind != table.Uint && t.Kind != table.Float && t.Kind != table.String {
		l.Problems.Add(field, problem.CodeColumnType, fmt.Sprintf("a column of type %s cannot hold coordinates", t),
			"coordinates are decimal degrees")
	}
	return Coordinates{At: at, Kind: t}
}

// RowCoder maps each row of a batch to a code, which is a cell number or [Dropped].
type RowCoder interface {
	// OfRows returns the code of each row. The slice is valid until the next call.
	OfRows(b *table.Batch) ([]int32, error)
}
