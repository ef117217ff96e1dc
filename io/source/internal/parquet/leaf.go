package parquet

import (
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// leaf is a column and the place of its data: a column of the top level, or one within structs, whose name is its path
// (nested.go).
type leaf struct {
	field    table.Field
	chunk    int // index of its chunk in a row group; of a group, of its first leaf
	physical format.Type
	width    int // length of a fixed-length value in bytes
	// highest is the definition level of a value: the number of columns and structs on its path that may be null; 0 for
	// a column of lists.
	highest  byte
	nested   bool         // the column is within another one
	void     bool         // all rows are null
	convert  converter    // nil if a table holds the values in the same form
	decimals scan.Decimal // its type is Invalid if the values are not decimals
	nullify  bool         // a value of scan.NoValue is a null
	list     *listShape   // nil unless the column holds lists
}

// listShape describes the levels of a column of lists. A definition level below null is a null list, or a null struct
// around it; null is an empty list; highest is an element with a value; a level between them is an element that is
// null, or a null struct around it. Source: parquet-format, LogicalTypes.md, "Lists", with the older forms there.
type listShape struct {
	elements      *leaf // the elements as a column, one a row, without nulls
	null, highest byte
}

// values returns the leaf of the values in pages: the elements, if the column holds lists, otherwise the leaf itself.
func (l *leaf) values() *leaf {
	if l.list != nil {
		return l.list.elements
	}
	return l
}
