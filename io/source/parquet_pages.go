package source

import (
	"bufio"
	"context"
	"crypto/sha256"
	"hash"
	"hash/crc32"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go/format"
)

const (
	// maxPage is the longest page that is read, before and after decompression. Writers aim at 1 MiB; some write
	// up to 100 MB.
	maxPage = 256 << 20
	// maxPageValues is the most values of a page: what a few bytes can say, and decoding expands.
	maxPageValues = 1 << 26
	// maxPageHeader is the longest page header that is read; only statistics make one longer than 100 bytes.
	maxPageHeader = 128 << 10
)

// section reads a part of a file in order and hashes it while it is read.
type section struct {
	ctx     context.Context
	f       io.ReaderAt
	at, end int64
	h       hash.Hash
}

// Read implements io.Reader.
func (s *section) Read(p []byte) (int, error) {
	if s.at >= s.end {
		return 0, io.EOF
	}
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	p = p[:min(int64(len(p)), s.end-s.at)]
	if err := readAt(s.f, p, s.at); err != nil {
		return 0, err
	}
	s.at += int64(len(p))
	s.h.Write(p)
	return len(p), nil
}

// rawPages reads the pages of one column chunk, verified and decompressed, but not decoded.
type rawPages struct {
	section section
	r       *bufio.Reader
	left    int64 // bytes of the chunk that no page has taken
	codec   format.CompressionCodec
	codecs  *codecs
	stored  []byte // the current page as it is in the file
	plain   []byte // and decompressed
}

func newRawPages(ctx context.Context, f io.ReaderAt, c *chunk, shared *codecs) *rawPages {
	p := &rawPages{left: c.size, codec: c.codec, codecs: shared}
	p.section = section{ctx, f, c.start, c.start + c.size, sha256.New()}
	p.r = bufio.NewReaderSize(&p.section, maxPageHeader)
	return p
}

// sum reads the rest of the chunk and returns the SHA-256 of the whole.
func (p *rawPages) sum() ([]byte, error) {
	_, err := io.Copy(io.Discard, &p.section)
	return p.section.h.Sum(nil), err
}

// next returns the next page that is not an index; io.EOF: there is none. Its bytes are valid until the next call.
func (p *rawPages) next() (*format.PageHeader, []byte, error) {
	for p.left > 0 {
		h, err := p.header()
		if err != nil {
			return nil, nil, err
		}
		p.stored = sized(p.stored, int(h.CompressedPageSize))
		if _, err := io.ReadFull(p.r, p.stored); err != nil {
			return nil, nil, err
		}
		p.left -= int64(len(p.stored))
		if h.CRC != 0 && crc32.ChecksumIEEE(p.stored) != uint32(h.CRC) {
			return nil, nil, fault(CodeChecksum, "a page's stored checksum does not match")
		}
		if h.Type != format.IndexPage {
			body, err := p.body(h)
			return h, body, err
		}
	}
	return nil, nil, io.EOF
}

// sized returns a slice of n bytes, in b's memory where it is large enough.
func sized(b []byte, n int) []byte { return slices.Grow(b[:0], n)[:n] }

// header reads a page's header.
func (p *rawPages) header() (*format.PageHeader, error) {
	b, err := p.r.Peek(int(min(p.left, maxPageHeader)))
	if err != nil {
		return nil, err
	}
	w, ok := walkThrift(b)
	h := &format.PageHeader{}
	if !ok || decodeThrift(b[:w.at], h) != nil {
		return nil, fault(CodeDamaged, "a page header cannot be decoded")
	}
	p.left -= int64(w.at)
	if _, err := p.r.Discard(w.at); err != nil {
		return nil, err
	}
	return h, p.check(h)
}

// check refuses sizes that no sound page has, before anything is allocated for them.
func (p *rawPages) check(h *format.PageHeader) error {
	size, stored := int64(h.UncompressedPageSize), int64(h.CompressedPageSize)
	switch {
	case size < 0 || stored < 0:
		return fault(CodeDamaged, "a page header has a negative size")
	case stored > p.left:
		return fault(CodeDamaged, "a page is longer than its column chunk")
	case size > maxPage || stored > maxPage:
		return fault(CodeTooLarge, "a page is longer than 256 MiB").hint("write the file with smaller pages")
	case size > stored*maxRatio(p.codec)+1<<10:
		return fault(CodeDamaged, "a page cannot be as long as its header says")
	}
	return nil
}

// body decompresses a page: all of it, or what follows the levels of a V2 page.
func (p *rawPages) body(h *format.PageHeader) ([]byte, error) {
	levels, packed := 0, p.codec != format.Uncompressed
	if v2 := &h.DataPageHeaderV2; h.Type == format.DataPageV2 {
		levels = int(v2.V.DefinitionLevelsByteLength) + int(v2.V.RepetitionLevelsByteLength)
		packed = packed && (!v2.V.IsCompressed.Valid || v2.V.IsCompressed.V)
	}
	if levels < 0 || levels > min(len(p.stored), int(h.UncompressedPageSize)) {
		return nil, fault(CodeDamaged, "a page is shorter than its levels")
	}
	if !packed {
		return p.stored, nil
	}
	p.plain = sized(p.plain, int(h.UncompressedPageSize))
	copy(p.plain, p.stored[:levels])
	if len(p.plain) == levels { // writers leave such a body empty or compress nothing
		return p.plain, nil
	}
	return p.plain, p.codecs.decompress(p.codec, p.plain[levels:], p.stored[levels:])
}
