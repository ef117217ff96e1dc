package gauss

import (
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"io"
)

const (
	bufferSize = 16 << 10 // in bytes; fits the first-level cache
	wordSize   = 8
	pairSize   = 2 * wordSize // the length of the first two words of an attempt
	// rekeyAfter is the largest number of bytes that one key yields. Blocks of AES never repeat, which truly random
	// blocks may. This distinguishes 2^26 blocks from random bits with advantage below 2^-76 (birthday bound,
	// 2^52/2^129).
	rekeyAfter = 1 << 30
)

// Bits is a stream of random bits: a cipher in counter mode, keyed from entropy and rekeyed every 2^30 bytes. Only one
// goroutine may use it at a time.
type Bits struct {
	entropy io.Reader
	stream  cipher.Stream
	keyed   int // bytes left under this key
	buffer  []byte
	unread  []byte
}

// NewBits returns a stream that is keyed from entropy (crypto/rand's Reader); if entropy fails, so does NewBits. In
// each 48 bytes of entropy the first 32 are a key, and the others the first counter, big-endian.
func NewBits(entropy io.Reader) (*Bits, error) {
	b := &Bits{entropy: entropy, buffer: make([]byte, bufferSize)}
	if err := b.rekey(); err != nil {
		return nil, err
	}
	return b, nil
}

// Wipe clears the bits that were drawn but not used. The key itself is left to the garbage collector.
func (b *Bits) Wipe() {
	clear(b.buffer)
	b.unread, b.stream, b.keyed = nil, nil, 0
}

func (b *Bits) rekey() error {
	var seed [keySize + ivSize]byte
	defer clear(seed[:])
	if _, err := io.ReadFull(b.entropy, seed[:]); err != nil {
		return fmt.Errorf("random key: %w", err)
	}
	var err error
	b.stream, err = newStream(seed[:keySize], seed[keySize:])
	b.keyed = rekeyAfter
	return err
}

// refill replaces the buffer. Unread bytes are dropped.
func (b *Bits) refill() error {
	if b.keyed < bufferSize {
		if err := b.rekey(); err != nil {
			return err
		}
	}
	clear(b.buffer)
	b.stream.XORKeyStream(b.buffer, b.buffer)
	b.keyed -= bufferSize
	b.unread = b.buffer
	return nil
}

// need makes at least n unread bytes available.
func (b *Bits) need(n int) error {
	if len(b.unread) >= n {
		return nil
	}
	return b.refill()
}

// Word draws 64 bits, little-endian from the stream.
func (b *Bits) Word() (uint64, error) {
	if err := b.need(wordSize); err != nil {
		return 0, err
	}
	w := binary.LittleEndian.Uint64(b.unread)
	b.unread = b.unread[wordSize:]
	return w, nil
}
