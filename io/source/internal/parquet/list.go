package parquet

// listShape is how the levels of a column of lists say what its rows are. A definition level below null is a null list, or a null struct
// around it; null is an empty list, highest is an element, and what is between is an element that is null, or a null struct around it.
// Source: parquet-format, LogicalTypes.md, "Lists", with the older forms there.
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
