package arrow

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// origin holds the file and the decompressors with which buffers are read.
type origin struct {
	ctx    context.Context
	f      io.ReaderAt
	mac    scan.BlockMAC
	codecs *codecs
}

// builder makes the readers of a record batch's arrays.
type builder struct {
	from  origin
	batch *recordBatch
	dict  *dictionary // the dictionary of the column; nil if it has none
	exact bool        // different values must stay different (exact.go)
}

// buffer returns the reader of a buffer.
func (a *builder) buffer(s span, r *arrayReader) *buffer {
	at := a.batch.message.body + s.at
	b := &buffer{
		section: scan.NewSection(a.from.ctx, a.from.f, a.from.mac, at, at+s.size),
		packed:  a.batch.packed, codec: a.batch.codec, codecs: a.from.codecs, left: s.size,
	}
	r.buffers = append(r.buffers, b)
	return b
}

// reader returns the reader of an array or, if path is not empty, of the array at the path within it.
func (a *builder) reader(p *array, path []int) (*arrayReader, error) {
	r := &arrayReader{left: p.node.rows}
	for ; p.typ.ID() == arrow.STRUCT && len(path) > 0; path = path[1:] {
		if err := a.validity(p, r); err != nil {
			return nil, err
		}
		if p = &p.children[path[0]]; p.node.rows != r.left {
			return nil, fault.New(fault.CodeRowCount, "a struct's field has not as many values as the struct")
		}
	}
	if p.typ.ID() == arrow.NULL {
		*r = arrayReader{typ: tableType(p.typ), left: r.left, body: &nullBody{}}
		return r, nil
	}
	if err := a.validity(p, r); err != nil {
		return nil, err
	}
	buffers := make([]*buffer, len(p.buffers))
	for i, s := range p.buffers[1:] {
		buffers[i+1] = a.buffer(s, r)
	}
	var err error
	switch t := p.typ.(type) {
	case *arrow.ListType, *arrow.LargeListType, *arrow.MapType:
		r.body, err = a.lists(p, path, r, &listBody{offsets: offsetsOf(p, buffers[1])})
	case *arrow.FixedSizeListType:
		r.body, err = a.lists(p, path, r, &listBody{length: int(t.Len())})
	default:
		r.typ = a.typeOf(p.typ)
		r.body, err = a.body(p, buffers)
	}
	return r, err
}

func (a *builder) typeOf(t arrow.DataType) table.Type {
	if a.exact {
		return exactType(t)
	}
	return tableType(t)
}

// validity adds an array's validity buffer, if it has one, to a reader. p is the array that r reads, or a struct around
// it.
func (a *builder) validity(p *array, r *arrayReader) error {
	b := a.buffer(p.buffers[0], r)
	if p.buffers[0].size > 0 {
		r.bits = append(r.bits, bitReader{buffer: b})
	} else if p.node.nulls > 0 {
		return fault.New(fault.CodeDamaged, "an array with nulls has no validity")
	}
	return nil
}

// body returns the reader of an array's values, without their validity.
func (a *builder) body(p *array, buffers []*buffer) (body, error) {
	switch t := p.typ.(type) {
	case *arrow.DictionaryType:
		_, width := fixedOf(t.IndexType, false)
		signed := arrow.IsSignedInteger(t.IndexType.ID())
		codes := codeBody{buffer: buffers[1], width: width, signed: signed, dict: a.dict}
		if a.dict != nil && a.dict.isWide() {
			return &wideBody{codeBody: codes, typ: a.typeOf(t)}, nil
		}
		return &codes, nil
	case *arrow.BooleanType:
		return &boolBody{bits: bitReader{buffer: buffers[1]}}, nil
	}
	switch p.typ.ID() {
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY:
		return &textBody{offsets: *offsetsOf(p, buffers[1]), data: buffers[2]}, nil
	case arrow.STRING_VIEW, arrow.BINARY_VIEW:
		return &viewBody{views: buffers[1], data: buffers[2:]}, nil
	}
	decode, width := fixedOf(p.typ, a.exact)
	if decode == nil || width < 1 {
		return nil, fault.New(fault.CodeType, "values of this type cannot be read")
	}
	d, ok := decimalOf(p.typ)
	return &fixedBody{buffer: buffers[1], width: width, decode: decode, nullify: a.exact && ok &&
		d.Type.Kind == table.Int}, nil
}

func offsetsOf(p *array, b *buffer) *offsetReader {
	return &offsetReader{buffer: b, wide: isWide(p.typ)}
}

// lists prepares l to read the elements of lists or, if path is not empty, the column at the path within the elements.
func (a *builder) lists(p *array, path []int, r *arrayReader, l *listBody) (body, error) {
	r.typ = table.Type{Kind: table.List}
	elements, err := a.reader(&p.children[0], path)
	if err != nil {
		return nil, err
	}
	r.buffers = append(r.buffers, elements.buffers...)
	l.elements = elements
	return l, nil
}
