package csv

import "sync"

// A file that is not compressed is read in pieces by several workers. A piece begins with the first record that starts
// at or after its nominal start, and ends where the next piece begins. Whether a line end ends a record depends on all
// text before it, since it may be within quotes. So the beginnings are found in order: the reader of a piece knows
// where the next piece begins when it has split its own records, and the reader of the next piece waits for that.
// Meanwhile it parses from a guess (piece.go).

// pieceBytes is the nominal length of a piece, in bytes. A piece and its columns fit the second-level cache.
const pieceBytes = 512 << 10

// cuts holds the known places where pieces begin.
type cuts struct {
	mu sync.Mutex
	at []int64 // at[i] is where piece i begins; at[0] is known from the start
	// taken holds a channel for each piece that is being read. It is closed when the reader knows where the next piece
	// begins, or gives up.
	taken map[int]chan struct{}
}

// take marks piece i as being read, unless another reader has taken it. release wakes the goroutines that wait for the
// beginning of the next piece.
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

// find returns where piece i begins, or -1 if that is not known yet. Then last is the last piece whose beginning is
// known, and left is closed when the reader of that piece knows more; left is nil if nobody reads that piece.
func (c *cuts) find(i int) (at int64, last int, left <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i < len(c.at) {
		return c.at[i], i, nil
	}
	last = len(c.at) - 1
	return -1, last, c.taken[last]
}
