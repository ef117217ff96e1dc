package csv

import (
	"context"
	"io"
	"slices"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// The file is cut into pieces of equal length, and the reader of a piece does not know where the first record of the
// piece starts until the piece before it is read. It does not wait: it guesses that a record starts after the first
// line end, which is wrong only if that line end is within quotes, and parses from there. Once the true start is known,
// rows before it are dropped. If the guess was wrong, the piece is parsed again.

// pieceReader reads the records of a piece. It is then used again for other pieces, to keep its memory.
type pieceReader struct {
	*rowReader
	text pieceText
	skip int  // number of collected rows before the piece's first record
	next int  // offset in the text after the collected rows
	long bool // the record at next is too long for the text in memory
}

// pieceReader returns an idle reader if there is one for the same columns, otherwise a new one.
func (c *file) pieceReader(columns []string) *pieceReader {
	r, ok := c.dialect.readers.Get().(*pieceReader)
	if !ok || !r.canRead(c, columns) {
		r = &pieceReader{rowReader: c.newRowReader(columns)}
	}
	r.general.keepCR, r.lines.keepCR = c.keepCR, c.keepCR
	return r
}

// readPiece reads a piece of a file that is not compressed.
func (c *file) readPiece(ctx context.Context, piece int, columns []string,
	yield func(*table.Batch) error) (s scan.Summary, err error) {
	stream, err := c.openStream(ctx, piece)
	if err != nil {
		return s, err
	}
	defer stream.Close()
	release := c.starts.markTaken(piece)
	defer release()
	r := c.pieceReader(columns)
	defer c.dialect.readers.Put(r)
	if err := fault.Guard(func() error { return r.begin(ctx, c, stream, piece) }); err != nil {
		return s, scan.StreamError(err)
	}
	for {
		if r.done() {
			c.recordStart(piece+1, r.text.at+int64(r.next))
		}
		release() // release before yield, which may take long or read other pieces
		if err := r.yieldRows(yield); err != nil {
			return s, err
		}
		s.Blank += r.blanks
		if r.done() {
			s.Digest, err = stream.Sum()
			return s, err
		}
		if r.long {
			break
		}
		if err := fault.Guard(func() error { return r.gatherFrom(r.next) }); err != nil {
			return s, scan.StreamError(err)
		}
	}
	blanks, err := r.readLong(ctx, c, piece, yield)
	if err != nil {
		return s, err
	}
	s.Blank += blanks
	s.Digest, err = stream.Sum()
	return s, err
}

// begin loads a piece and gathers its first rows. If the start of the first record is not known yet, begin guesses it.
func (r *pieceReader) begin(ctx context.Context, c *file, s *scan.Stream, piece int) error {
	if err := r.text.load(s, c.Size); err != nil {
		return err
	}
	at, _, _ := c.starts.find(piece)
	guessed := -1
	if at < 0 {
		var err error
		if guessed, err = r.text.guess(); err != nil {
			return err
		}
		if guessed >= 0 {
			if err := r.gatherFrom(guessed); err != nil {
				return err
			}
		}
		if at, err = c.awaitStart(ctx, s.File, piece); err != nil {
			return err
		}
	}
	return r.startAt(c, at, guessed)
}

// gatherFrom gathers the rows that start at the offset at or later.
func (r *pieceReader) gatherFrom(at int) error {
	next, whole, err := r.gather(&r.text, at)
	r.skip, r.next, r.long = 0, next, !whole
	return err
}

func (r *pieceReader) done() bool { return r.next >= r.text.own }

// startAt drops the gathered rows before the piece's first record, which starts at offset at of the file. If the guess
// was wrong, it parses the piece again.
func (r *pieceReader) startAt(c *file, at int64, guessed int) error {
	start := int(at - r.text.at)
	if r.text.at == 0 && c.dialect.Header { // the header's piece: check that the header is still the same
		if _, err := c.openAfterHeader(io.NewSectionReader(r.text.file, 0, c.Size),
			c.reopenSection(r.text.file, 0)); err != nil {
			return err
		}
	}
	if start >= r.text.own {
		r.reset()
		r.skip, r.next, r.long = 0, start, false
		return nil
	}
	if guessed >= 0 {
		row, ok := slices.BinarySearch(r.starts, int32(start))
		// If the guess was too early and lines were skipped, some of them may belong to the piece before, which counts
		// them too.
		if ok && (start == guessed || r.blanks == 0) {
			r.skip = row
			return nil
		}
	}
	return r.gatherFrom(start)
}

func (r *pieceReader) yieldRows(yield func(*table.Batch) error) error {
	for i := r.skip; i < r.rows; i += r.batchRows() {
		if err := yield(r.batch(i, min(i+r.batchRows(), r.rows))); err != nil {
			return err
		}
	}
	return nil
}

// readLong reads the rest of a piece, which begins with a long record, as a stream. It returns the number of skipped
// lines.
func (r *pieceReader) readLong(ctx context.Context, c *file, piece int, yield func(*table.Batch) error) (blanks int64,
	err error) {
	at := r.text.at + int64(r.next)
	s, err := c.newScanner(r.text.file, at)
	if err != nil {
		return 0, scan.StreamError(err)
	}
	s.limit = int64(r.text.own - r.next)
	blanks, err = r.readStream(ctx, s, yield)
	if err == nil {
		c.recordStart(piece+1, at+s.taken)
	}
	return blanks, err
}
