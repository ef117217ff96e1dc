package arrow

import (
	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dprelease/dprelease/io/table"
)

// column is a column of an Arrow file: of the top level, or one within structs, whose name is its path (nested.go).
type column struct {
	field      table.Field
	top        int   // position of the column of the top level that it is, or is in
	path       []int // of each struct and each map's entry on the way down: which child
	typ        arrow.DataType
	dictionary int64 // its id, if typ is one
	exact      bool  // no two of its values may become one
}

// dictionaryIDs are the ids of a field's dictionary and those of its children, 0 if there is none.
type dictionaryIDs struct {
	id       int64
	children []dictionaryIDs
}

// coded says whether a column is codes into a dictionary.
func (c *column) coded() bool { return c.typ.ID() == arrow.DICTIONARY }
