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
	memory  *pageMemory // the reader's own or, if windowed is set, shared.pages
	shared  *sharedMemory
	current storedPage
	held    int64 // what the column's reader holds of shared.held
	// windowed is set when a page does not fit into the shared memory.
	windowed bool
}

// storedPage is the place of a page, with which it can be read again.
type storedPage struct {
	header *format.PageHeader
	at     int64 // offset of its bytes, after the header
	// tag is the hash of its bytes: if the file changes, they are not the bytes of the split's digest. It is set for
	// dictionaries and if pageReader.windowed is.
	tag [scan.TagSize]byte
}

// next returns the header and the bytes of the next page that is not an index. The error is io.EOF at the end. The
// result is valid until the next call. The caller may overwrite the bytes.
func (p *pageReader) next() (*format.PageHeader, []byte, error) {
	for p.left > 0 {
		h, err := p.header()
		if err != nil {
			return nil, nil, err
		}
		p.claim(int64(h.UncompressedPageSize))
		p.current = storedPage{header: h, at: p.section.At - p.section.Unread()}
		stored := p.storedMemory(h)
		if _, err := io.ReadFull(p.section, stored); err != nil {
			return nil, nil, err
		}
		p.left -= int64(len(stored))
		if err := verifyChecksum(h, stored); err != nil {
			return nil, nil, err
		}
		if p.windowed || h.Type == format.DictionaryPage {
			p.current.tag = p.section.Tag(stored)
		}
		if h.Type != format.IndexPage {
			body, err := p.body(h, stored)
			return h, body, err
		}
	}
	return nil, nil, io.EOF
}

// again reads the bytes of a page once more. The result is like that of next.
func (p *pageReader) again(page *storedPage) ([]byte, error) {
	stored := p.storedMemory(page.header)
	if err := p.section.ReadAgain(stored, page.at); err != nil {
		return nil, err
	}
	if p.section.Tag(stored) != page.tag {
		return nil, fault.Changed()
	}
	return p.body(page.header, stored)
}

// claim makes the reader windowed if a page of size bytes does not fit into the shared memory.
func (p *pageReader) claim(size int64) {
	more := max(size-int64(cap(p.memory.plain)), 0)
	if p.shared.held+more > p.shared.most {
		p.windowed, p.memory = true, &p.shared.pages
	}
}

// storedMemory returns memory for the stored bytes of a page. It belongs to all columns if the page is decompressed
// into the column's own memory next.
func (p *pageReader) storedMemory(h *format.PageHeader) []byte {
	m := &p.memory.plain
	if p.isPacked(h) || h.Type == format.IndexPage {
		m = &p.shared.stored
	}
	*m = scan.Sized(*m, int(h.CompressedPageSize))
	return *m
}

// isPacked reports whether the values of a page are compressed.
func (p *pageReader) isPacked(h *format.PageHeader) bool {
	v2 := &h.DataPageHeaderV2.V
	return p.codec != format.Uncompressed &&
		(h.Type != format.DataPageV2 || !v2.IsCompressed.Valid || v2.IsCompressed.V)
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
func (p *pageReader) body(h *format.PageHeader, stored []byte) ([]byte, error) {
	levels := 0
	if v2 := &h.DataPageHeaderV2; h.Type == format.DataPageV2 {
		levels = int(v2.V.DefinitionLevelsByteLength) + int(v2.V.RepetitionLevelsByteLength)
	}
	if levels < 0 || levels > min(len(stored), int(h.UncompressedPageSize)) {
		return nil, fault.New(fault.CodeDamaged, "a page is shorter than its levels")
	}
	if !p.isPacked(h) {
		return stored, nil
	}
	plain := scan.Sized(p.memory.plain, int(h.UncompressedPageSize))
	p.memory.plain = plain
	copy(plain, stored[:levels])
	if len(plain) == levels { // writers store an empty body as no bytes or as a compressed empty body
		return plain, nil
	}
	return plain, decompress(&p.shared.codecs, p.codec, plain[levels:], stored[levels:])
}
