// Package table holds the columnar batches that readers yield and queries consume.
package table

// Field is a named column of a schema.
type Field struct {
	Name string
	Type Type
}

// Schema is the ordered fields of a table.
type Schema struct {
	Fields []Field
}

// Lookup returns the field of that name.
func (s Schema) Lookup(name string) (Field, bool) {
	if i := s.Index(name); i >= 0 {
		return s.Fields[i], true
	}
	return Field{}, false
}

// Index returns the position of the field of that name, or -1.
func (s Schema) Index(name string) int {
	for i, f := range s.Fields {
		if f.Name == name {
			return i
		}
	}
	return -1
}

// Batch is some rows of a table: the columns that were asked for, in the order asked. It is valid until the callback
// that received it returns.
type Batch struct {
	Rows    int
	Columns []Column
	// Keep has one item a row: the rows if it is false are in no query. Nil keeps every row.
	Keep []bool
}
