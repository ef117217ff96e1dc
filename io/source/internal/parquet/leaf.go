package parquet

import (
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// leaf is a column and the place of its data: a top-level column or, with its path as name, a column within structs
// (nested.go).
type leaf struct {
	field    table.Field
	chunk    int // number of its chunk in a row group; for a group, of its first leaf's chunk
	physical format.Type
	width    int // length of a fixed-length value in bytes
	// highest is the definition level of a value: the number of columns and structs on its path that may be null; 0 for
	// a column of lists.
	highest  byte
	nested   bool         // the column is within another column
	void     bool         // all rows are null
	convert  converter    // nil if a table holds the values in the same form
	decimals scan.Decimal // the conversion of decimals; Type is Invalid if the values are not decimals
	nullify  bool         // a value of scan.NoValue is a null
	list     *listShape   // nil unless the column holds lists
}

// listShape describes the levels of a column of lists. The definition level of an entry means: below null, the list or
// a struct around it is null; equal to null, the list is empty; equal to highest, the entry is an element with a value;
// in between, the element or a struct around it is null. Source: parquet-format, LogicalTypes.md, "Lists", with the
// older forms there.
type listShape struct {
	elements      *leaf // the elements as a column with one element a row, without nulls
	null, highest byte
}

// isBytes reports whether decoded values of the leaf share the memory of their page.
func (l *leaf) isBytes() bool {
	return l.physical == format.ByteArray || l.physical == format.FixedLenByteArray || l.physical == format.Boolean
}

// values returns the leaf of the values in pages: the elements, if the column holds lists, otherwise the leaf itself.
func (l *leaf) values() *leaf {
	if l.list != nil {
		return l.list.elements
	}
	return l
}
