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
	chunk    int // position among a row group's chunks; of a group the first one in it
	physical format.Type
	width    int // bytes of a fixed-length value
	// the definition level of a value: how many of the column and the structs around it may be null; of lists 0
	highest  byte
	nested   bool         // the column is within another one
	void     bool         // all rows are null
	convert  converter    // nil if the values are taken as they are
	decimals scan.Decimal // of kind Invalid if the values are no decimals
	nullify  bool         // scan.NoValue stands for a null
	list     *listShape   // nil if the column is not one of lists
}

// listShape is how the levels of a column of lists say what its rows are. A definition level below null is a null list,
// or a null struct around it; null is an empty list, highest is an element, and what is between is an element that is
// null, or a null struct around it. Source: parquet-format, LogicalTypes.md, "Lists", with the older forms there.
type listShape struct {
	elements      *leaf // as if there were one a row, and no null
	null, highest byte
}

// values is the leaf of what pages hold: of a column of lists, their elements; else itself.
func (l *leaf) values() *leaf {
	if l.list != nil {
		return l.list.elements
	}
	return l
}
