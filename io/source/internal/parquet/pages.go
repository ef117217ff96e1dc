package parquet

import (
	"io"

	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
)

// usualPageHeader is a number of bytes that holds any page header without statistics. Headers with statistics can be
// longer, since some writers put whole texts into these.
const usualPageHeader = 512

// pageReader reads, verifies and decompresses the pages of one column chunk. It does not decode them.
type pageReader struct {
	section *scan.Section
	left    int64 // bytes of the chunk after the current page
	codec   format.CompressionCodec
	codecs  *scan.Codecs
	stored  []byte // the current page, as in the file
	plain   []byte // the current page, decompressed
}

// next returns the header and the bytes of the next page that is not an index. The error is io.EOF at the end. The
// result is valid until the next call. The caller may overwrite the bytes.
func (p *pageReader) next() (*format.PageHeader, []byte, error) {
	for p.left > 0 {
		h, err := p.header()
		if err != nil {
			return nil, nil, err
		}
		p.stored = scan.Sized(p.stored, int(h.CompressedPageSize))
		if _, err := io.ReadFull(p.section, p.stored); err != nil {
			return nil, nil, err
		}
		p.left -= int64(len(p.stored))
		if err := verifyChecksum(h, p.stored); err != nil {
			return nil, nil, err
		}
		if h.Type != format.IndexPage {
			body, err := p.body(h)
			return h, body, err
		}
	}
	return nil, nil, io.EOF
}

// header reads a page's header.
func (p *pageReader) header() (*format.PageHeader, error) {
	before := p.section.Left()
	b, err := p.section.Peek(int(min(p.left, usualPageHeader)))
	if err != nil {
		return nil, err
	}
	w, ok := walkThrift(b)
	if ok {
		b = b[:w.at]
		p.section.Skip(w.at)
	} else if b, ok, err = shortenThrift(p.section); err != nil {
		return nil, err
	}
	h := &format.PageHeader{}
	if !ok || decodeThrift(b, h) != nil {
		return nil, undecodedHeader()
	}
	p.left -= before - p.section.Left()
	return h, p.check(h)
}

func undecodedHeader() error { return fault.New(fault.CodeDamaged, "a page header cannot be decoded") }

// check returns an error for sizes that no valid page header has, before memory is allocated for them.
func (p *pageReader) check(h *format.PageHeader) error {
	size, stored := int64(h.UncompressedPageSize), int64(h.CompressedPageSize)
	switch {
	case size < 0 || stored < 0:
		return fault.New(fault.CodeDamaged, "a page header has a negative size")
	case stored > p.left:
		return fault.New(fault.CodeDamaged, "a page is longer than its column chunk")
	case size > scan.MaxPage || stored > scan.MaxPage:
		return fault.New(fault.CodeTooLarge, "a page is longer than 2 GiB").Advise("write the file with smaller pages")
	case size > stored*maxRatio(p.codec)+1<<10:
		return fault.New(fault.CodeDamaged, "a page cannot be as long as its header says")
	}
	return nil
}

// body returns the decompressed bytes of a page. In a page of version 2, the levels are not compressed.
func (p *pageReader) body(h *format.PageHeader) ([]byte, error) {
	levels, packed := 0, p.codec != format.Uncompressed
	if v2 := &h.DataPageHeaderV2; h.Type == format.DataPageV2 {
		levels = int(v2.V.DefinitionLevelsByteLength) + int(v2.V.RepetitionLevelsByteLength)
		packed = packed && (!v2.V.IsCompressed.Valid || v2.V.IsCompressed.V)
	}
	if levels < 0 || levels > min(len(p.stored), int(h.UncompressedPageSize)) {
		return nil, fault.New(fault.CodeDamaged, "a page is shorter than its levels")
	}
	if !packed {
		return p.stored, nil
	}
	p.plain = scan.Sized(p.plain, int(h.UncompressedPageSize))
	copy(p.plain, p.stored[:levels])
	if len(p.plain) == levels { // writers store an empty body as no bytes or as a compressed empty body
		return p.plain, nil
	}
	return p.plain, decompress(p.codecs, p.codec, p.plain[levels:], p.stored[levels:])
}
