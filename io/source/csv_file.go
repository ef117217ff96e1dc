package source

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/dprelease/dprelease/io/table"
)

// csvFile is an opened CSV file: one split.
type csvFile struct {
	path    string
	format  fileFormat
	dialect *dialect
	header  []string // as it stands in the file
	table   table.Schema
}

func openCSV(path string, f fileFormat, d *dialect) (file, *Error) {
	c := &csvFile{path: path, format: f, dialect: d}
	err := guard(func() error {
		stream, err := openStream(context.Background(), path, f)
		if err != nil {
			return err
		}
		defer stream.close()
		s, err := newCSVScanner(stream.r, d)
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

func (c *csvFile) splits() int { return 1 }

func (c *csvFile) public(column string) bool { return c.dialect.public(column) }

// digest implements file.
func (c *csvFile) digest(ctx context.Context, _ int, _ []string) ([]byte, error) {
	s, err := openStream(ctx, c.path, formatCSV)
	if err != nil {
		return nil, err
	}
	defer s.close()
	return s.sum()
}

// read implements file.
func (c *csvFile) read(ctx context.Context, _ int, columns []string, yield func(*table.Batch) error) ([]byte, error) {
	stream, err := openStream(ctx, c.path, c.format)
	if err != nil {
		return nil, err
	}
	defer stream.close()
	r := csvReader{order: make([]int, len(columns))}
	err = guard(func() error { return r.start(c, stream, columns) })
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
	return stream.sum()
}

// start opens the text behind the header and finds the columns.
func (r *csvReader) start(c *csvFile, stream *csvStream, columns []string) (err error) {
	if r.scanner, err = newCSVScanner(stream.r, c.dialect); err != nil {
		return err
	}
	header, err := readHeader(r.scanner)
	if err != nil {
		return err
	}
	if !slices.Equal(header, c.header) {
		return changed()
	}
	for i, name := range columns {
		r.order[i] = r.column(c, name)
	}
	return nil
}
