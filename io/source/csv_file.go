package source

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/dprelease/dprelease/io/table"
)

// csvFile is an opened CSV file: one split a piece, or one if it is compressed.
type csvFile struct {
	origin
	packed    compression
	dialect   *dialect
	header    []string // as it stands in the file
	table     table.Schema
	pieceSize int64
	cuts      csvCuts
}

// openCSV opens a file for its header.
func openCSV(path string, packed compression, d *dialect, mac blockMAC) (file, *Error) {
	c := &csvFile{origin: origin{path: path, mac: mac}, packed: packed, dialect: d, pieceSize: csvPiece}
	err := guard(func() error {
		if err := c.note(); err != nil {
			return err
		}
		stream, err := c.openStream(context.Background(), 0)
		if err != nil {
			return err
		}
		defer stream.close()
		text := stream.r
		if c.packed == uncompressed { // the header may be longer than a piece
			text = io.NewSectionReader(stream.file, 0, c.size)
		}
		s, err := newCSVScanner(text, nil, d, true)
		if err != nil {
			return streamError(err)
		}
		if c.header, err = readHeader(s); err != nil {
			return err
		}
		return c.name()
	})
	if err != nil {
		return nil, own(err)
	}
	return c, nil
}

// note notes which file it is.
func (c *csvFile) note() error {
	f, err := os.Open(c.path)
	if err != nil {
		return notOpened(err)
	}
	defer f.Close()
	return c.stat(f)
}

// readHeader reads the header, if there is to be one.
func readHeader(s *csvScanner) ([]string, error) {
	if !s.d.Header {
		return nil, nil
	}
	if b := s.buf[:s.end]; bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) {
		return nil, fault(CodeHeader, "the file is in UTF-16").hint("write it in UTF-8: iconv -f UTF-16 -t UTF-8 FILE >NEW")
	}
	err := s.next()
	if errors.Is(err, io.EOF) {
		return nil, fault(CodeHeader, "the file has no header").hint("is it empty? a file without a header needs input.csv.header: false and input.csv.columns")
	}
	if err != nil {
		return nil, streamError(err)
	}
	if s.rest != noRest {
		return nil, fault(CodeTooLarge, "the header is longer than 16 MiB").hint("check the delimiter and the ends of lines")
	}
	var names []string
	for i := range s.fields {
		names = append(names, string(s.text(i)))
	}
	return names, nil
}

// name gives the columns names and types.
func (c *csvFile) name() (err error) {
	names := c.header
	switch given := c.dialect.Columns; {
	case len(given) == 0 && !c.dialect.Header:
		return fault(CodeOption, "a CSV file without a header needs the names of its columns").hint("set csv.columns")
	case len(given) > 0 && c.dialect.Header && len(given) != len(c.header):
		return fault(CodeHeader, "the header has %d columns, the job names %d", len(c.header), len(given))
	case len(given) > 0:
		names = given
	}
	c.table, err = c.dialect.fields(names)
	return err
}

func (c *csvFile) schema() table.Schema { return c.table }

func (c *csvFile) public(column string) bool { return c.dialect.public(column) }

// digest implements file.
func (c *csvFile) digest(ctx context.Context, piece int, _ []string) ([]byte, error) {
	s, err := c.openStream(ctx, piece)
	if err != nil {
		return nil, err
	}
	defer s.close()
	return s.sum()
}

// read implements file.
func (c *csvFile) read(ctx context.Context, piece int, columns []string, yield func(*table.Batch) error) (sum Summary, err error) {
	if c.packed == uncompressed {
		return c.readPiece(ctx, piece, columns, yield)
	}
	stream, err := c.openStream(ctx, piece)
	if err != nil {
		return sum, err
	}
	if c.dialect.ahead {
		stream.ahead()
	}
	defer stream.close()
	var s *csvScanner
	if err := guard(func() (err error) { s, err = c.behindHeader(stream.r, c.textAgain(ctx)); return err }); err != nil {
		return sum, streamError(err)
	}
	r := c.pieceReader(columns)
	defer c.dialect.readers.Put(r)
	if sum.Blank, err = r.readStream(ctx, s, yield); err != nil {
		return sum, err
	}
	sum.Digest, err = stream.sum()
	return sum, err
}

// behindHeader reads a byte order mark and the header at the start of a text again.
func (c *csvFile) behindHeader(text io.Reader, again textFrom) (*csvScanner, error) {
	s, err := newCSVScanner(text, again, c.dialect, true)
	if err != nil {
		return nil, err
	}
	header, err := readHeader(s)
	if err == nil && !slices.Equal(header, c.header) {
		err = changed()
	}
	return s, err
}

// textAgain opens the text of a compressed file a second time.
func (c *csvFile) textAgain(ctx context.Context) textFrom {
	return func(at int64) (io.Reader, func(), error) {
		s, err := c.openStream(ctx, 0)
		if err != nil {
			return nil, nil, err
		}
		if _, err := io.CopyN(io.Discard, s.r, at); err != nil {
			s.close()
			return nil, nil, err
		}
		return s.r, s.close, nil
	}
}

// newScanner returns a scanner of the records of a file that is not compressed, from a place on where one starts.
func (c *csvFile) newScanner(f io.ReaderAt, at int64) (*csvScanner, error) {
	return newCSVScanner(io.NewSectionReader(f, at, c.size-at), c.placeAgain(f, at), c.dialect, at == 0)
}

// placeAgain opens the text of a file that is not compressed, which a scanner reads from a place on, a second time.
func (c *csvFile) placeAgain(f io.ReaderAt, from int64) textFrom {
	return func(at int64) (io.Reader, func(), error) {
		return io.NewSectionReader(f, from+at, c.size-from-at), func() {}, nil
	}
}
