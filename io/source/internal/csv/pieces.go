package csv

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"github.com/dprelease/dprelease/io/source/internal/scan"
)

// A file that is not compressed is cut into pieces of pieceBytes, which several workers read at the same time. The cut
// after pieceBytes, the nominal start of the next piece, usually falls within a record. So a piece really begins with
// the first record that starts at or after its nominal start, and ends where the next piece begins. Whether a line end
// ends a record depends on all text before it, since it may be within quotes. So the beginnings are found in order: a
// reader that has split all records of its piece knows where the next piece begins. Until then, the reader of the next
// piece parses from a guess (piece.go).

// pieceBytes is the nominal length of a piece, in bytes. A piece and its columns fit the second-level cache.
const pieceBytes = 512 << 10

// pieceStarts holds the offsets at which the first pieces begin; later beginnings are not known yet.
type pieceStarts struct {
	mu sync.Mutex
	at []int64 // at[i] is the offset at which piece i begins; Open sets at[0]
	// taken[i] exists while piece i is read. The channel is closed when the reader of piece i knows where piece i+1
	// begins, or gives up.
	taken map[int]chan struct{}
}

// markTaken marks piece i as being read, unless another reader reads it. release removes the mark and wakes the
// goroutines that wait for the beginning of piece i+1.
func (c *pieceStarts) markTaken(i int) (release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.taken[i] != nil {
		return func() {}
	}
	if c.taken == nil {
		c.taken = map[int]chan struct{}{}
	}
	left := make(chan struct{})
	c.taken[i] = left
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.taken, i)
		close(left)
	})
}

// find returns the offset at which piece i begins. If the offset is not known yet, at is -1, last is the last piece
// whose beginning is known, and left is closed when the reader of piece last finishes or gives up. left is nil if
// nobody reads piece last.
func (c *pieceStarts) find(i int) (at int64, last int, left <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i < len(c.at) {
		return c.at[i], i, nil
	}
	last = len(c.at) - 1
	return -1, last, c.taken[last]
}

func (c *file) Splits() int {
	if c.isStreamed() {
		return 1
	}
	return max(1, int((c.Size+c.pieceSize-1)/c.pieceSize))
}

// piece returns the nominal start and end of a piece.
func (c *file) piece(i int) (start, end int64) {
	if i == c.Splits()-1 {
		end = c.Size
	} else {
		end = int64(i+1) * c.pieceSize
	}
	return int64(i) * c.pieceSize, end
}

// recordStart records that piece i begins at offset at. It does nothing if this is known already, or if the beginning
// of piece i-1 is not known.
func (c *file) recordStart(i int, at int64) {
	c.starts.mu.Lock()
	defer c.starts.mu.Unlock()
	if len(c.starts.at) == i {
		c.starts.at = append(c.starts.at, at)
	}
}

// awaitStart returns the offset at which piece i begins. It waits for the readers of earlier pieces. If nobody reads
// the last piece whose beginning is known, awaitStart searches for the next beginning itself.
func (c *file) awaitStart(ctx context.Context, f io.ReaderAt, i int) (int64, error) {
	for {
		at, last, left := c.starts.find(i)
		switch {
		case at >= 0:
			return at, nil
		case left != nil:
			select {
			case <-left:
			case <-ctx.Done():
				return 0, ctx.Err()
			}
			continue
		}
		if err := c.findStart(ctx, f, last); err != nil {
			return 0, err
		}
	}
}

// findStart finds the beginning of the piece after piece i, whose own beginning is known.
func (c *file) findStart(ctx context.Context, f io.ReaderAt, i int) error {
	defer c.starts.markTaken(i)()
	from, _, _ := c.starts.find(i)
	_, nominal := c.piece(i)
	next, err := c.recordAfter(ctx, f, from, nominal)
	if err == nil {
		c.recordStart(i+1, next)
	}
	return err
}

// recordAfter returns the start of the first record at or after nominal. from must be the start of a record. If there
// is no quote between from and nominal, every line is a record, and only the last line need be split. Otherwise all
// records in between are split.
func (c *file) recordAfter(ctx context.Context, f io.ReaderAt, from, nominal int64) (int64, error) {
	if nominal >= c.Size {
		return c.Size, nil
	}
	line := from
	b := make([]byte, scan.BlockSize)
	for at := from; at < nominal; at += int64(len(b)) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		b = b[:min(int64(len(b)), nominal-at)]
		if err := scan.ReadAt(f, b, at); err != nil {
			return 0, err
		}
		if c.dialect.quote != 0 && bytes.IndexByte(b, c.dialect.quote) >= 0 {
			line = from
			break
		}
		if end := bytes.LastIndexByte(b, '\n'); end >= 0 {
			line = at + int64(end) + 1
		}
	}
	return c.follow(ctx, f, line, nominal)
}

// follow returns the start of the first record at or after nominal. It splits all records from the record at from on.
func (c *file) follow(ctx context.Context, f io.ReaderAt, from, nominal int64) (int64, error) {
	if from >= nominal {
		return from, nil
	}
	s, err := c.newScanner(f, from)
	s.limit, s.needed = nominal-from, 1
	for err == nil {
		if err = ctx.Err(); err == nil {
			err = s.next()
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, scan.StreamError(err)
	}
	return from + s.taken, nil
}
