package gauss

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// blocksPerKey is how many blocks draw from one key: of 2^14 samples each, of some 16 bytes (Gaussian) or 40 (Laplace), less than 2^30
// bytes together.
const blocksPerKey = 1 << 10

// Keys are the random bits of many blocks of at most 2^14 samples: each has a stream of its own, the same whenever it is
// drawn. They are safe for concurrent use.
type Keys struct{ keys [][keySize]byte }

// NewKeys draws keys for so many blocks from entropy (crypto/rand's Reader), whose failure is an error.
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

// Wipe forgets the keys.
func (k *Keys) Wipe() { clear(k.keys) }

// Block returns the stream of a block, in b's memory: b is a Bits or nil. It needs no further key, and has no error if
// the cipher can be made.
func (k *Keys) Block(block int, b *Bits) (*Bits, error) {
	if b == nil {
		b = &Bits{buffer: make([]byte, bufferSize)}
	}
	var iv [ivSize]byte
	// The blocks of a key differ in bytes that the counter, which starts in the last eight, never reaches.
	binary.BigEndian.PutUint32(iv[4:], uint32(block%blocksPerKey))
	var err error
	b.stream, err = newStream(k.keys[block/blocksPerKey][:], iv[:])
	b.keyed, b.unread = math.MaxInt, nil
	return b, err
}
