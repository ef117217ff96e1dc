package csv

// A file that is not compressed is read in pieces by several workers. A piece begins with the first record that starts at or after its nominal
// start, and ends where the next piece begins. Only the text before a line end says whether it ends a record, since it may stand within
// quotes. So the beginnings are found in order: the reader of a piece learns where the next piece begins when it has split its own
// records, and the reader of the next piece waits for that. Meanwhile it parses from a guess (piece.go).

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"github.com/dprelease/dprelease/io/source/internal/scan"
)

// pieceBytes is the nominal length of a piece, in bytes: a piece and what is made of it fit the second cache.
const pieceBytes = 512 << 10

// cuts are the places in a file where pieces begin, as far as they are known.
type cuts struct {
	mu    sync.Mutex
	at    []int64               // of the first pieces
	taken map[int]chan struct{} // the pieces that are being read; the channel is closed when the reader knows where the next one begins, or gives up
}

// take says that piece i is being read, unless another reader does. release wakes the goroutines that wait for the beginning of the next piece.
func (c *cuts) take(i int) (release func()) {
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

// find returns the place where the records of piece i begin, or -1 if it is not known yet. In that case last is the last piece whose beginning
// is known, and left is closed when the reader of that piece knows more; it is nil if the piece has no reader.
func (c *cuts) find(i int) (at int64, last int, left <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.at) == 0 {
		c.at = []int64{0}
	}
	if i < len(c.at) {
		return c.at[i], i, nil
	}
	last = len(c.at) - 1
	return -1, last, c.taken[last]
}

// Splits implements scan.File.
func (c *file) Splits() int {
	if c.streamed() {
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

// know notes the place where the records of piece i begin. It does nothing if that is known, or if it is not known of a piece before.
func (c *file) know(i int, at int64) {
	c.cuts.mu.Lock()
	defer c.cuts.mu.Unlock()
	if len(c.cuts.at) == i {
		c.cuts.at = append(c.cuts.at, at)
	}
}

// cut returns the place where the records of piece i begin. It waits for the readers of the pieces before, who know soon, and looks itself if there
// are none.
func (c *file) cut(ctx context.Context, f io.ReaderAt, i int) (int64, error) {
	for {
		at, last, left := c.cuts.find(i)
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
		if err := c.look(ctx, f, last); err != nil {
			return 0, err
		}
	}
}

// look finds the beginning of the piece behind piece i, whose own beginning is known.
func (c *file) look(ctx context.Context, f io.ReaderAt, i int) error {
	defer c.cuts.take(i)()
	from, _, _ := c.cuts.find(i)
	_, nominal := c.piece(i)
	next, err := c.recordAfter(ctx, f, from, nominal)
	if err == nil {
		c.know(i+1, next)
	}
	return err
}

// recordAfter returns the start of the first record at or after the place nominal. A record starts at the place from. If there is no quote
// between the two, every line is a record, and only the last one is split; else all records between them are.
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

// follow returns the start of the first record at or after nominal. It splits the text from a record on.
func (c *file) follow(ctx context.Context, f io.ReaderAt, from, nominal int64) (int64, error) {
	if from >= nominal {
		return from, nil
	}
	s, err := c.newScanner(f, from)
	s.limit = nominal - from
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
