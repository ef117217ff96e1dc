// Package table defines the columnar batches that readers yield and queries consume: a Batch has a Column of values for
// each Field of a Schema.
package table

// Field is a named column of a schema.
type Field struct {
	Name string
	Type Type
}

// Schema lists the fields of a table, in order.
type Schema struct {
	Fields []Field
}

// Lookup returns the field with a name.
func (s Schema) Lookup(name string) (Field, bool) {
	if i := s.Index(name); i >= 0 {
		return s.Fields[i], true
	}
	return Field{}, false
}

// Index returns the position of the field with a name, or -1 if there is none.
func (s Schema) Index(name string) int {
	for i, f := range s.Fields {
		if f.Name == name {
			return i
		}
	}
	return -1
}

// Batch holds some rows of a table: the requested columns, in the order of the request. It is valid until the callback
// that received it returns.
type Batch struct {
	Rows    int
	Columns []Column
	// Keep has one item per row: false if no query counts the row. nil if all rows count.
	Keep []bool
}

// Pieces passes the rows of the batch to yield in pieces of at most n rows, in order. It passes a batch of at most n
// rows itself.
func (b *Batch) Pieces(n int, yield func(*Batch) error) error {
	if b.Rows <= n {
		return yield(b)
	}
	piece := &Batch{Columns: make([]Column, len(b.Columns))}
	for i := 0; i < b.Rows; i += n {
		j := min(i+n, b.Rows)
		piece.Rows = j - i
		for k := range b.Columns {
			piece.Columns[k] = b.Columns[k].Slice(i, j)
		}
		if b.Keep != nil {
			piece.Keep = b.Keep[i:j]
		}
		if err := yield(piece); err != nil {
			return err
		}
	}
	return nil
}
