package manyhash

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
)

// Sum is a digest as eight words: the first word is the first four bytes, big-endian.
type Sum [8]uint32

// Of returns the digest of one message.
func Of(message []byte) Sum {
	d := sha256.Sum256(message)
	return FromBytes(&d)
}

// FromBytes returns the words of a digest.
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

// First returns the first eight bytes, big-endian.
func (s *Sum) First() uint64 { return uint64(s[0])<<32 | uint64(s[1]) }

// Compare orders digests as their bytes are ordered.
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
