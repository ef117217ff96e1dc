package remote

import (
	"slices"
	"sync"
)

const (
	// leastPart is the least length of a request for a longer extent, in bytes.
	leastPart = 64 << 10
	// pieceSize is the length, in bytes, of the pieces of memory that hold a part. Shorter pieces cost the system more
	// time for each byte; longer ones delay the reuse of memory.
	pieceSize = 256 << 10
	blockSize = 2 << 20
)

// memory holds the unused memory of a pool for blocks and parts. The first touch of memory costs a page fault for each
// 4 KiB, which takes longer than copying their contents. So memory is used again, the most recently used first.
type memory struct {
	mu   sync.Mutex
	free [len(memorySizes)][][]byte
	left int64 // how many more bytes may be kept
	held int64 // bytes of short files
}

// memorySizes holds the lengths of memory that is used again.
var memorySizes = [...]int{leastPart, pieceSize, blockSize}

// take returns n bytes; n is at most the length of a block.
func (m *memory) take(n int) []byte {
	if n <= leastPart/2 {
		return make([]byte, n)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, size := range memorySizes {
		if last := len(m.free[i]) - 1; n > size {
			continue
		} else if last >= 0 {
			b := m.free[i][last]
			m.free[i] = m.free[i][:last]
			m.left += int64(size)
			return b[:n]
		}
		return make([]byte, n, size)
	}
	return make([]byte, n)
}

// keep reports whether the contents of a short file may stay in memory as long as the pool: they may use up to half of
// the kept memory.
func (m *memory) keep(b []byte) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	size := int64(cap(b))
	if size > leastPart || size > m.left || m.held+size > (m.left+m.held)/2 {
		return false
	}
	m.left -= size
	m.held += size
	return true
}

// give takes memory back for later use.
func (m *memory) give(b []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	own := slices.Index(memorySizes[:], cap(b))
	if own < 0 {
		return
	}
	for i, size := range memorySizes { // unused memory of other lengths is dropped
		for i != own && m.left < int64(cap(b)) && len(m.free[i]) > 0 {
			m.free[i] = m.free[i][1:]
			m.left += int64(size)
		}
	}
	if m.left >= int64(cap(b)) {
		m.left -= int64(cap(b))
		m.free[own] = append(m.free[own], b)
	}
}
