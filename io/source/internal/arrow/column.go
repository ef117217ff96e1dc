package arrow

import (
	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dprelease/dprelease/io/table"
)

// column is a column of an Arrow file: a top-level field, or a field within structs, which is named by its path
// (nested.go).
type column struct {
	field      table.Field
	top        int   // index of the top-level field that holds the column
	path       []int // the way from the top-level field: path[i] is the index of the child at level i
	typ        arrow.DataType
	dictionary int64 // the id of the column's dictionary, if typ is a dictionary
	exact      bool  // different values must stay different, since they are privacy units (exact.go)
}

// dictionaryIDs holds the ids of the dictionaries of a field and of its children. An id is 0 if there is no dictionary.
type dictionaryIDs struct {
	id       int64
	children []dictionaryIDs
}

// isCoded reports whether the column holds codes into a dictionary.
func (c *column) isCoded() bool { return c.typ.ID() == arrow.DICTIONARY }
