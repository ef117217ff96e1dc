package parquet

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// listShape is how the levels of a column of lists say what its rows are. A definition level below null is a null list,
// null is an empty list, highest is an element, and what is between is an element that is null.
// Source: parquet-format, LogicalTypes.md, "Lists", with the older forms there.
type listShape struct {
	element       table.Type
	null, highest byte
}

// width is the number of bits of a definition level.
func (s *listShape) width() uint { return uint(bits.Len8(s.highest)) }

// listed makes the leaf a list of numbers, if the tree of elements, whose first one is the column, is one.
func (l *leaf) listed(elements []format.SchemaElement) {
	shape, e := listIn(elements)
	if e == nil {
		return
	}
	value := *e
	value.RepetitionType = thrift.New(format.Required)
	inner := leaf{field: table.Field{Type: typeOf(&value)}, physical: value.Type.V, width: int(value.TypeLength.V)}
	inner.refine(&value)
	switch inner.field.Type.Kind {
	case table.Int, table.Uint, table.Float:
		shape.element = inner.field.Type
		l.list, l.physical, l.width, l.convert, l.optional = shape, inner.physical, inner.width, inner.convert, false
		l.field.Type = table.Type{Kind: table.List}
	}
}

// listIn returns the element of a column that is a list, or nil.
func listIn(elements []format.SchemaElement) (*listShape, *format.SchemaElement) {
	s, e := &listShape{highest: 1}, &elements[0]
	if e.Type.Valid && e.RepetitionType.V == format.Repeated {
		return s, e
	}
	if e.Type.Valid || !annotated(e) || e.NumChildren.V != 1 || len(elements) < 2 {
		return nil, nil
	}
	switch e.RepetitionType.V {
	case format.Optional:
		s.null, s.highest = 1, 2
	case format.Repeated:
		return nil, nil
	}
	middle := &elements[1]
	switch {
	case middle.RepetitionType.V != format.Repeated:
		return nil, nil
	case middle.Type.Valid:
		return s, middle
	case middle.NumChildren.V != 1 || len(elements) < 3 || middle.Name == "array" || middle.Name == e.Name+"_tuple":
		return nil, nil
	}
	element := &elements[2]
	if !element.Type.Valid || element.RepetitionType.V == format.Repeated {
		return nil, nil
	}
	if element.RepetitionType.V == format.Optional {
		s.highest++
	}
	return s, element
}

func annotated(e *format.SchemaElement) bool {
	if _, ok := e.LogicalType.Value.(*format.ListType); ok {
		return true
	}
	return e.ConvertedType.Valid && e.ConvertedType.V == deprecated.List
}

// inner is the leaf of the elements alone, of which there is one a row.
func (l *leaf) inner() *leaf {
	e := *l
	e.field.Type, e.list = l.list.element, nil
	return &e
}

// listLevels are the levels of a page, as they are encoded.
type listLevels struct {
	repeated, defined []byte
	values            int // levels
}

// guardedLists are what a guard keeps of a column of lists.
type guardedLists struct {
	left   int64        // levels that the footer has announced and no page has
	levels []listLevels // of pages that the library has not returned yet
}

// flatten keeps the levels of a page of lists and hands on the page as one of elements that are not in lists.
func (g *pageGuard) flatten(h *format.PageHeader, body []byte) (*format.PageHeader, []byte, error) {
	p, err := g.page(h, body)
	if err != nil {
		return nil, nil, err
	}
	if err := g.announced(&p, g.lists.left); err != nil {
		return nil, nil, err
	}
	levels, data, err := p.listLevels(h)
	if err != nil {
		return nil, nil, err
	}
	rows, present, err := g.tally(&levels)
	if err != nil {
		return nil, nil, err
	}
	if rows > g.rows {
		return nil, nil, tooMany()
	}
	g.rows -= rows
	g.lists.left -= int64(p.values)
	levels.repeated, levels.defined = slices.Clone(levels.repeated), slices.Clone(levels.defined)
	g.lists.levels = append(g.lists.levels, levels)
	return g.elements(&p, data, present)
}

// elements returns a page of the elements that are present.
func (g *pageGuard) elements(p *dataPage, data []byte, present int) (*format.PageHeader, []byte, error) {
	flat := dataPage{leaf: p.leaf.inner(), values: present, encoding: p.encoding, body: data}
	if present == 0 {
		flat.body, flat.encoding = nil, format.Plain
	}
	if err := flat.check(); err != nil {
		return nil, nil, err
	}
	if flat.wide && flat.data != nil {
		body, err := flat.narrow()
		if err != nil {
			return nil, nil, err
		}
		flat.body, flat.encoding = body, format.Plain
	}
	h := &format.PageHeader{Type: format.DataPage}
	h.DataPageHeader = thrift.New(format.DataPageHeader{
		NumValues: int32(present), Encoding: flat.encoding, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
	})
	return h, flat.body, nil
}

// tally checks the levels of a page and returns how many rows begin in it and how many elements are present.
func (g *pageGuard) tally(l *listLevels) (rows int64, present int, err error) {
	starts, err := countLevels(l.repeated, 1, l.values, 1)
	if err != nil {
		return 0, 0, err
	}
	levels, err := countLevels(l.defined, g.leaf.list.width(), l.values, g.leaf.list.highest)
	return int64(starts[0]), levels[g.leaf.list.highest], err
}

// countLevels counts how many of the first n levels are 0, 1, 2 and 3; none may be above highest.
func countLevels(b []byte, width uint, n int, highest byte) (counts [4]int, err error) {
	p := dataPage{values: n}
	held, err := p.runs(b, width)
	if err != nil {
		return counts, err
	}
	if held < n {
		return counts, short()
	}
	for r := (levelRuns{b: b, width: width}); n > 0; {
		level, k := r.next(n)
		if level > highest {
			return counts, scan.Fault(scan.CodeDamaged, "a page has a level that its column cannot have")
		}
		counts[level] += k
		n -= k
	}
	return counts, nil
}

// listLevels returns the levels of a page as they are encoded, and what follows them.
func (p *dataPage) listLevels(h *format.PageHeader) (l listLevels, data []byte, err error) {
	l.values = p.values
	if p.v2 != nil {
		repeated, defined := int(p.v2.RepetitionLevelsByteLength), int(p.v2.DefinitionLevelsByteLength)
		if repeated < 0 || defined < 0 || repeated > len(p.body) || defined > len(p.body)-repeated {
			return l, nil, scan.Fault(scan.CodeDamaged, "a page is shorter than its levels")
		}
		l.repeated, l.defined = p.body[:repeated], p.body[repeated:repeated+defined]
		return l, p.body[repeated+defined:], nil
	}
	if p.levels != format.RLE || h.DataPageHeader.V.RepetitionLevelEncoding != format.RLE {
		return l, nil, unknownEncoding()
	}
	data = p.body
	for _, to := range []*[]byte{&l.repeated, &l.defined} {
		n, err := p.prefix(data)
		if err != nil {
			return l, nil, err
		}
		*to, data = data[4:4+n], data[4+n:]
	}
	return l, data, nil
}

// levelRuns reads levels of one or two bits, which countLevels has passed: a mix of runs and packed groups.
// Source: parquet-format, Encodings.md, "RLE = 3".
type levelRuns struct {
	b      []byte
	width  uint
	left   int // levels of the run or group
	packed bool
	value  byte
	bit    uint // of the group: where the next level is
	group  []byte
}

// next passes the next levels that are known to be equal, at most n, and returns their level and how many they are.
func (r *levelRuns) next(n int) (level byte, count int) {
	for r.left == 0 {
		r.open()
	}
	count = min(n, r.left)
	if r.packed {
		count, r.value = 1, r.group[r.bit/8]>>(r.bit%8)&(1<<r.width-1)
		r.bit += r.width
	}
	r.left -= count
	return r.value, count
}

// open goes to the next run or group.
func (r *levelRuns) open() {
	head, n := binary.Uvarint(r.b)
	r.b, r.left, r.packed = r.b[n:], int(head>>1), head&1 == 1
	switch {
	case r.left == 0:
	case r.packed:
		size := r.left * int(r.width)
		r.group, r.b, r.bit, r.left = r.b[:size], r.b[size:], 0, 8*r.left
	default:
		r.value, r.b = r.b[0], r.b[1:]
	}
}
