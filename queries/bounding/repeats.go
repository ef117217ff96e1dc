package bounding

import (
	"encoding/binary"
	"math"

	"github.com/dprelease/dprelease/queries/internal/intern"
)

// hashSeed is random, so that an adversary cannot choose records that collide. It changes the order in which records
// are stored, and no answer depends on this order.
var hashSeed = intern.NewHashSeed()

// countBytes is the length in bytes of the multiplicity that follows a counted record. If a multiplicity would
// overflow, the record is stored again with the rest.
const countBytes = 4

// repeats merges equal records. It is a hash table with open addressing.
type repeats struct {
	width   int      // the length of a record in bytes, without the multiplicity
	slots   []uint32 // the index of a record in counted + 1, or 0
	counted []byte   // the different records, each followed by its multiplicity
	n       int      // the number of different records
}

// count merges single records and counted records into counted records, one for each different record. width is the
// length of a record in bytes, without the multiplicity.
func (c *repeats) count(width int, single, counted [][]byte) []byte {
	c.width, c.counted, c.n = width, c.counted[:0], 0
	if c.slots == nil {
		c.slots = make([]uint32, 1<<10)
	}
	clear(c.slots)
	for _, records := range counted {
		for ; len(records) >= width+countBytes; records = records[width+countBytes:] {
			c.add(records[:width], binary.LittleEndian.Uint32(records[width:]))
		}
	}
	for _, records := range single {
		if width > 8 && width <= 16 {
			c.addShorts(records)
			continue
		}
		for ; len(records) >= width; records = records[width:] {
			c.add(records[:width], 1)
		}
	}
	return append([]byte(nil), c.counted...)
}

// addShorts counts single records of 9 to 16 bytes. It reads a record as two words of eight bytes, which may overlap.
func (c *repeats) addShorts(records []byte) {
	width := c.width
	slots, counted := c.slots, c.counted
	for last := width - 8; len(records) >= width; records = records[width:] {
		x, y := binary.LittleEndian.Uint64(records), binary.LittleEndian.Uint64(records[last:])
		mask := uint64(len(slots) - 1)
		for i := hashSeed.Of(hashSeed.Of(y)^x) & mask; ; i = (i + 1) & mask {
			s := slots[i]
			if s == 0 {
				c.insert(i, records[:width], 1)
				slots, counted = c.slots, c.counted
				break
			}
			known := counted[int(s-1)*(width+countBytes):][:width+countBytes]
			if binary.LittleEndian.Uint64(known) == x && binary.LittleEndian.Uint64(known[last:]) == y &&
				addTimes(known[width:], 1) {
				break
			}
		}
	}
}

// addTimes adds times to a record's multiplicity. It returns false if the sum overflows.
func addTimes(number []byte, times uint32) bool {
	n := binary.LittleEndian.Uint32(number)
	if n > math.MaxUint32-times {
		return false
	}
	binary.LittleEndian.PutUint32(number, n+times)
	return true
}

// add counts a record that stands for times rows.
func (c *repeats) add(record []byte, times uint32) {
	mask := uint64(len(c.slots) - 1)
	for i := hashRecord(record) & mask; ; i = (i + 1) & mask {
		s := c.slots[i]
		if s == 0 {
			c.insert(i, record, times)
			return
		}
		at := int(s-1) * (c.width + countBytes)
		if known := c.counted[at : at+c.width+countBytes]; string(known[:c.width]) == string(record) &&
			addTimes(known[c.width:], times) {
			return
		}
	}
}

func (c *repeats) insert(slot uint64, record []byte, times uint32) {
	c.counted = binary.LittleEndian.AppendUint32(append(c.counted, record...), times)
	c.n++
	c.slots[slot] = uint32(c.n)
	if 2*c.n <= len(c.slots) {
		return
	}
	c.slots = make([]uint32, 4*len(c.slots))
	mask := uint64(len(c.slots) - 1)
	for n := range c.n {
		at := n * (c.width + countBytes)
		i := hashRecord(c.counted[at:at+c.width]) & mask
		for c.slots[i] != 0 {
			i = (i + 1) & mask
		}
		c.slots[i] = uint32(n + 1)
	}
}

// hashRecord hashes a record as words of eight bytes. The last word may overlap the word before it.
func hashRecord(record []byte) uint64 {
	n := len(record)
	if n < 8 {
		hash := uint64(0)
		for _, b := range record {
			hash = hash<<8 | uint64(b)
		}
		return hashSeed.Of(hash)
	}
	hash := hashSeed.Of(binary.LittleEndian.Uint64(record[n-8:]))
	for i := 0; i < n-8; i += 8 {
		hash = hashSeed.Of(hash ^ binary.LittleEndian.Uint64(record[i:]))
	}
	return hash
}
