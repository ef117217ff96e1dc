package inflate

import "encoding/binary"

// looks is how many literals, or pairs of them, are taken before the word is filled up again: they take at most 33 bits, and the next look 11.
const looks = 3

// fast decompresses until the block ends, the room is full or too few bytes are left to look at. Each step fills the word up to 56 bits or more, twice.
// After the second time, a code and a distance take at most 48: codes of 15 bits, and 5 and 13 extra bits.
func (z *Reader) fast() (err error) {
	in, pos, out, w, word, n, start := z.in[:z.end], z.pos, z.out, z.w, z.bits, z.n, z.start
	lits, dists := (*[1 << litBits]uint32)(z.lits.entries), (*[1 << distBits]uint32)(z.dists.entries)
	for pos <= len(in)-ahead && w <= window+room {
		word |= binary.LittleEndian.Uint64(in[pos:]) << (n & 63)
		pos += int((63 - n) >> 3)
		n |= 56
		e := lits[word%(1<<litBits)]
		for look := 0; e&literal != 0 && look < looks; look++ {
			binary.LittleEndian.PutUint16(out[w:], uint16(e>>8))
			w += 1 + int(e>>6&1)
			word, n = word>>(e&taken), n-uint(e&taken)
			e = lits[word%(1<<litBits)]
		}
		word |= binary.LittleEndian.Uint64(in[pos:]) << (n & 63)
		pos += int((63 - n) >> 3)
		n |= 56
		if e&(other|last) == other {
			word >>= litBits
			n -= litBits
			if e = z.lits.entries[e>>16+uint32(word)&(1<<(e>>8&15)-1)]; e&literal != 0 {
				out[w] = byte(e >> 8)
				w++
				word, n = word>>(e&taken), n-uint(e&taken)
				continue
			}
		}
		if e&literal != 0 {
			continue // it is looked at again
		}
		if e&other != 0 {
			if z.state = atBlock; e&bad == bad {
				err = ErrCorrupt
			}
			word, n = word>>(e&taken), n-uint(e&taken)
			break
		}
		length := int(e>>16) + int(word&(1<<(e&taken)-1)>>(e>>8&15))
		word, n = word>>(e&taken), n-uint(e&taken)
		d := dists[word%(1<<distBits)]
		if d&(other|last) == other {
			word >>= distBits
			n -= distBits
			d = z.dists.entries[d>>16+uint32(word)&(1<<(d>>8&15)-1)]
		}
		distance := int(d>>16) + int(word&(1<<(d&taken)-1)>>(d>>8&15))
		word, n = word>>(d&taken), n-uint(d&taken)
		if d&other != 0 || distance > w-start {
			err = ErrCorrupt
			break
		}
		copyBack(out, w, distance, length)
		w += length
	}
	z.pos, z.w, z.bits, z.n = pos, w, word, n
	return err
}

// copyBack writes at w the bytes that are distance before it, and up to seven more, which are overwritten later.
func copyBack(out []byte, w, distance, length int) {
	from, to := w-distance, w+length
	if distance >= 8 {
		for w < to {
			binary.LittleEndian.PutUint64(out[w:], binary.LittleEndian.Uint64(out[from:]))
			w += 8
			from += 8
		}
		return
	}
	for ; w < to; w++ {
		out[w] = out[from]
		from++
	}
}
