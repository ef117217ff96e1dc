package source

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
)

// csvPiece is the nominal length of the pieces of a CSV file that are read independently.
const csvPiece = 8 << 20

// csvCuts are the places where the pieces of a file are cut: a piece begins with the first record that starts at or after its
// nominal start. They are found in order, since only what stands before says whether the end of a line ends a record.
type csvCuts struct {
	mu sync.Mutex
	at []int64
}

// splits implements file.
func (c *csvFile) splits() int {
	if c.format != formatCSV {
		return 1
	}
	return max(1, int((c.size+c.pieceSize-1)/c.pieceSize))
}

// piece returns the nominal ends of a piece.
func (c *csvFile) piece(i int) (start, end int64) {
	if i == c.splits()-1 {
		end = c.size
	} else {
		end = int64(i+1) * c.pieceSize
	}
	return int64(i) * c.pieceSize, end
}

// know notes where the records of piece i begin, if that is not known yet but of all pieces before.
func (c *csvFile) know(i int, at int64) {
	c.cuts.mu.Lock()
	defer c.cuts.mu.Unlock()
	if len(c.cuts.at) == i {
		c.cuts.at = append(c.cuts.at, at)
	}
}

// cut returns where the records of piece i begin.
func (c *csvFile) cut(ctx context.Context, f io.ReaderAt, i int) (int64, error) {
	c.cuts.mu.Lock()
	defer c.cuts.mu.Unlock()
	if len(c.cuts.at) == 0 {
		c.cuts.at = []int64{0}
	}
	for len(c.cuts.at) <= i {
		last := len(c.cuts.at) - 1
		_, nominal := c.piece(last)
		next, err := c.recordAfter(ctx, f, c.cuts.at[last], nominal)
		if err != nil {
			return 0, err
		}
		c.cuts.at = append(c.cuts.at, next)
	}
	return c.cuts.at[i], nil
}

// recordAfter returns the start of the first record at or after the place nominal; one starts at from. Where there is no
// quote in between, the last line that starts there is a record; else records are followed from from on.
func (c *csvFile) recordAfter(ctx context.Context, f io.ReaderAt, from, nominal int64) (int64, error) {
	if nominal >= c.size {
		return c.size, nil
	}
	line := from
	b := make([]byte, blockSize)
	for at := from; at < nominal; at += int64(len(b)) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		b = b[:min(int64(len(b)), nominal-at)]
		if err := readAt(f, b, at); err != nil {
			return 0, err
		}
		if bytes.IndexByte(b, '"') >= 0 {
			line = from
			break
		}
		if end := bytes.LastIndexByte(b, '\n'); end >= 0 {
			line = at + int64(end) + 1
		}
	}
	return c.follow(ctx, f, line, nominal)
}

// follow returns the start of the first record at or after nominal by splitting what stands before into records.
func (c *csvFile) follow(ctx context.Context, f io.ReaderAt, from, nominal int64) (int64, error) {
	if from >= nominal {
		return from, nil
	}
	s, err := newCSVScanner(io.NewSectionReader(f, from, c.size-from), c.dialect, from == 0)
	s.limit = nominal - from
	for err == nil {
		if err = ctx.Err(); err == nil {
			err = s.next()
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, streamError(err)
	}
	return from + s.taken, nil
}
