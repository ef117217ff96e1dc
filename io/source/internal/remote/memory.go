package remote

import "sync"

const (
	// leastPart is the least that a request asks for of a longer extent, in bytes.
	leastPart = 64 << 10
	// pieceSize is how long the pieces are in which the parts of lanes come. A shorter one would cost the system more for each byte; of a longer one less
	// memory would be used again soon.
	pieceSize = 256 << 10
	blockSize = 2 << 20
)

// memory is what a pool has for blocks and parts. Memory that is touched for the first time costs a page fault for each 4 KiB, which takes longer than to
// copy their contents. So what was read is used again, the last first. It grows to what was held at once.
type memory struct {
	mu   sync.Mutex
	free [len(memorySizes)][][]byte
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
			return b[:n]
		}
		return make([]byte, n, size)
	}
	return make([]byte, n)
}

// give takes memory back.
func (m *memory) give(b []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, size := range memorySizes {
		if cap(b) == size {
			m.free[i] = append(m.free[i], b)
		}
	}
}
