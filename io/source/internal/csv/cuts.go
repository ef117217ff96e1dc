package csv

import "sync"

// A file that is not compressed is read in pieces by several workers. A piece begins with the first record that starts
// at or after its nominal start, and ends where the next piece begins. Only the text before a line end says whether it
// ends a record, since it may stand within quotes. So the beginnings are found in order: the reader of a piece learns
// where the next piece begins when it has split its own records, and the reader of the next piece waits for that.
// Meanwhile it parses from a guess (piece.go).

// pieceBytes is the nominal length of a piece, in bytes: a piece and what is made of it fit the second cache.
const pieceBytes = 512 << 10

// cuts are the places in a file where pieces begin, as far as they are known.
type cuts struct {
	mu sync.Mutex
	at []int64 // of the first pieces; that of the first one is known from the start
	// the pieces that are being read; the channel is closed when the reader knows where the next one begins, or gives up
	taken map[int]chan struct{}
}

// take says that piece i is being read, unless another reader does. release wakes the goroutines that wait for the
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

// find returns the place where the records of piece i begin, or -1 if it is not known yet. In that case last is the
// last piece whose beginning is known, and left is closed when the reader of that piece knows more; it is nil if the
// piece has no reader.
func (c *cuts) find(i int) (at int64, last int, left <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i < len(c.at) {
		return c.at[i], i, nil
	}
	last = len(c.at) - 1
	return -1, last, c.taken[last]
}
