// Package columns guesses the form of an unknown file from its first bytes: format, compression, encoding, delimiter,
// header, and the types of the columns of a text file.
//
// Its results are proposals for a person who may read the file and who writes them into a job. A run does not use them:
// it reads the file as the job states. At most [MostBytes] of a file are read, after decompression. Look holds the
// results. It has texts of single cells only if the caller asks for them.
package columns

import (
	"bytes"
	"compress/bzip2"
	"context"
	"errors"
	"io"
	"io/fs"
	"regexp"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/store"
)

// MostBytes is the number of bytes of a file that are read, after decompression.
const MostBytes = 256 << 10

// Format is the format of a table, as in the job's input.format.
type Format string

// The formats that are distinguished. A job cannot read those in unreadables.
const (
	CSV     Format = "csv"
	TSV     Format = "tsv"
	JSONL   Format = "jsonl"
	Parquet Format = "parquet"
	Arrow   Format = "arrow"
	Excel   Format = "xlsx"
	Zip     Format = "zip"
	JSON    Format = "json"
	SQLite  Format = "sqlite"
	Unknown Format = ""
)

// HasObjects reports whether rows are JSON objects: the job names their columns and types.
func (f Format) HasObjects() bool { return f == JSONL }

// Look is what was found out about a file.
type Look struct {
	Format Format
	// Compression is gzip, zstd, bzip2 or xz; "" if the file is not compressed.
	Compression string
	// Whole is true if the whole file was read, not only its beginning.
	Whole bool
	// Text describes a text file; nil for other formats.
	Text *Text
}

// unreadable is the error for a file in a format that no job can read.
type unreadable struct{ message, hint string }

func (e *unreadable) Error() string { return e.message }

// unreadables holds the errors for the formats that no job can read.
var unreadables = map[Format]*unreadable{
	Excel: {"this is a workbook of Excel or LibreOffice", "save the sheet as CSV (UTF-8), and look at that file"},
	Zip:   {"this is a ZIP archive", "unpack it, and look at a file of it"},
	JSON:  {"this is a JSON array, not JSON lines", "write one object a line: jq -c '.[]' <FILE >NEW.jsonl"},
	SQLite: {"this is a SQLite database", "write its table as CSV, and look at that file: sqlite3 -header -csv FILE " +
		"'SELECT * FROM table' >NEW.csv"},
	Unknown: {"this is not a table in a known format", "the formats are CSV and other texts with a delimiter, JSON " +
		"lines, Parquet and Arrow, as they are or compressed with gzip, zstd, bzip2 or xz"},
}

// ErrEmpty means that the file is empty.
var ErrEmpty = errors.New("the file is empty")

// ErrDamaged means that the compressed bytes cannot be read.
var ErrDamaged = errors.New("the compressed file is damaged")

// File reads the first bytes of a file of this machine, or of the first object at a URL (store.Address).
func File(ctx context.Context, place string) (*Look, error) {
	var f io.ReadCloser
	var err error
	if store.IsAddress(place) {
		f, err = source.OpenAddress(ctx, place, MostBytes)
	} else {
		f, err = regular.Open(place)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Reader(f)
}

// notOpened returns why a file cannot be opened, without the path in the system's text.
func notOpened(err error) error {
	if errors.As(err, new(*fs.PathError)) {
		return errors.New(regular.Reason(err))
	}
	return err
}

// Reader describes the table in r by its first bytes.
func Reader(r io.Reader) (*Look, error) {
	head, err := readHead(r)
	if err != nil {
		return nil, err
	}
	look := &Look{}
	look.Compression = compressionOf(head)
	if look.Compression != "" {
		text, err := decompress(look.Compression, io.MultiReader(bytes.NewReader(head), r))
		if err != nil {
			return nil, damaged(err)
		}
		if head, err = readHead(text); err != nil && len(head) == 0 {
			return nil, damaged(err)
		}
	}
	look.Whole = len(head) < MostBytes
	if len(head) == 0 {
		return nil, ErrEmpty
	}
	look.Format = binaryFormat(head)
	if look.Format == Unknown && jsonArray.Match(head) {
		look.Format = JSON
	}
	if look.Format == Unknown {
		look.Format, look.Text = lookAtText(head, look.Whole)
	}
	return look, nil
}

// damaged returns ErrDamaged, or err if the bytes themselves could not be read.
func damaged(err error) error {
	if own := new(fault.Error); errors.As(err, &own) {
		return own
	}
	return ErrDamaged
}

// readHead reads at most MostBytes.
func readHead(r io.Reader) ([]byte, error) {
	return io.ReadAll(io.LimitReader(r, MostBytes))
}

// compressionOf returns the compression of a file by its first bytes; "" if there is none.
func compressionOf(head []byte) string {
	for _, c := range []struct{ magic, name string }{
		{"\x1f\x8b", "gzip"}, {"\x28\xb5\x2f\xfd", "zstd"}, {"BZh", "bzip2"}, {"\xfd7zXZ\x00", "xz"},
	} {
		if bytes.HasPrefix(head, []byte(c.magic)) {
			return c.name
		}
	}
	return ""
}

func decompress(name string, r io.Reader) (io.Reader, error) {
	switch name {
	case "gzip":
		return gzip.NewReader(r)
	case "zstd":
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
	case "bzip2":
		return bzip2.NewReader(r), nil
	}
	return xz.NewReader(r)
}

// binaryFormat returns the format of a binary file by its first bytes; Unknown if they fit no known format.
func binaryFormat(head []byte) Format {
	for _, f := range []struct {
		magic  string
		format Format
	}{
		{"PAR1\x15", Parquet}, {"ARROW1\x00\x00", Arrow}, {"\xff\xff\xff\xff", Arrow},
		{"FEA1", Arrow}, // Feather 1, about which its reader says what to do
		{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Excel}, {"PK\x03\x04", Zip},
		{"SQLite format 3\x00", SQLite},
	} {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			if f.format == Zip && isWorkbook(head) {
				return Excel
			}
			return f.format
		}
	}
	return Unknown
}

// isWorkbook reports whether a ZIP archive is a workbook, by the name of its first file.
func isWorkbook(zip []byte) bool {
	const nameAt = 30 // offset of the name in the header of the first file
	name := zip[min(nameAt, len(zip)):]
	for _, first := range []string{"[Content_Types].xml", "_rels/", "docProps/", "xl/",
		"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"} {
		if bytes.HasPrefix(name, []byte(first)) {
			return true
		}
	}
	return false
}

// jsonArray matches the beginning of a JSON array of objects or of arrays.
var jsonArray = regexp.MustCompile(`^(\x{feff})?\s*\[\s*[{[]`)
