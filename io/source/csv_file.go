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

// csvFile is an opened CSV file: one split a piece, or one where it is compressed.
type csvFile struct {
	origin
	format    fileFormat
	dialect   *dialect
	header    []string // as it stands in the file
	table     table.Schema
	pieceSize int64
	cuts      csvCuts
}

func openCSV(f found, d *dialect, mac blockMAC) (file, *Error) {
	c := &csvFile{origin: origin{path: f.path, mac: mac}, format: f.format, dialect: d, pieceSize: csvPiece}
	err := guard(func() error {
		if err := c.note(); err != nil {
			return err
		}
		stream, err := c.openStream(context.Background(), 0)
		if err != nil {
			return err
		}
		defer stream.close()
		s, err := newCSVScanner(stream.r, d, true)
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
		return exists(err)
	}
	defer f.Close()
	return c.stat(f)
}

// readHeader reads the header, where there is to be one.
func readHeader(s *csvScanner) ([]string, error) {
	if !s.d.Header {
		return nil, nil
	}
	if b := s.buf[:s.end]; bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) {
		return nil, fault(CodeHeader, "the file is in UTF-16").hint("write it in UTF-8")
	}
	err := s.next()
	if errors.Is(err, io.EOF) {
		return nil, fault(CodeHeader, "the file has no header")
	}
	if err != nil {
		return nil, streamError(err)
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
func (c *csvFile) read(ctx context.Context, piece int, columns []string, yield func(*table.Batch) error) ([]byte, error) {
	stream, err := c.openStream(ctx, piece)
	if err != nil {
		return nil, err
	}
	defer stream.close()
	from, err := c.cutStream(ctx, stream, piece)
	if err != nil {
		return nil, err
	}
	_, end := c.piece(piece)
	r := csvReader{order: make([]int, len(columns))}
	err = guard(func() error { return r.start(c, stream, piece == 0, columns) })
	if err == nil && c.format == formatCSV {
		r.scanner.limit = end - from
	}
	for err == nil {
		err = guard(r.fill)
		if r.rows == 0 || err != nil && !errors.Is(err, io.EOF) {
			break
		}
		if y := yield(r.batch()); y != nil {
			return nil, y
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, streamError(err)
	}
	c.know(piece+1, from+r.scanner.taken)
	return stream.sum()
}

// cutStream lets the text of a stream begin with the records of a piece, whose place it returns, and go on beyond the piece.
func (c *csvFile) cutStream(ctx context.Context, s *csvStream, piece int) (from int64, err error) {
	if c.format != formatCSV {
		return 0, nil
	}
	if from, err = c.cut(ctx, s.file, piece); err != nil {
		return 0, err
	}
	start, end := c.piece(piece)
	if _, err := io.CopyN(io.Discard, s.section, min(from, end)-start); err != nil {
		return 0, streamError(err)
	}
	beyond := max(from, end)
	s.r = io.MultiReader(s.section, io.NewSectionReader(s.file, beyond, c.size-beyond))
	return from, nil
}

// start opens the text, behind the header of the first piece, and finds the columns.
func (r *csvReader) start(c *csvFile, stream *csvStream, first bool, columns []string) (err error) {
	if r.scanner, err = newCSVScanner(stream.r, c.dialect, first); err != nil {
		return err
	}
	if first {
		header, err := readHeader(r.scanner)
		if err != nil {
			return err
		}
		if !slices.Equal(header, c.header) {
			return changed()
		}
	}
	for i, name := range columns {
		r.order[i] = r.column(c, name)
	}
	r.scanner.wanted = 1
	for i := range r.columns {
		r.scanner.wanted = max(r.scanner.wanted, r.columns[i].at+1)
	}
	return nil
}
