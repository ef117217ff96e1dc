package parquet

import (
	"encoding/binary"

	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/fault"
)

// plainDictionary is the encoding that older writers state for a dictionary and for the codes into it.
const plainDictionary format.Encoding = 2

func isCodes(e format.Encoding) bool { return e == format.RLEDictionary || e == plainDictionary }

// dataPage is a decompressed data page before it is decoded.
type dataPage struct {
	leaf     *leaf
	values   int // number of values, including nulls; for lists, after decoding the levels, of elements with a value
	encoding format.Encoding
	v1       *format.DataPageHeader   // nil if the page is of version 2
	v2       *format.DataPageHeaderV2 // nil if the page is of version 1
	body     []byte
}

// newDataPage returns the data page of a leaf whose header is h. It does not check the body.
func newDataPage(l *leaf, h *format.PageHeader, body []byte) (dataPage, error) {
	p := dataPage{leaf: l, body: body}
	switch {
	case h.Type == format.DataPage && h.DataPageHeader.Valid:
		p.v1 = &h.DataPageHeader.V
		p.values, p.encoding = int(p.v1.NumValues), p.v1.Encoding
	case h.Type == format.DataPageV2 && h.DataPageHeaderV2.Valid:
		p.v2 = &h.DataPageHeaderV2.V
		p.values, p.encoding = int(p.v2.NumValues), p.v2.Encoding
	default:
		return p, fault.New(fault.CodeDamaged, "a page is of no known kind")
	}
	return p, nil
}

// split cuts the body of a page into three parts, all still encoded: repetition levels (empty unless the column holds
// lists), definition levels (empty unless it has nulls or lists), and values. Source: parquet-format, README.md, "Data
// Pages".
func (p *dataPage) split() (repeated, defined, values []byte, err error) {
	lists := p.leaf.list != nil
	if p.v2 != nil {
		r, d := int(p.v2.RepetitionLevelsByteLength), int(p.v2.DefinitionLevelsByteLength)
		if r < 0 || d < 0 || r > len(p.body) || d > len(p.body)-r || !lists && int(p.v2.NumRows) != p.values {
			return nil, nil, nil, fault.New(fault.CodeDamaged, "a page is shorter than its levels")
		}
		return p.body[:r], p.body[r : r+d], p.body[r+d:], nil
	}
	values = p.body
	if lists {
		if repeated, values, err = levelsV1(p.v1.RepetitionLevelEncoding, values); err != nil {
			return nil, nil, nil, err
		}
	}
	if lists || p.leaf.highest > 0 {
		defined, values, err = levelsV1(p.v1.DefinitionLevelEncoding, values)
	}
	return repeated, defined, values, err
}

// levelsV1 splits the bytes of a page of version 1 into levels, whose length is stored before them, and the rest.
func levelsV1(e format.Encoding, b []byte) (levels, rest []byte, err error) {
	if e != format.RLE { // writers of 2013 used bit-packing
		return nil, nil, unknownEncoding()
	}
	n, err := lengthPrefix(b)
	if err != nil {
		return nil, nil, err
	}
	return b[4 : 4+n], b[4+n:], nil
}

// lengthPrefix reads a length of four bytes at the start of b. It fails if fewer bytes follow.
func lengthPrefix(b []byte) (int, error) {
	if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
		return 0, short()
	}
	return int(binary.LittleEndian.Uint32(b)), nil
}

func tooMany() error {
	return fault.New(fault.CodeRowCount, "there are more values than the row group has rows")
}

func tooFew() error {
	return fault.New(fault.CodeRowCount, "there are fewer values than the row group has rows")
}

func unknownEncoding() error {
	return fault.New(fault.CodeUnsupported, "an encoding of the column cannot be read")
}
