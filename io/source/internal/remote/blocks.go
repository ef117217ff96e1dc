package remote

import (
	"cmp"
	"slices"
)

// blocksAhead is how many blocks are fetched ahead for each worker if a file is read in order.
const blocksAhead = 3

// readAt reads bytes of a handle's file from offset at on, at most up to the end of a block.
func (c *blocks) readAt(h *handle, b []byte, at int64) (int, error) {
	i := at / blockSize
	x := c.acquire(h.file, i)
	n := 0
	defer func() { c.release(x, at-i*blockSize, n) }()
	select {
	case <-x.done:
	case <-h.ctx.Done():
		return 0, h.ctx.Err()
	}
	if x.err != nil {
		return 0, x.err
	}
	n = copy(b, x.data[at-i*blockSize:])
	return n, nil
}

// acquire returns block i of a file and marks it as being read. It starts to fetch the block if necessary. If the file
// is read in order, it also starts to fetch the next blocks.
func (c *blocks) acquire(f *File, i int64) *block {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of[blockKey{f, i}] == nil && !c.room(false) {
		c.room(true)
	}
	x := c.find(f, i)
	x.users++
	x.wanted = true
	if before := c.of[blockKey{f, i - 1}]; i == 0 || before != nil && before.wanted {
		count := (f.object.Size + blockSize - 1) / blockSize
		for k := i + 1; k <= i+blocksAhead*int64(f.pool.workers) && k < count; k++ {
			if c.of[blockKey{f, k}] == nil && !c.room(false) {
				break
			}
			c.find(f, k)
		}
	}
	return x
}

// find returns block i of a file, and starts to fetch it if necessary. c.mu must be held.
func (c *blocks) find(f *File, i int64) *block {
	c.clock++
	key := blockKey{f, i}
	if x := c.of[key]; x != nil {
		x.last = c.clock
		return x
	}
	c.recycle(f.pool.workers)
	x := &block{done: make(chan struct{}), last: c.clock}
	x.data = f.pool.memory.takeBytes(int(min(blockSize, f.object.Size-i*blockSize)))
	c.of[key] = x
	c.held += blockSize
	go func() {
		err := f.fetch(f.pool.ctx, i*blockSize, int64(len(x.data)), func(int64) []byte { return x.data })
		c.mu.Lock()
		defer c.mu.Unlock()
		if x.err = err; err != nil && c.of[key] == x {
			delete(c.of, key)
			c.held -= blockSize
		}
		close(x.done)
	}()
	return x
}

// room drops the least recently used blocks until there is memory for another block, and reports whether there is. It
// never drops a block that is being read. Unless all is true, it also keeps blocks that were fetched ahead and that no
// reader has asked for. c.mu must be held.
func (c *blocks) room(all bool) bool {
	for c.held+blockSize > c.limit {
		var oldest blockKey
		var x *block
		for k, b := range c.of {
			select {
			case <-b.done:
				if b.users == 0 && (all || b.wanted) && (x == nil || b.last < x.last) {
					oldest, x = k, b
				}
			default:
			}
		}
		if x == nil {
			return false
		}
		delete(c.of, oldest)
		c.held -= blockSize
		oldest.file.pool.memory.give(x.data)
	}
	return true
}

// forget drops all blocks that nobody is reading.
func (c *blocks) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, x := range c.of {
		select {
		case <-x.done:
			if x.users == 0 {
				delete(c.of, key)
				c.held -= blockSize
				key.file.pool.memory.give(x.data)
			}
		default:
		}
	}
}

// release ends the use of a block; n of its bytes, from offset at on, were read.
func (c *blocks) release(x *block, at int64, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x.users--
	x.read += int64(n)
	x.ended = x.ended || n > 0 && at+int64(n) == int64(len(x.data))
}

// recycle gives back the blocks that were read to their ends, except the last kept ones. So new blocks get memory that
// may still be in the CPU's caches. c.mu must be held.
func (c *blocks) recycle(kept int) {
	var over []blockKey
	for k, b := range c.of {
		if b.users == 0 && b.ended && b.read >= int64(len(b.data)) {
			over = append(over, k)
		}
	}
	if len(over) <= kept {
		return
	}
	slices.SortFunc(over, func(a, b blockKey) int { return cmp.Compare(c.of[a].last, c.of[b].last) })
	for _, k := range over[:len(over)-kept] {
		k.file.pool.memory.give(c.of[k].data)
		delete(c.of, k)
		c.held -= blockSize
	}
}
