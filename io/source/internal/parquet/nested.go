package parquet

import (
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// The leaves of a nested column are columns too, named by their paths: `address.city` in a struct, `items.price` for
// the numbers in a list of structs, `m.key` and `m.value` for a map. A path leaves out the groups that Parquet puts
// between a list and its elements, or a map and its entries. A list of numbers has the path of the list.
//
// On its way down, the walk computes the definition level of a leaf: the number of optional and repeated elements above
// it, itself included. A leaf below one repeated element is a column of lists. Below two of them, nothing is read.

// leavesOf returns the columns of a schema and the number of its leaves. A column that cannot be read has kind Invalid.
// A nested column comes after its top-level column.
func leavesOf(elements []format.SchemaElement) (out []leaf, leaves int, err error) {
	broken := fault.New(fault.CodeDamaged, "the schema is not a tree")
	if len(elements) == 0 || elements[0].Type.Valid {
		return nil, 0, broken
	}
	columns := 0
	var paths scan.Paths
	for at := 1; at < len(elements); columns++ {
		size, n := subtree(elements[at:])
		if size == 0 {
			return nil, 0, broken
		}
		out = append(out, columnsIn(elements[at:at+size], leaves, &paths)...)
		at, leaves = at+size, leaves+n
	}
	if columns != int(elements[0].NumChildren.V) {
		return nil, 0, broken
	}
	if len(out) > columns {
		out = scan.DropDoubles(out, func(l *leaf) (*table.Field, bool) { return &l.field, l.nested })
	}
	return out, leaves, nil
}

// subtree returns how many elements and how many leaves the tree under the first element has. size is 0 if the elements
// are not a tree.
func subtree(elements []format.SchemaElement) (size, leaves int) {
	for open := int64(1); open > 0; size++ {
		if size == len(elements) {
			return 0, 0
		}
		e := &elements[size]
		children := int64(e.NumChildren.V)
		if children < 0 || e.Type.Valid && children > 0 || !e.RepetitionType.Valid {
			return 0, 0
		}
		if e.Type.Valid {
			leaves++
		}
		open += children - 1
	}
	return size, leaves
}

// schemaWalk walks over the tree of a top-level column.
type schemaWalk struct {
	elements []format.SchemaElement
	paths    *scan.Paths
	found    []leaf
}

// level describes the schema element that the walk has reached.
type level struct {
	path    string
	defined byte // the definition level of the element
	listed  bool // the element is within a list
	null    byte // the definition level of an empty list; used if listed is set
	depth   int
}

// repeat returns the level of the elements within the repeated element p.
func (p level) repeat() level {
	p.null, p.listed = p.defined, true
	p.defined++
	return p
}

// columnsIn returns the columns in the tree of a top-level column, which is the first element. chunk is the index of
// the tree's first leaf.
func columnsIn(elements []format.SchemaElement, chunk int, paths *scan.Paths) []leaf {
	e := &elements[0]
	w := schemaWalk{elements: elements, paths: paths}
	name := strings.Clone(e.Name)
	w.visit(0, chunk, level{path: name})
	for i := range w.found {
		w.found[i].nested = w.found[i].field.Name != name
	}
	if len(w.found) == 0 || w.found[0].nested {
		w.found = slices.Insert(w.found, 0, unreadLeaf(e, chunk, name))
	}
	return w.found
}

// visit adds the columns of the element at index at. chunk is the index of the element's first leaf.
func (w *schemaWalk) visit(at, chunk int, p level) {
	e := &w.elements[at]
	switch p.depth++; {
	case p.depth > scan.MaxDepth || repeats(e) && p.listed:
		w.refuse(e, chunk, p)
		return
	case repeats(e):
		p = p.repeat()
	case e.RepetitionType.V == format.Optional:
		p.defined++
	}
	from := len(w.found)
	switch {
	case e.Type.Valid:
		w.leaf(e, chunk, p)
	case isList(e):
		w.list(at, chunk, p)
	case isMap(e):
		w.entries(at, chunk, p)
	default:
		w.fields(at, chunk, p, nil)
	}
	if !e.Type.Valid && (isList(e) || isMap(e) || repeats(e)) {
		w.addGroup(e, from, chunk, p.path)
	}
}

// addGroup adds a column for a group itself, which cannot be read. It inserts the column before the columns within the
// group, which start at index from. It adds nothing if one of these has the group's path: then the group is a list of
// numbers.
func (w *schemaWalk) addGroup(e *format.SchemaElement, from, chunk int, path string) {
	if slices.ContainsFunc(w.found[from:], func(l leaf) bool { return l.field.Name == path }) {
		return
	}
	w.found = slices.Insert(w.found, from, unreadLeaf(e, chunk, path))
}

func unreadLeaf(e *format.SchemaElement, chunk int, path string) leaf {
	return leaf{field: table.Field{Name: path, Type: groupType(e)}, chunk: chunk}
}

// refuse adds a column of kind Invalid, which cannot be read.
func (w *schemaWalk) refuse(e *format.SchemaElement, chunk int, p level) {
	w.found = append(w.found, unreadLeaf(e, chunk, p.path))
}

// leaf adds the column of a leaf.
func (w *schemaWalk) leaf(e *format.SchemaElement, chunk int, p level) {
	value := *e
	if p.listed {
		value.RepetitionType = thrift.New(format.Required)
	}
	l := leaf{field: table.Field{Name: p.path, Type: typeOf(&value)}, chunk: chunk, physical: e.Type.V,
		width: int(e.TypeLength.V)}
	if !p.listed {
		l.highest = p.defined
	}
	l.refine(&value)
	if p.defined > maxLevel {
		l.field.Type = scan.UnreadableType("value in too many structs")
	}
	if p.listed {
		l = l.asList(p)
	}
	w.found = append(w.found, l)
}

// asList returns a column of lists, whose elements are the values of the leaf. If the values are not numbers, its kind
// is Invalid.
func (l leaf) asList(p level) leaf {
	out := leaf{field: l.field, chunk: l.chunk, physical: l.physical}
	switch l.field.Type.Kind {
	case table.Int, table.Uint, table.Float:
		out.list = &listShape{elements: &l, null: p.null, highest: p.defined}
		out.field.Type = table.Type{Kind: table.List}
	default:
		out.field.Type = scan.UnreadableType("list")
	}
	return out
}

// list adds the columns of a group that is a list: its only child is repeated, and either is the list's element or
// contains it as only child. Source: parquet-format, LogicalTypes.md, "Lists" and "Backward-compatibility rules".
func (w *schemaWalk) list(at, chunk int, p level) {
	e := &w.elements[at]
	if e.NumChildren.V != 1 || p.listed || !repeats(&w.elements[at+1]) {
		w.refuse(e, chunk, p)
		return
	}
	middle := &w.elements[at+1]
	between := !middle.Type.Valid && middle.NumChildren.V == 1 && middle.Name != "array" && middle.Name != e.Name+"_tuple"
	if between && !repeats(&w.elements[at+2]) {
		w.visit(at+2, chunk, p.repeat())
		return
	}
	w.visit(at+1, chunk, p)
}

// entries adds the columns of a group that is a map: its only child is a repeated group with a key and perhaps a value.
// Source: parquet-format, LogicalTypes.md, "Maps".
func (w *schemaWalk) entries(at, chunk int, p level) {
	e := &w.elements[at]
	if e.NumChildren.V != 1 || p.listed || !repeats(&w.elements[at+1]) {
		w.refuse(e, chunk, p)
		return
	}
	if entry := &w.elements[at+1]; entry.Type.Valid || entry.NumChildren.V < 1 || entry.NumChildren.V > 2 {
		w.refuse(e, chunk, p)
		return
	}
	w.fields(at+1, chunk, p.repeat(), []string{"key", "value"})
}

// fields adds the columns of a group's children. If names is not nil, it replaces their names.
func (w *schemaWalk) fields(at, chunk int, p level, names []string) {
	children := int(w.elements[at].NumChildren.V)
	at++
	for i := range children {
		name := w.elements[at].Name
		if names != nil {
			name = names[i]
		}
		within, ok := p, false
		if within.path, ok = w.paths.Join(p.path, name); !ok {
			return
		}
		w.visit(at, chunk, within)
		size, leaves := subtree(w.elements[at:])
		at, chunk = at+size, chunk+leaves
	}
}
