package inflate

import "encoding/binary"

// The order in which the lengths of the code of lengths are stored (RFC 1951, 3.2.7).
var lengthOrder = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// block reads the header of a block.
func (z *Reader) block() error {
	head, err := z.take(3)
	if err != nil {
		return err
	}
	z.final = head&1 != 0
	switch head >> 1 {
	case 0:
		return z.startStored()
	case 1:
		return z.fixed()
	case 2:
		return z.dynamic()
	}
	return ErrCorrupt
}

func (z *Reader) startStored() error {
	z.align()
	size, err := z.take(16)
	if err != nil {
		return err
	}
	inverse, err := z.take(16)
	if err != nil {
		return err
	}
	if size != ^inverse&0xffff {
		return ErrCorrupt
	}
	z.left, z.state = int(size), inStored
	return nil
}

// fixed makes the codes of blocks that have none of their own.
func (z *Reader) fixed() error {
	lits, dists := z.lengths[:288], z.lengths[288:]
	for i := range lits {
		switch {
		case i < 144:
			lits[i] = 8
		case i < 256:
			lits[i] = 9
		case i < 280:
			lits[i] = 7
		default:
			lits[i] = 8
		}
	}
	for i := range dists {
		dists[i] = 5
	}
	return z.codes(lits, dists)
}

// codes makes the codes of a block.
func (z *Reader) codes(lits, dists []uint8) error {
	if !z.lits.build(lits, lengthSymbols[:]) || !z.dists.build(dists, distanceSymbols[:]) {
		return ErrCorrupt
	}
	z.lits.pair()
	z.state = inSymbols
	return nil
}

// dynamic reads the codes of a block.
func (z *Reader) dynamic() error {
	head, err := z.take(14)
	if err != nil {
		return err
	}
	lits, dists, n := int(head&31)+257, int(head>>5&31)+1, int(head>>10)+4
	if lits > 286 || dists > 30 {
		return ErrCorrupt
	}
	var lengths [19]uint8
	for _, at := range lengthOrder[:n] {
		b, err := z.take(3)
		if err != nil {
			return err
		}
		lengths[at] = uint8(b)
	}
	var symbols [19]uint32
	for i := range symbols {
		symbols[i] = uint32(i)<<16 | literal // its number in the place of a distance, so that nothing follows it
	}
	c := code{first: 7}
	if !c.build(lengths[:], symbols[:]) {
		return ErrCorrupt
	}
	all := z.lengths[:lits+dists]
	for i := 0; i < len(all); {
		if z.n < 14 {
			z.refill()
		}
		e := c.entries[z.bits&127]
		n := uint(e & taken)
		switch {
		case e&other != 0 || e == 0:
			return z.atEnd(7)
		case n > z.n:
			return z.ended()
		}
		z.bits >>= n
		z.n -= n
		symbol := uint8(e >> 16)
		if symbol < 16 {
			all[i] = symbol
			i++
			continue
		}
		if i, err = z.repeat(all, i, symbol); err != nil {
			return err
		}
	}
	return z.codes(all[:lits], all[lits:])
}

// atEnd is the error of bits that are no code: there may be too few of them.
func (z *Reader) atEnd(need uint) error {
	if z.n < need {
		return z.ended()
	}
	return ErrCorrupt
}

// repeat writes lengths of codes from number i on that repeat the last one, or are 0.
func (z *Reader) repeat(all []uint8, i int, symbol uint8) (next int, err error) {
	value, least, extra := uint8(0), 3, uint(3)
	switch {
	case symbol == 16 && i == 0:
		return 0, ErrCorrupt
	case symbol == 16:
		value, extra = all[i-1], 2
	case symbol == 18:
		least, extra = 11, 7
	}
	b, err := z.take(extra)
	if err != nil {
		return 0, err
	}
	n := least + int(b)
	if n > len(all)-i {
		return 0, ErrCorrupt
	}
	for range n {
		all[i] = value
		i++
	}
	return i, nil
}

// symbols decompresses a block until it ends or the room is full.
func (z *Reader) symbols() error {
	for z.state == inSymbols && z.w <= window+room {
		z.fill(ahead)
		step := z.symbol
		if z.end-z.pos >= ahead {
			step = z.fast
		}
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// symbol decompresses one symbol, or two literals, near the end of the file.
func (z *Reader) symbol() error {
	z.refill()
	e := z.lits.find(z.bits)
	n := e.bits
	switch {
	case e.entry&literal != 0:
		if n > z.n {
			return z.ended()
		}
		binary.LittleEndian.PutUint16(z.out[z.w:], uint16(e.entry>>8))
		z.w += 1 + int(e.entry>>6&1)
	case e.entry&other != 0:
		if n > z.n || e.entry&bad == bad {
			return z.atEnd(max(n, longestCode))
		}
		z.state = atBlock
	default:
		length := e.value(z.bits)
		d := z.dists.find(z.bits >> n)
		if n += d.bits; d.entry&other != 0 || n > z.n {
			return z.atEnd(n)
		}
		distance := d.value(z.bits >> e.bits)
		if distance > z.w-z.start {
			return ErrCorrupt
		}
		for to := z.w + length; z.w < to; z.w++ {
			z.out[z.w] = z.out[z.w-distance]
		}
	}
	z.bits >>= n
	z.n -= n
	return nil
}

// found is an entry for some bits, and how many it takes with those that led to its table.
type found struct {
	entry uint32
	bits  uint
	first uint // bits that led to its table
}

// find finds what some bits are.
func (c *code) find(bits uint64) found {
	e := c.entries[bits&(1<<c.first-1)]
	if e&(other|last) != other {
		return found{e, uint(e & taken), 0}
	}
	e = c.entries[e>>16+uint32(bits>>c.first)&(1<<(e>>8&15)-1)]
	return found{e, c.first + uint(e&taken), c.first}
}

// value is the length or distance of an entry.
func (f found) value(bits uint64) int {
	bits >>= f.first
	return int(f.entry>>16) + int(bits&(1<<(f.entry&taken)-1)>>(f.entry>>8&15))
}
