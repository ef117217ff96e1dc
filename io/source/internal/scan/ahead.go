package scan

import (
	"io"
	"sync"

	"github.com/dprelease/dprelease/io/source/fault"
)

// The number of blocks that are read ahead, and the number of bytes in a block.
const (
	aheadBlocks = 4
	aheadBytes  = 256 << 10
)

// AheadReader is a reader that reads ahead in a goroutine.
type AheadReader struct {
	full, free chan []byte
	stopped    chan struct{}
	Stop       func() // ends the goroutine and waits for its end
	block      []byte
	unread     []byte // the part of block that Read has not returned yet
	err        error  // the error that ended run; Read returns it after the full blocks
}

// NewAheadReader starts to read ahead.
func NewAheadReader(r io.Reader) *AheadReader {
	a := &AheadReader{full: make(chan []byte, aheadBlocks), free: make(chan []byte, aheadBlocks),
		stopped: make(chan struct{})}
	for range aheadBlocks {
		a.free <- nil // run allocates the blocks when it needs them: files may be short
	}
	var running sync.WaitGroup
	a.Stop = sync.OnceFunc(func() {
		close(a.stopped)
		running.Wait()
	})
	running.Go(func() {
		defer close(a.full)
		a.err = fault.Guard(func() error { return a.run(r) })
	})
	return a
}

// run reads blocks of r until it is stopped or r returns an error, which may be io.EOF. It returns the error.
func (a *AheadReader) run(r io.Reader) error {
	for {
		var b []byte
		select {
		case <-a.stopped:
			return io.ErrClosedPipe
		case b = <-a.free:
		}
		if b == nil {
			b = make([]byte, aheadBytes)
		}
		n, err := 0, error(nil)
		for b = b[:cap(b)]; n < len(b) && err == nil; {
			var m int
			m, err = r.Read(b[n:])
			n += m
		}
		a.full <- b[:n]
		if err != nil {
			return err
		}
	}
}

func (a *AheadReader) Read(p []byte) (int, error) {
	for len(a.unread) == 0 {
		if a.block != nil {
			a.free <- a.block
		}
		if a.block = <-a.full; a.block == nil {
			return 0, a.err
		}
		a.unread = a.block
	}
	n := copy(p, a.unread)
	a.unread = a.unread[n:]
	return n, nil
}
