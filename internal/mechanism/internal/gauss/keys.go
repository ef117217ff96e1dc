package gauss

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// blocksPerKey is the number of blocks that draw from one key. A block is 2^14 samples of about 16 bytes (Gaussian) or
// 40 (Laplace), so they draw less than 2^30 bytes together.
const blocksPerKey = 1 << 10

// Keys holds the keys from which the random bits of many blocks follow. A block is at most 2^14 samples. Each block has
// bits of its own, which are the same each time they are drawn. Keys are safe for concurrent use.
type Keys struct{ keys [][keySize]byte }

// NewKeys draws the keys of this many blocks from entropy (crypto/rand's Reader); if entropy fails, so does NewKeys.
func NewKeys(entropy io.Reader, blocks int) (*Keys, error) {
	k := &Keys{make([][keySize]byte, (blocks+blocksPerKey-1)/blocksPerKey)}
	for i := range k.keys {
		if _, err := io.ReadFull(entropy, k.keys[i][:]); err != nil {
			k.Wipe()
			return nil, fmt.Errorf("random key: %w", err)
		}
	}
	return k, nil
}

// Wipe clears the keys.
func (k *Keys) Wipe() { clear(k.keys) }

// Block returns the stream of a block. It uses b's memory, or new memory if b is nil. It draws no further key, and
// fails only if the cipher cannot be made.
func (k *Keys) Block(block int, b *Bits) (*Bits, error) {
	if b == nil {
		b = &Bits{buffer: make([]byte, bufferSize)}
	}
	var iv [ivSize]byte
	// Blocks with the same key differ in bytes 4 to 7 of the counter. Counting changes only the last eight bytes, so no
	// two blocks share bits.
	binary.BigEndian.PutUint32(iv[4:], uint32(block%blocksPerKey))
	var err error
	b.stream, err = newStream(k.keys[block/blocksPerKey][:], iv[:])
	b.keyed, b.unread = math.MaxInt, nil
	return b, err
}
