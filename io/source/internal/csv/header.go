package csv

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/source/textfile"
)

// readHeader reads the header, if the dialect has one. Its line end decides how all lines of the file end, so that no
// row decides it for others.
func readHeader(s *scanner) ([]string, error) {
	if !s.d.Header {
		return nil, nil
	}
	if b := s.buf[:s.end]; bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) {
		f := fault.New(fault.CodeHeader, "the file is in UTF-16")
		if s.d.Public {
			return nil, f.Advise("save it as UTF-8: iconv -f UTF-16 -t UTF-8 <FILE >NEW")
		}
		return nil, f.Advise("set input.csv.encoding: utf-16")
	}
	for _, other := range notTexts {
		if bytes.HasPrefix(s.buf[:s.end], []byte(other.start)) {
			return nil, fault.New(fault.CodeHeader, "the file is not a text: it begins as %s does", other.what).Advise("%s",
				other.advice)
		}
	}
	if err := skipStated(s); err != nil {
		return nil, err
	}
	s.head, s.needed = true, maxColumns+1
	err := s.next()
	s.head, s.needed = false, 0
	if errors.Is(err, io.EOF) {
		f := fault.New(fault.CodeHeader, "the file has no header")
		if s.d.Public {
			return nil, f.Advise("is it empty?")
		}
		return nil, f.Advise("is it empty? a file without a header needs input.csv.header: false and input.csv.columns")
	}
	if err != nil {
		return nil, scan.StreamError(err)
	}
	if s.toSkip != skipNothing {
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

// skipStated skips the first line of a file if it states the delimiter, as sep=; does for Excel. If the job renames two
// columns, the line may also be their header, of the names "sep=" and "". To skip it would then make a header of the
// first row, so the file is refused.
func skipStated(s *scanner) error {
	line := s.buf[s.at:s.end]
	line = line[:bytes.IndexByte(line, '\n')+1]
	stated := textfile.StatedDelimiter(string(line))
	switch {
	case stated == 0:
		return nil
	case stated != rune(s.d.comma):
		return fault.New(fault.CodeHeader, "the file's first line states another delimiter than the job").
			Advise("set input.csv.delimiter: %q", string(stated))
	case len(s.d.Columns) == 2:
		return fault.New(fault.CodeHeader, "the file's first line states the delimiter, or is the header of two columns").
			Advise("remove the line: sed 1d <FILE >NEW")
	}
	s.at += len(line)
	s.blanks++
	s.taken += int64(len(line))
	return nil
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

// openAfterHeader reads a byte order mark and the header at the start of a text, and returns a scanner for the records
// after them. It fails if the header is not the one that Open read: the file was changed.
func (c *file) openAfterHeader(text io.Reader, reopen openFrom) (*scanner, error) {
	s, err := newScanner(text, reopen, c.dialect, true)
	if err != nil {
		return nil, err
	}
	header, err := readHeader(s)
	if err == nil && (!slices.Equal(header, c.header) || s.keepCR != c.keepCR || s.taken != c.start) {
		err = fault.Changed()
	}
	return s, err
}

// notTexts holds the first bytes of binary files that people mistake for CSV files. An entry is long enough that no
// header begins with it: a column may be called PAR1. Files without a header are not checked, because their first bytes
// are a row, and no row may make a read fail.
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
