package remote

import (
	"slices"
	"sync"
)

const (
	// minPart is the minimum length, in bytes, of the requests into which a longer extent is divided.
	minPart = 64 << 10
	// pieceSize is the length in bytes of a piece of memory. A part consists of pieces. Smaller pieces cost more system
	// time for each byte; larger ones can be used again only later.
	pieceSize = 256 << 10
	blockSize = 2 << 20
)

// memory holds the unused memory of a pool for blocks and parts. New memory costs a page fault for each 4 KiB, which
// takes longer than copying 4 KiB. So memory is used again, the most recently used first.
type memory struct {
	mu   sync.Mutex
	free [len(memorySizes)][][]byte
	left int64 // how many more bytes of unused memory may be kept
	held int64 // bytes of short files that are kept
}

// memorySizes are the lengths in bytes of the memory that is kept for later use.
var memorySizes = [...]int{minPart, pieceSize, blockSize}

// takeBytes returns n bytes of unused memory. n is at most the length of a block.
func (m *memory) takeBytes(n int) []byte {
	if n <= minPart/2 {
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

// keep reports whether the contents b of a short file may be kept as long as the pool. Such contents may use half of
// the memory that the pool keeps.
func (m *memory) keep(b []byte) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	size := int64(cap(b))
	if size > minPart || size > m.left || m.held+size > (m.left+m.held)/2 {
		return false
	}
	m.left -= size
	m.held += size
	return true
}

// give returns memory that is no longer used.
func (m *memory) give(b []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	own := slices.Index(memorySizes[:], cap(b))
	if own < 0 {
		return
	}
	for i, size := range memorySizes { // if b does not fit, drop unused memory of the other lengths
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
