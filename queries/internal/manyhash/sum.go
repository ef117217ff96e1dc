package manyhash

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
)

// Sum is a SHA-256 digest as eight words of four bytes each, big-endian.
type Sum [8]uint32

// Of returns the digest of one message.
func Of(message []byte) Sum {
	d := sha256.Sum256(message)
	return FromBytes(&d)
}

// FromBytes converts the bytes of a digest to a Sum.
func FromBytes(d *[sha256.Size]byte) (s Sum) {
	for i := range s {
		s[i] = binary.BigEndian.Uint32(d[4*i:])
	}
	return s
}

// AppendTo appends the 32 bytes of the digest.
func (s *Sum) AppendTo(dst []byte) []byte {
	for _, w := range s {
		dst = binary.BigEndian.AppendUint32(dst, w)
	}
	return dst
}

// First returns the first eight bytes of the digest as a number, big-endian.
func (s *Sum) First() uint64 { return uint64(s[0])<<32 | uint64(s[1]) }

// Compare compares the bytes of two digests. It returns -1, 0 or 1.
func (s *Sum) Compare(o *Sum) int {
	for i, w := range s {
		if w != o[i] {
			return cmp.Compare(w, o[i])
		}
	}
	return 0
}

// initial is the state before the first block, FIPS 180-4 section 5.3.3.
var initial = Sum{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}

// sumBytes is the size of a Sum in memory.
const sumBytes = sha256.Size

// firstRounds are the constants of the first eight rounds, FIPS 180-4 section 4.2.2.
var firstRounds = Sum{0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5}

// afterEight returns the state after the first eight rounds of hashing a message, which use its first eight words (FIPS
// 180-4 section 6.2.2).
func afterEight(message []byte) Sum {
	s := initial
	for i, k := range firstRounds {
		a, e := s[0], s[4]
		rotated := bits.RotateLeft32(e, -6) ^ bits.RotateLeft32(e, -11) ^ bits.RotateLeft32(e, -25)
		first := s[7] + rotated + (e&s[5] ^ ^e&s[6]) + k + binary.BigEndian.Uint32(message[4*i:])
		rotated = bits.RotateLeft32(a, -2) ^ bits.RotateLeft32(a, -13) ^ bits.RotateLeft32(a, -22)
		second := rotated + (a&s[1] ^ a&s[2] ^ s[1]&s[2])
		s = Sum{first + second, a, s[1], s[2], s[3] + first, e, s[5], s[6]}
	}
	return s
}
