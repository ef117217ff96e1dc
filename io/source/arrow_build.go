package source

import (
	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dprelease/dprelease/io/table"
)

// arrowBuild makes the readers of a record batch's arrays.
type arrowBuild struct {
	scan  *arrowScan
	batch *recordBatch
	dict  *arrowDictionary // of the column, if it has one
}

// buffer returns the reader of a buffer.
func (a *arrowBuild) buffer(s arrowSpan, r *arrowReader) *arrowBuffer {
	at := a.batch.message.body + s.at
	b := &arrowBuffer{
		section: newSection(a.scan.ctx, a.scan.f, a.scan.file.mac).between(at, at+s.size),
		packed:  a.batch.packed, codec: a.batch.codec, codecs: &a.scan.codecs, left: s.size,
	}
	r.buffers = append(r.buffers, b)
	return b
}

// reader returns the reader of an array, whose values are of type t.
func (a *arrowBuild) reader(p *arrowPart, t table.Type) (*arrowReader, error) {
	r := &arrowReader{typ: t, left: p.node.rows}
	if p.typ.ID() == arrow.NULL {
		r.body = &arrowNulls{}
		return r, nil
	}
	buffers := make([]*arrowBuffer, len(p.buffers))
	for i, s := range p.buffers {
		buffers[i] = a.buffer(s, r)
	}
	if p.buffers[0].size > 0 {
		r.bits = &arrowBits{buffer: buffers[0]}
	} else if p.node.nulls > 0 {
		return nil, fault(CodeDamaged, "an array with nulls has no validity")
	}
	var err error
	r.body, err = a.body(p, r, buffers)
	return r, err
}

// body returns the reader of an array's values.
func (a *arrowBuild) body(p *arrowPart, r *arrowReader, buffers []*arrowBuffer) (arrowBody, error) {
	switch t := p.typ.(type) {
	case *arrow.DictionaryType:
		decode, width := fixedOf(t.IndexType)
		return &arrowCodes{indices: arrowFixed{buffer: buffers[1], width: width, decode: decode}, dict: a.dict}, nil
	case *arrow.BooleanType:
		return &arrowBools{bits: arrowBits{buffer: buffers[1]}}, nil
	case *arrow.ListType, *arrow.LargeListType:
		return a.lists(p, r, &arrowLists{offsets: offsetsOf(p, buffers[1])})
	case *arrow.FixedSizeListType:
		return a.lists(p, r, &arrowLists{length: int(t.Len())})
	}
	switch p.typ.ID() {
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY:
		return &arrowText{offsets: *offsetsOf(p, buffers[1]), data: buffers[2]}, nil
	case arrow.STRING_VIEW, arrow.BINARY_VIEW:
		return &arrowViews{views: buffers[1], data: buffers[2:]}, nil
	}
	decode, width := fixedOf(p.typ)
	if decode == nil || width < 1 {
		return nil, fault(CodeType, "values of this type cannot be read")
	}
	return &arrowFixed{buffer: buffers[1], width: width, decode: decode}, nil
}

func offsetsOf(p *arrowPart, b *arrowBuffer) *arrowOffsets {
	return &arrowOffsets{buffer: b, wide: isWide(p.typ), limit: maxPacked}
}

// lists gives lists the reader of their elements.
func (a *arrowBuild) lists(p *arrowPart, r *arrowReader, l *arrowLists) (arrowBody, error) {
	child := &p.children[0]
	elements, err := a.reader(child, arrowType(child.typ))
	if err != nil {
		return nil, err
	}
	r.buffers = append(r.buffers, elements.buffers...)
	l.elements = elements
	return l, nil
}
