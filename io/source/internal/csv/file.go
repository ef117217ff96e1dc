package csv

import (
	"context"
	"io"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// file is an opened CSV file. The engine reads it in splits: one for each piece of an uncompressed file; a compressed
// file or one in UTF-16 is a single split.
type file struct {
	scan.Origin
	scan.Unfooted
	dialect   *Dialect
	header    []string // the fields of the header, as in the file
	keepCR    bool     // lines end with LF alone, so a CR before it belongs to the field
	start     int64    // offset of the first record, after a byte order mark and the header
	table     table.Schema
	pieceSize int64
	starts    pieceStarts
}

// Open opens a file and reads its header.
func Open(ctx context.Context, at scan.Place, d *Dialect) (scan.File, *fault.Error) {
	if d.Comment != 0 && !d.Header && d.quote != 0 {
		return nil, fault.New(fault.CodeOption,
			"without a header a first row that begins with the comment character could swallow a part of a quoted row").
			Advise("write quote: none if no field of the file is quoted; else leave comment out")
	}
	c := &file{Origin: scan.Origin{Place: at}, dialect: d, pieceSize: pieceBytes}
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
		c.keepCR, c.start, c.starts.at = s.keepCR, s.taken, []int64{s.taken}
		if err := c.name(); err != nil || !d.Public {
			return err
		}
		return c.checkPublic(s)
	})
	if err != nil {
		return nil, fault.From(err)
	}
	return c, nil
}

// isStreamed reports whether the file is read from start to end in one split, because it is compressed or its text must
// be decoded first.
func (c *file) isStreamed() bool { return c.Packed != scan.Plain || c.dialect.isWide() }

func (c *file) Schema() table.Schema { return c.table }

func (c *file) Public(column string) bool { return c.dialect.isPublic(column) }

func (c *file) Digest(ctx context.Context, piece int, _ []string) ([]byte, error) {
	s, err := c.openStream(ctx, piece)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Sum()
}

func (c *file) Read(ctx context.Context, piece int, columns []string, _ int64,
	yield func(*table.Batch) error) (sum scan.Summary, err error) {
	if !c.isStreamed() {
		return c.readPiece(ctx, piece, columns, yield)
	}
	stream, err := c.openStream(ctx, piece)
	if err != nil {
		return sum, err
	}
	if c.dialect.Ahead { // decompress or decode in a goroutine of its own
		stream.ReadAhead()
	}
	defer stream.Close()
	var s *scanner
	if err := fault.Guard(func() (err error) {
		s, err = c.openAfterHeader(stream.Text,
			c.reopenText(ctx))
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

// reopenText returns a function that opens the text of a streamed file a second time, at an offset in the decoded text.
func (c *file) reopenText(ctx context.Context) openFrom {
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
	s, err := newScanner(io.NewSectionReader(f, at, c.Size-at), c.reopenSection(f, at), c.dialect, false)
	s.keepCR = c.keepCR
	return s, err
}

// reopenSection returns a function that opens the text of an uncompressed file a second time. Its argument is an offset
// relative to from.
func (c *file) reopenSection(f io.ReaderAt, from int64) openFrom {
	return func(at int64) (io.Reader, func(), error) {
		return io.NewSectionReader(f, from+at, c.Size-from-at), func() {}, nil
	}
}

// openStream opens the bytes of a piece, or of the whole file if it is streamed.
func (c *file) openStream(ctx context.Context, piece int) (*scan.Stream, error) {
	start, end := c.piece(piece)
	s, err := c.OpenStream(ctx, start, end)
	if err == nil {
		s.Text = c.dialect.decodeText(s.Text)
	}
	return s, err
}
