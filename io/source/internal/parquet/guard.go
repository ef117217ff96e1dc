package parquet

import (
	"errors"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/internal/scan"
)

// pageGuard stands between a file and the library's page reader, to which it is the file: it hands on the pages of one
// chunk one after the other, decompressed, with new headers, after checking in each what the library would trust.
type pageGuard struct {
	raw  *rawPages
	leaf *leaf
	rows int64 // that the row group has and no page has announced
	dict bool  // the dictionary has passed
	data bool  // a data page has passed
	out  handed
	err  error // what ended it

	lists *guardedLists // of a column of lists
}

// handed is what a guard hands on.
type handed struct {
	at         int64  // bytes that the library has taken
	head, body []byte // of the page that it takes
}

// ReadAt implements io.ReaderAt for a reader that goes on from where it was.
func (g *pageGuard) ReadAt(p []byte, at int64) (int, error) {
	if at != g.out.at {
		return 0, io.EOF
	}
	n := 0
	for n < len(p) {
		if len(g.out.head)+len(g.out.body) == 0 && (n > 0 || g.load() != nil) {
			break
		}
		k := copy(p[n:], g.out.head)
		g.out.head = g.out.head[k:]
		n += k
		k = copy(p[n:], g.out.body)
		g.out.body = g.out.body[k:]
		n += k
	}
	g.out.at += int64(n)
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil // perhaps fewer than asked for, which readers that go on take as it is
}

// load prepares the next page.
func (g *pageGuard) load() error {
	if g.err == nil {
		g.err = g.next()
	}
	return g.err
}

func (g *pageGuard) next() error {
	h, body, err := g.raw.next()
	if errors.Is(err, io.EOF) && g.rows > 0 {
		return tooFew()
	}
	if err != nil {
		return err
	}
	if g.lists != nil && h.Type != format.DictionaryPage {
		h, body, err = g.flatten(h, body)
	} else {
		body, err = g.check(h, body)
	}
	if err != nil {
		return err
	}
	return g.hand(h, body)
}

// hand prepares a page for the library.
func (g *pageGuard) hand(h *format.PageHeader, body []byte) (err error) {
	h.UncompressedPageSize, h.CompressedPageSize, h.CRC = int32(len(body)), int32(len(body)), 0
	h.DataPageHeader.V.Statistics, h.DataPageHeaderV2.V.Statistics = format.Statistics{}, format.Statistics{}
	h.DataPageHeaderV2.V.IsCompressed = thrift.New(false)
	g.out.head, err = thrift.Marshal(&thrift.CompactProtocol{}, h)
	if err != nil {
		return undecodedHeader()
	}
	g.out.body = body
	return nil
}

// check checks one page and returns its body.
func (g *pageGuard) check(h *format.PageHeader, body []byte) ([]byte, error) {
	if h.Type == format.DictionaryPage && h.DictionaryPageHeader.Valid {
		return body, g.checkDictionary(&h.DictionaryPageHeader.V, body)
	}
	p, err := g.page(h, body)
	if err != nil {
		return nil, err
	}
	if err := g.announced(&p, g.rows); err != nil {
		return nil, err
	}
	g.rows -= int64(p.values)
	err = p.check()
	h.DataPageHeaderV2.V.NumNulls = int32(p.values - p.present) // as the levels say
	if err != nil || !p.wide || p.data == nil {
		return body, err
	}
	plain(h)
	return p.narrow()
}

// page returns a data page.
func (g *pageGuard) page(h *format.PageHeader, body []byte) (dataPage, error) {
	p := dataPage{leaf: g.leaf, body: body}
	switch {
	case h.Type == format.DataPage && h.DataPageHeader.Valid:
		v := &h.DataPageHeader.V
		p.values, p.encoding, p.levels = int(v.NumValues), v.Encoding, v.DefinitionLevelEncoding
	case h.Type == format.DataPageV2 && h.DataPageHeaderV2.Valid:
		v := &h.DataPageHeaderV2.V
		p.values, p.encoding, p.v2 = int(v.NumValues), v.Encoding, v
	default:
		return p, scan.Fault(scan.CodeDamaged, "a page is of no known kind")
	}
	return p, nil
}

// checkDictionary checks that the dictionary is the first page and not shorter than it says.
func (g *pageGuard) checkDictionary(h *format.DictionaryPageHeader, body []byte) error {
	late := g.dict || g.data
	g.dict = true
	n := int(h.NumValues)
	switch {
	case late:
		return scan.Fault(scan.CodeDamaged, "a dictionary is not at the start of its column chunk")
	case h.Encoding != format.Plain && h.Encoding != plainDictionary:
		return unknownEncoding()
	case n < 0 || n > maxPageValues || n > plainValues(g.leaf, body):
		return short()
	}
	return nil
}

// announced checks what a page announces; values are at most left.
func (g *pageGuard) announced(p *dataPage, left int64) error {
	switch {
	case p.values < 0:
		return scan.Fault(scan.CodeDamaged, "a page has a negative number of values")
	case int64(p.values) > left:
		return tooMany()
	case p.values > maxPageValues:
		return scan.Fault(scan.CodeTooLarge, "a page has more than 2^26 values").Advise("write the file with smaller pages")
	case isCodes(p.encoding) && !g.dict:
		return scan.Fault(scan.CodeDamaged, "a page needs a dictionary that is not there")
	}
	g.data = true
	return nil
}

func tooMany() error {
	return scan.Fault(scan.CodeRowCount, "there are more values than the row group has rows")
}

func tooFew() error {
	return scan.Fault(scan.CodeRowCount, "there are fewer values than the row group has rows")
}

func short() error { return scan.Fault(scan.CodeDamaged, "a page ends before its values do") }

func unknownEncoding() error {
	return scan.Fault(scan.CodeUnsupported, "an encoding of the column cannot be read")
}

// plainDictionary is what older writers call the encoding of a dictionary and of the codes into it.
const plainDictionary format.Encoding = 2

func isCodes(e format.Encoding) bool { return e == format.RLEDictionary || e == plainDictionary }
