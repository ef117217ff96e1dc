package remote

import (
	"slices"
	"sync"
)

const (
	// leastPart is the least that a request asks for of a longer extent, in bytes.
	leastPart = 64 << 10
	// pieceSize is how long the pieces are in which the parts of lanes come. A shorter one would cost the system more for
	// each byte; of a longer one less memory would be used again soon.
	pieceSize = 256 << 10
	blockSize = 2 << 20
)

// memory is what a pool has for blocks and parts. Memory that is touched for the first time costs a page fault for each
// 4 KiB, which takes longer than to copy their contents. So what was read is used again, the last first.
type memory struct {
	mu   sync.Mutex
	free [len(memorySizes)][][]byte
	left int64 // how many bytes more are kept
	held int64 // of short files
}

// memorySizes are the lengths of what is used again.
var memorySizes = [...]int{leastPart, pieceSize, blockSize}

// take returns n bytes, at most a block.
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

// keep says whether there is room for memory that stays in use as long as the pool: up to a half of what is kept, and
// of short files only.
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

// give takes memory back.
func (m *memory) give(b []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	own := slices.Index(memorySizes[:], cap(b))
	if own < 0 {
		return
	}
	for i, size := range memorySizes { // what has another length gives way
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
