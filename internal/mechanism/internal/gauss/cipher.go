package gauss

import (
	"crypto/aes"
	"crypto/cipher"
	"fmt"
)

// CipherName names the cipher that turns a key into random bits: AES-256 in counter mode (NIST SP 800-38A).
const CipherName = "AES-256-CTR"

const (
	keySize = 32
	ivSize  = aes.BlockSize // the first counter, big-endian
)

// newStream returns the random bits of a key, starting at a first counter.
func newStream(key, iv []byte) (cipher.Stream, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("random key: %w", err)
	}
	return cipher.NewCTR(block, iv), nil
}
