package gauss

import (
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"sync"
	"time"
)

// Cipher is what turns a key into random bits.
type Cipher uint8

// The ciphers.
const (
	AES256   Cipher = iota // AES-256 in counter mode: NIST SP 800-38A
	ChaCha20               // RFC 8439
)

const (
	keySize = 32
	ivSize  = 16 // AES-256: the first counter; ChaCha20: the first counter, of 4 bytes, and a nonce
)

// String names the cipher.
func (c Cipher) String() string {
	if c == ChaCha20 {
		return "ChaCha20"
	}
	return "AES-256-CTR"
}

func (c Cipher) stream(key, iv []byte) (cipher.Stream, error) {
	if c == ChaCha20 {
		return newChacha(key, iv), nil
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("random key: %w", err)
	}
	return cipher.NewCTR(block, iv), nil
}

// Preferred returns the cipher of this machine: AES-256 where the processor has it and ChaCha20 elsewhere, since the standard
// library's AES in software is slow and looks up tables at places that depend on the key. The standard library does
// not tell its users which of the two it runs, but the time does: measured once, in less than a millisecond, the processor's
// AES is ten times as fast as ChaCha20, and AES in software five times as slow. Either cipher is sound.
var Preferred = sync.OnceValue(func() Cipher {
	if duration(AES256) < duration(ChaCha20) {
		return AES256
	}
	return ChaCha20
})

// duration returns the least time of a few that a cipher takes for some bytes; for ever, where it cannot be made.
func duration(c Cipher) time.Duration {
	const forever = 1<<63 - 1
	var seed [keySize + ivSize]byte
	var out [1 << 12]byte
	stream, err := c.stream(seed[:keySize], seed[keySize:])
	if err != nil {
		return forever
	}
	least := time.Duration(forever)
	for range 8 {
		start := time.Now()
		stream.XORKeyStream(out[:], out[:])
		least = min(least, time.Since(start))
	}
	return least
}
