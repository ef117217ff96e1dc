package inflate

import "math/bits"

// An entry of a table says what the next bits of the text are. All have in bits 0 to 4 how many bits they take.
//
//	one or two literals  bit 5; bit 6 if there are two; the bytes in bits 8 to 15 and 16 to 23
//	length or distance   neither of bits 5 and 7; the length of the code alone in bits 8 to 11, the least value in bits 16 to 31. The extra bits,
//	                     which follow the code, are taken with it
//	longer code          bit 7; a table of 2^(bits 8 to 11) entries from number (bits 16 to 31) on goes on with the next bits
//	end of the block     bits 7 and 6
//	no code              bits 7, 6 and 12
const (
	taken      = 31
	literal    = 1 << 5
	second     = 1 << 6 // of a literal
	other      = 1 << 7
	last       = 1 << 6 // of what is other
	bad        = other | last | 1<<12
	endOfBlock = other | last

	longestCode = 15
)

// code is a Huffman code: a table for the first bits, and tables behind it for longer codes.
type code struct {
	first   uint // bits that the first table takes
	entries []uint32
}

// build makes the tables of a canonical code from the lengths of the symbols' codes, 0 if a symbol has none, and the symbols' entries with no bits taken
// yet. It is false if the lengths are those of no code. One code of length 1 may stand alone, and so may none (RFC 1951, 3.2.7); bits that are no
// code are bad.
func (c *code) build(lengths []uint8, symbols []uint32) bool {
	var count, next [longestCode + 2]int
	for _, n := range lengths {
		count[n]++
	}
	used, longest := len(lengths)-count[0], uint(0)
	count[0] = 0
	at, left := 0, 1 // of the codes of a length, those that are left
	for n := 1; n <= longestCode; n++ {
		at = (at + count[n-1]) << 1
		next[n] = at
		if left = left<<1 - count[n]; left < 0 {
			return false
		}
		if count[n] > 0 {
			longest = uint(n)
		}
	}
	if left > 0 && used > 0 && (used > 1 || longest > 1) {
		return false
	}
	c.entries = append(c.entries[:0], make([]uint32, 1<<c.first)...)
	if left > 0 {
		for i := range c.entries {
			c.entries[i] = bad
		}
	}
	c.fill(lengths, symbols, next[:], longest)
	return true
}

// fill writes the entries of all codes, of which next has the first of each length.
func (c *code) fill(lengths []uint8, symbols []uint32, next []int, longest uint) {
	mask := uint32(1)<<c.first - 1
	for symbol, n := range lengths {
		if n == 0 {
			continue
		}
		reversed := bits.Reverse32(uint32(next[n])) >> (32 - n)
		next[n]++
		e := symbols[symbol]
		if uint(n) <= c.first {
			e += uint32(n)
			if e&(literal|other) == 0 {
				e |= uint32(n) << 8
			}
			for i := reversed; i <= mask; i += 1 << n {
				c.entries[i] = e
			}
			continue
		}
		rest := uint32(uint(n) - c.first)
		e += rest
		if e&(literal|other) == 0 {
			e |= rest << 8
		}
		from, size := c.longer(reversed&mask, longest)
		for i := reversed >> c.first; i < 1<<size; i += 1 << rest {
			c.entries[from+i] = e
		}
	}
}

// longer returns where the table for longer codes with the same first bits starts, and how many bits it takes. It takes as many as the longest code
// needs: this code is complete, so that there are few such tables.
func (c *code) longer(start uint32, longest uint) (from, size uint32) {
	size = uint32(longest - c.first)
	if e := c.entries[start]; e != 0 {
		return e >> 16, size
	}
	from = uint32(len(c.entries))
	c.entries[start] = other | size<<8 | from<<16 | uint32(c.first)
	c.entries = append(c.entries, make([]uint32, 1<<size)...)
	return from, size
}

// pair lets entries of a literal that leave bits of the first table have the next literal too, if these bits are all of its code.
func (c *code) pair() {
	for i := 1<<c.first - 1; i >= 0; i-- {
		e := c.entries[i]
		if e&literal == 0 {
			continue
		}
		n := e & taken
		f := c.entries[i>>n] // has not been changed, as i>>n is below i, or is e itself
		if f&literal != 0 && n+f&taken <= uint32(c.first) {
			c.entries[i] = e + f&taken | second | f&0xff00<<8
		}
	}
}

// The symbols of the codes, by their values of RFC 1951, 3.2.5.
var lengthSymbols, distanceSymbols = func() (lengths, distances [288]uint32) {
	for i := range 256 {
		lengths[i] = literal | uint32(i)<<8
	}
	lengths[256] = endOfBlock
	base := uint32(3)
	for i := uint32(257); i < 285; i++ {
		extra := uint32(0)
		if i >= 265 {
			extra = (i - 261) / 4
		}
		lengths[i] = base<<16 | extra
		base += 1 << extra
	}
	lengths[285] = 258 << 16
	lengths[286], lengths[287] = bad, bad
	base = 1
	for i := range uint32(30) {
		extra := uint32(0)
		if i >= 4 {
			extra = i/2 - 1
		}
		distances[i] = base<<16 | extra
		base += 1 << extra
	}
	for i := 30; i < len(distances); i++ {
		distances[i] = bad
	}
	return lengths, distances
}()
