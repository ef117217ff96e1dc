package gauss

import (
	"encoding/binary"
	"math/bits"
)

// chachaBlock is the number of bytes that one call of the block function yields.
const chachaBlock = 64

// chacha is the ChaCha20 block function (RFC 8439, section 2.3) in counter mode. Its counter of 32 bits wraps around after 2^38
// bytes, of which a key yields 2^30. It uses no table and no branch that depend on the key.
type chacha struct{ state [16]uint32 }

// newChacha returns the stream of a key of 32 bytes; iv is the first counter, of 4 bytes, and a nonce of 12.
func newChacha(key, iv []byte) *chacha {
	c := &chacha{[16]uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}}
	for i := range 8 {
		c.state[4+i] = binary.LittleEndian.Uint32(key[4*i:])
	}
	for i := range 4 {
		c.state[12+i] = binary.LittleEndian.Uint32(iv[4*i:])
	}
	return c
}

// XORKeyStream implements cipher.Stream for whole blocks.
func (c *chacha) XORKeyStream(dst, src []byte) {
	for ; len(src) >= chachaBlock; dst, src = dst[chachaBlock:], src[chachaBlock:] {
		out := c.block()
		for i, w := range out {
			binary.LittleEndian.PutUint32(dst[4*i:], w^binary.LittleEndian.Uint32(src[4*i:]))
		}
	}
}

// block returns the next block.
func (c *chacha) block() (out [16]uint32) {
	x := c.state
	for range 10 {
		x[0], x[4], x[8], x[12] = quarter(x[0], x[4], x[8], x[12])
		x[1], x[5], x[9], x[13] = quarter(x[1], x[5], x[9], x[13])
		x[2], x[6], x[10], x[14] = quarter(x[2], x[6], x[10], x[14])
		x[3], x[7], x[11], x[15] = quarter(x[3], x[7], x[11], x[15])

		x[0], x[5], x[10], x[15] = quarter(x[0], x[5], x[10], x[15])
		x[1], x[6], x[11], x[12] = quarter(x[1], x[6], x[11], x[12])
		x[2], x[7], x[8], x[13] = quarter(x[2], x[7], x[8], x[13])
		x[3], x[4], x[9], x[14] = quarter(x[3], x[4], x[9], x[14])
	}
	for i := range out {
		out[i] = x[i] + c.state[i]
	}
	c.state[12]++
	return out
}

// quarter is the quarter round (RFC 8439, section 2.1).
func quarter(a, b, c, d uint32) (uint32, uint32, uint32, uint32) {
	a += b
	d = bits.RotateLeft32(d^a, 16)
	c += d
	b = bits.RotateLeft32(b^c, 12)
	a += b
	d = bits.RotateLeft32(d^a, 8)
	c += d
	b = bits.RotateLeft32(b^c, 7)
	return a, b, c, d
}
