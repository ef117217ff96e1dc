package arrow

import (
	"slices"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// Values within structs are columns, named by their paths: `address.city` in a struct, `items.price` for the numbers in
// a list of structs, `m.key` and `m.value` for a map. A row is null if its value or any struct around it is null. Below
// a list or a map, a column holds lists of numbers; below two of them, nothing is read.

// schemaPath is the path from a top-level field to a field within it.
type schemaPath struct {
	top     int
	name    string
	indices []int
	listed  bool
	depth   int
}

// child returns the path to child i.
func (p schemaPath) child(i int, name string) schemaPath {
	p.name, p.indices = name, append(slices.Clip(p.indices), i)
	return p
}

// nestedWalk is a walk over the type of a top-level column.
type nestedWalk struct {
	paths *scan.Paths
	found []column
}

// columnsIn returns the column of a top-level field, and the columns nested in it.
func columnsIn(top int, field arrow.Field, ids *dictionaryIDs, paths *scan.Paths) []column {
	typ := storage(field.Type)
	w := nestedWalk{paths: paths, found: []column{{
		field: table.Field{Name: field.Name, Type: tableType(typ)}, top: top, typ: typ, dictionary: ids.id,
	}}}
	w.visit(typ, ids, schemaPath{top: top, name: field.Name})
	return w.found
}

// visit adds the columns nested in a type, but no column for the type itself.
func (w *nestedWalk) visit(typ arrow.DataType, ids *dictionaryIDs, p schemaPath) {
	typ = storage(typ)
	if p.depth++; p.depth > scan.MaxDepth {
		return
	}
	switch t := typ.(type) {
	case *arrow.StructType:
		w.fields(t, ids, p, nil)
	case *arrow.MapType:
		entries, ok := storage(t.Elem()).(*arrow.StructType)
		if ok && !p.listed && len(ids.children) == 1 && entries.NumFields() == 2 {
			p.listed = true
			w.fields(entries, &ids.children[0], p, []string{"key", "value"})
		}
	case *arrow.ListType, *arrow.LargeListType, *arrow.FixedSizeListType:
		if elem := t.(arrow.ListLikeType).Elem(); !p.listed && len(ids.children) == 1 && !unreadLength(typ) {
			p.listed = true
			w.visit(elem, &ids.children[0], p)
		}
	}
}

// fields adds a column for each field of a struct, and the columns nested in these. If names is not nil, it replaces
// the fields' names.
func (w *nestedWalk) fields(t *arrow.StructType, ids *dictionaryIDs, p schemaPath, names []string) {
	if len(ids.children) != t.NumFields() {
		return
	}
	for i, f := range t.Fields() {
		name := f.Name
		if names != nil {
			name = names[i]
		}
		path, ok := w.paths.Join(p.name, name)
		if !ok {
			return
		}
		within := p.child(i, path)
		if typ := storage(f.Type); typ.ID() != arrow.STRUCT {
			c := column{field: table.Field{Name: path}, top: p.top, path: within.indices, typ: typ,
				dictionary: ids.children[i].id}
			if c.field.Type = tableType(typ); p.listed && typ.ID() != arrow.MAP {
				c.field.Type = listType(typ)
			}
			w.found = append(w.found, c)
		}
		w.visit(f.Type, &ids.children[i], within)
	}
}
