package csv

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"github.com/dprelease/dprelease/io/source/internal/scan"
)

// pieceBytes is the nominal length of the pieces of a CSV file that are read independently: what the second cache holds, with what is made
// of it.
const pieceBytes = 512 << 10

// cuts are the places where the pieces of a file are cut: a piece begins with the first record that starts at or after its
// nominal start. They are known in order, since only what stands before says whether the end of a line ends a record.
type cuts struct {
	mu    sync.Mutex
	at    []int64
	taken map[int]chan struct{} // the pieces whose readers are about to say where the next one begins
}

// take says that piece i is about to be read, unless somebody else said so. leave says that no more is to be expected of that.
func (c *cuts) take(i int) (leave func()) {
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

// find returns where the records of piece i begin; -1: it is not known. Then last is the last piece of which it is, and left is
// closed when its reader, if it has one, knows more.
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

// Splits implements file.
func (c *file) Splits() int {
	if c.streamed() {
		return 1
	}
	return max(1, int((c.Size+c.pieceSize-1)/c.pieceSize))
}

// piece returns the nominal ends of a piece.
func (c *file) piece(i int) (start, end int64) {
	if i == c.Splits()-1 {
		end = c.Size
	} else {
		end = int64(i+1) * c.pieceSize
	}
	return int64(i) * c.pieceSize, end
}

// know notes where the records of piece i begin, if that is not known yet but of all pieces before.
func (c *file) know(i int, at int64) {
	c.cuts.mu.Lock()
	defer c.cuts.mu.Unlock()
	if len(c.cuts.at) == i {
		c.cuts.at = append(c.cuts.at, at)
	}
}

// cut returns where the records of piece i begin. It waits for those who read the pieces before: they know soon, and sooner than anybody else.
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

// look finds out where the records begin behind piece i, of which that is known.
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

// recordAfter returns the start of the first record at or after the place nominal; one starts at from. If there is no
// quote in between, the last line that starts there is a record; else records are followed from from on.
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

// follow returns the start of the first record at or after nominal by splitting what stands before into records.
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
