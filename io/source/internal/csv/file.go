package csv

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// file is an opened CSV file. Each piece is a split; a compressed file is one split.
type file struct {
	scan.Origin
	packed    scan.Compression
	dialect   *Dialect
	header    []string // as in the file
	keepCR    bool     // lines end with LF alone, as the header does
	start     int64    // where the first record begins: after a byte order mark and the header
	table     table.Schema
	pieceSize int64
	cuts      cuts
}

// Open opens a file and reads its header.
func Open(ctx context.Context, at scan.Place, packed scan.Compression, d *Dialect, mac scan.BlockMAC) (scan.File,
	*fault.Error) {
	if d.Comment != 0 && !d.Header && d.quote != 0 {
		return nil, fault.New(fault.CodeOption,
			"without a header a first row that begins with the comment character could swallow a part of a quoted row").
			Advise("write quote: none if no field of the file is quoted; else leave comment out")
	}
	c := &file{Origin: scan.Origin{Place: at, MAC: mac}, packed: packed, dialect: d, pieceSize: pieceBytes}
	err := fault.Guard(func() error {
		f, err := c.Open(ctx)
		if err != nil {
			return err
		}
		defer f.Close()
		stream, err := c.openStream(ctx, 0)
		if err != nil {
			return err
		}
		defer stream.Close()
		stream.File.Expect(scan.Extent{Size: min(c.Size, firstRead)})
		text := stream.Text
		if !c.isStreamed() { // the header may be longer than a piece
			text = io.NewSectionReader(stream.File, 0, c.Size)
		}
		s, err := newScanner(text, nil, d, true)
		if err != nil {
			return scan.StreamError(err)
		}
		if c.header, err = readHeader(s); err != nil {
			return err
		}
		c.keepCR, c.start, c.cuts.at = s.keepCR, s.taken, []int64{s.taken}
		return c.name()
	})
	if err != nil {
		return nil, fault.From(err)
	}
	return c, nil
}

// isStreamed reports whether the file is read as one stream, because it is compressed or its text must be decoded
// first.
func (c *file) isStreamed() bool { return c.packed != scan.Plain || c.dialect.isWide() }

// notTexts holds the first bytes of files that people mistake for texts. Each includes bytes that no header begins
// with, since a column may be called PAR1. Only files with a header are checked: without one, the bytes might be a row.
var notTexts = []struct{ start, what, advice string }{
	{"PK\x03\x04", "an Excel workbook or a zip archive", "save the sheet as CSV (UTF-8), or unpack the archive"},
	{"PAR1\x15", "a Parquet file", "write input.format: parquet"},
	{"ARROW1\x00\x00", "an Arrow file", "write input.format: arrow"},
	{"\x1f\x8b", "a gzip file", "give the file a name that ends with .gz"},
	{"\x28\xb5\x2f\xfd", "a zstd file", "give the file a name that ends with .zst"},
	{"\xfd7zXZ", "an xz file", "give the file a name that ends with .xz"},
	{"BZh91AY&SY", "a bzip2 file", "give the file a name that ends with .bz2"},
}

// maxColumns is the largest number of columns in a header.
const maxColumns = 1 << 20

// readHeader reads the header, if the dialect has one. Its line end decides how all lines of the file end, so that no
// row decides it for others.
func readHeader(s *scanner) ([]string, error) {
	if !s.d.Header {
		return nil, nil
	}
	if b := s.buf[:s.end]; bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) {
		return nil, fault.New(fault.CodeHeader, "the file is in UTF-16").Advise("set input.csv.encoding: utf-16")
	}
	for _, other := range notTexts {
		if bytes.HasPrefix(s.buf[:s.end], []byte(other.start)) {
			return nil, fault.New(fault.CodeHeader, "the file is not a text: it begins as %s does", other.what).Advise("%s",
				other.advice)
		}
	}
	s.head, s.needed = true, maxColumns+1
	err := s.next()
	s.head, s.needed = false, 0
	if errors.Is(err, io.EOF) {
		return nil, fault.New(fault.CodeHeader, "the file has no header").Advise("is it empty? a file without a header " +
			"needs input.csv.header: false and input.csv.columns")
	}
	if err != nil {
		return nil, scan.StreamError(err)
	}
	if s.rest != noRest {
		return nil, fault.New(fault.CodeTooLarge, "the header is longer than 16 MiB").Advise("check the delimiter and the " +
			"ends of lines")
	}
	if len(s.fields) > maxColumns {
		return nil, fault.New(fault.CodeTooLarge, "the header has more than 2^20 columns").Advise("check the delimiter and " +
			"the ends of lines")
	}
	line := s.buf[s.base:s.at]
	s.keepCR = bytes.HasSuffix(line, []byte("\n")) && !bytes.HasSuffix(line, []byte("\r\n"))
	var names []string
	for i := range s.fields {
		name := s.text(i)
		if s.d.letters != nil {
			name = s.d.letters.decode(nil, name)
		}
		names = append(names, string(name))
	}
	return names, nil
}

// name sets the names and types of the columns.
func (c *file) name() (err error) {
	names := c.header
	switch given := c.dialect.Columns; {
	case len(given) == 0 && !c.dialect.Header:
		return fault.New(fault.CodeOption,
			"a CSV file without a header needs the names of its columns").Advise("set csv.columns")
	case len(given) > 0 && c.dialect.Header && len(given) != len(c.header):
		return fault.New(fault.CodeHeader, "the header has %d columns, the job names %d", len(c.header), len(given))
	case len(given) > 0:
		names = given
	}
	c.table, err = c.dialect.fields(names)
	return err
}

func (c *file) Schema() table.Schema { return c.table }

func (c *file) Public(column string) bool { return c.dialect.isPublic(column) }

// Digest implements scan.File.
func (c *file) Digest(ctx context.Context, piece int, _ []string) ([]byte, error) {
	s, err := c.openStream(ctx, piece)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Sum()
}

// Read implements scan.File.
func (c *file) Read(ctx context.Context, piece int, columns []string, yield func(*table.Batch) error) (sum scan.Summary,
	err error) {
	if !c.isStreamed() {
		return c.readPiece(ctx, piece, columns, yield)
	}
	stream, err := c.openStream(ctx, piece)
	if err != nil {
		return sum, err
	}
	if c.dialect.Ahead { // the text is decompressed or decoded
		stream.ReadAhead()
	}
	defer stream.Close()
	var s *scanner
	if err := fault.Guard(func() (err error) {
		s, err = c.behindHeader(stream.Text,
			c.textAgain(ctx))
		return err
	}); err != nil {
		return sum, scan.StreamError(err)
	}
	r := c.pieceReader(columns)
	defer c.dialect.readers.Put(r)
	if sum.Blank, err = r.readStream(ctx, s, yield); err != nil {
		return sum, err
	}
	sum.Digest, err = stream.Sum()
	return sum, err
}

// behindHeader skips a byte order mark and the header at the start of a text, and returns a scanner of the rest.
func (c *file) behindHeader(text io.Reader, again textFrom) (*scanner, error) {
	s, err := newScanner(text, again, c.dialect, true)
	if err != nil {
		return nil, err
	}
	header, err := readHeader(s)
	if err == nil && (!slices.Equal(header, c.header) || s.keepCR != c.keepCR || s.taken != c.start) {
		err = fault.Changed()
	}
	return s, err
}

// textAgain opens the text of a compressed file a second time.
func (c *file) textAgain(ctx context.Context) textFrom {
	return func(at int64) (io.Reader, func(), error) {
		s, err := c.openStream(ctx, 0)
		if err != nil {
			return nil, nil, err
		}
		if _, err := io.CopyN(io.Discard, s.Text, at); err != nil {
			s.Close()
			return nil, nil, err
		}
		return s.Text, s.Close, nil
	}
}

// newScanner returns a scanner of an uncompressed file, starting at the record at offset at.
func (c *file) newScanner(f io.ReaderAt, at int64) (*scanner, error) {
	s, err := newScanner(io.NewSectionReader(f, at, c.Size-at), c.placeAgain(f, at), c.dialect, false)
	s.keepCR = c.keepCR
	return s, err
}

// placeAgain opens the text of an uncompressed file a second time, starting at the offset from.
func (c *file) placeAgain(f io.ReaderAt, from int64) textFrom {
	return func(at int64) (io.Reader, func(), error) {
		return io.NewSectionReader(f, from+at, c.Size-from-at), func() {}, nil
	}
}

// openStream opens a file for a piece: the whole file, if it is read as one stream.
func (c *file) openStream(ctx context.Context, piece int) (*scan.Stream, error) {
	start, end := c.piece(piece)
	s, err := c.OpenStream(ctx, c.packed, start, end)
	if err == nil {
		s.Text = c.dialect.decodeText(s.Text)
	}
	return s, err
}
