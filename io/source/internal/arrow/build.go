package arrow

import (
	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// builder makes the readers of a record batch's arrays.
type builder struct {
	scan  *batchScan
	batch *recordBatch
	dict  *dictionary // of the column, if it has one
}

// buffer returns the reader of a buffer.
func (a *builder) buffer(s span, r *arrayReader) *buffer {
	at := a.batch.message.body + s.at
	b := &buffer{
		section: scan.NewSection(a.scan.ctx, a.scan.f, a.scan.file.MAC, at, at+s.size),
		packed:  a.batch.packed, codec: a.batch.codec, codecs: &a.scan.codecs, left: s.size,
	}
	r.buffers = append(r.buffers, b)
	return b
}

// reader returns the reader of an array, whose values are of type t.
func (a *builder) reader(p *array, t table.Type) (*arrayReader, error) {
	r := &arrayReader{typ: t, left: p.node.rows}
	if p.typ.ID() == arrow.NULL {
		r.body = &nullBody{}
		return r, nil
	}
	buffers := make([]*buffer, len(p.buffers))
	for i, s := range p.buffers {
		buffers[i] = a.buffer(s, r)
	}
	if p.buffers[0].size > 0 {
		r.bits = &bitReader{buffer: buffers[0]}
	} else if p.node.nulls > 0 {
		return nil, scan.Fault(scan.CodeDamaged, "an array with nulls has no validity")
	}
	var err error
	r.body, err = a.body(p, r, buffers)
	return r, err
}

// body returns the reader of an array's values.
func (a *builder) body(p *array, r *arrayReader, buffers []*buffer) (body, error) {
	switch t := p.typ.(type) {
	case *arrow.DictionaryType:
		decode, width := fixedOf(t.IndexType)
		return &codeBody{indices: fixedBody{buffer: buffers[1], width: width, decode: decode}, dict: a.dict}, nil
	case *arrow.BooleanType:
		return &boolBody{bits: bitReader{buffer: buffers[1]}}, nil
	case *arrow.ListType, *arrow.LargeListType:
		return a.lists(p, r, &listBody{offsets: offsetsOf(p, buffers[1])})
	case *arrow.FixedSizeListType:
		return a.lists(p, r, &listBody{length: int(t.Len())})
	}
	switch p.typ.ID() {
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY:
		return &textBody{offsets: *offsetsOf(p, buffers[1]), data: buffers[2]}, nil
	case arrow.STRING_VIEW, arrow.BINARY_VIEW:
		return &viewBody{views: buffers[1], data: buffers[2:]}, nil
	}
	decode, width := fixedOf(p.typ)
	if decode == nil || width < 1 {
		return nil, scan.Fault(scan.CodeType, "values of this type cannot be read")
	}
	return &fixedBody{buffer: buffers[1], width: width, decode: decode}, nil
}

func offsetsOf(p *array, b *buffer) *offsetReader {
	return &offsetReader{buffer: b, wide: isWide(p.typ), limit: maxPacked}
}

// lists gives lists the reader of their elements.
func (a *builder) lists(p *array, r *arrayReader, l *listBody) (body, error) {
	child := &p.children[0]
	elements, err := a.reader(child, tableType(child.typ))
	if err != nil {
		return nil, err
	}
	r.buffers = append(r.buffers, elements.buffers...)
	l.elements = elements
	return l, nil
}
