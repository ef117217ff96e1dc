// Package intern has hash tables that number keys: [Uint64s] for 64-bit integers and [Texts] for byte strings.
// [TextCodes] maps texts that a job lists to codes, and [Buckets] assigns privacy units to buckets.
//
// A table numbers keys from 0 in the order in which it meets them. No answer depends on these numbers. Hashes have
// random seeds, so that nobody can choose values that make a table slow.
package intern

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"math/bits"
)

// MaxUnits is the largest number of keys of a table.
const MaxUnits = math.MaxInt32

// None stands for the number of a key that has none, or of a null value.
const None = -1

// TextBytes is the approximate memory in bytes for a text besides the text's own bytes.
const TextBytes = 24

// HashSeed is the seed of a hash of 64-bit keys. The hash multiplies the key by a random odd factor and combines both
// halves of the 128-bit product (after Dietzfelbinger et al. 1997).
type HashSeed struct{ add, factor uint64 }

// NewHashSeed returns a random seed.
func NewHashSeed() HashSeed {
	s := maphash.MakeSeed()
	return HashSeed{maphash.String(s, "add"), maphash.String(s, "factor") | 1}
}

// SeedOf makes a seed from 16 bytes, which should be random.
func SeedOf(key [16]byte) HashSeed {
	return HashSeed{binary.LittleEndian.Uint64(key[:8]), binary.LittleEndian.Uint64(key[8:]) | 1}
}

// Of returns the hash of a key.
func (s HashSeed) Of(key uint64) uint64 {
	high, low := bits.Mul64(key^s.add, s.factor)
	return high ^ low
}

// Uint64s numbers 64-bit keys. It is a hash table with open addressing.
type Uint64s struct {
	seed  HashSeed
	Keys  []uint64 // the keys, in the order of their numbers
	slots []uint32 // a key's number + 1, or 0
}

// NewUint64s returns an empty table.
func NewUint64s() *Uint64s { return &Uint64s{seed: NewHashSeed(), slots: make([]uint32, 16)} }

// ID returns the number of a key. It gives a new key the next number, or returns None if all numbers are used.
func (w *Uint64s) ID(key uint64) int32 {
	mask := uint64(len(w.slots) - 1)
	for i := w.seed.Of(key) & mask; ; i = (i + 1) & mask {
		s := w.slots[i]
		if s == 0 {
			return w.insert(i, key)
		}
		if w.Keys[s-1] == key {
			return int32(s - 1)
		}
	}
}

// Find returns the number of a key, or None if it has none. Several goroutines may call it at once.
func (w *Uint64s) Find(key uint64) int32 {
	mask := uint64(len(w.slots) - 1)
	for i := w.seed.Of(key) & mask; ; i = (i + 1) & mask {
		if s := w.slots[i]; s == 0 || w.Keys[s-1] == key {
			return int32(s) - 1
		}
	}
}

func (w *Uint64s) insert(slot, key uint64) int32 {
	if len(w.Keys) >= MaxUnits {
		return None
	}
	w.Keys = append(w.Keys, key)
	w.slots[slot] = uint32(len(w.Keys))
	if 4*len(w.Keys) > 3*len(w.slots) {
		w.grow()
	}
	return int32(len(w.Keys) - 1)
}

func (w *Uint64s) grow() {
	w.slots = make([]uint32, 2*len(w.slots))
	mask := uint64(len(w.slots) - 1)
	for n, key := range w.Keys {
		i := w.seed.Of(key) & mask
		for w.slots[i] != 0 {
			i = (i + 1) & mask
		}
		w.slots[i] = uint32(n + 1)
	}
}

// Reset removes all keys and keeps their memory for new keys.
func (w *Uint64s) Reset() {
	w.Keys = w.Keys[:0]
	clear(w.slots)
}

// Len returns how many keys have a number.
func (w *Uint64s) Len() int { return len(w.Keys) }

// Texts numbers byte strings. It is a hash table with open addressing.
type Texts struct {
	seed  maphash.Seed
	data  []byte   // all strings, one after the other, in the order of their numbers
	ends  []uint64 // for each string, the index in data after its last byte
	slots []textSlot
}

// textSlot holds the lower half of a string's hash, and the string's number + 1, or 0 if the slot is empty.
type textSlot struct{ hash, id uint32 }

// NewTexts returns an empty table.
func NewTexts() *Texts { return &Texts{seed: maphash.MakeSeed(), slots: make([]textSlot, 16)} }

// At returns the string with number id. It shares the table's memory.
func (t *Texts) At(id int32) []byte {
	start := uint64(0)
	if id > 0 {
		start = t.ends[id-1]
	}
	return t.data[start:t.ends[id]]
}

// ID returns the number of a string. It gives a new string the next number, or returns None if all numbers are used.
func (t *Texts) ID(text []byte) int32 { return t.IDOf(text, maphash.Bytes(t.seed, text)) }

// Slot returns 1 + the number of the string in the slot at which the search for this hash starts, or 0 if the slot is
// empty. Calls for many hashes load the slots into the processor's cache in parallel.
func (t *Texts) Slot(hash uint64) uint32 { return t.slots[uint32(hash)&uint32(len(t.slots)-1)].id }

// IDOf does the same as ID for a string whose hash the caller has computed. A table must use either ID and Find, or
// IDOf with hashes of one function.
func (t *Texts) IDOf(text []byte, wide uint64) int32 {
	hash := uint32(wide)
	mask := uint32(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := t.slots[i]
		if s.id == 0 {
			return t.insert(i, hash, text)
		}
		if s.hash == hash && string(t.At(int32(s.id-1))) == string(text) {
			return int32(s.id - 1)
		}
	}
}

// Find returns the number of a string, or None if it has none. Several goroutines may call it at once.
func (t *Texts) Find(text []byte) int32 {
	hash := uint32(maphash.Bytes(t.seed, text))
	mask := uint32(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := t.slots[i]
		if s.id == 0 || s.hash == hash && string(t.At(int32(s.id-1))) == string(text) {
			return int32(s.id) - 1
		}
	}
}

func (t *Texts) insert(slot, hash uint32, text []byte) int32 {
	if len(t.ends) >= MaxUnits {
		return None
	}
	t.data = append(t.data, text...)
	t.ends = append(t.ends, uint64(len(t.data)))
	t.slots[slot] = textSlot{hash, uint32(len(t.ends))}
	if 4*len(t.ends) > 3*len(t.slots) {
		t.grow()
	}
	return int32(len(t.ends) - 1)
}

func (t *Texts) grow() {
	old := t.slots
	t.slots = make([]textSlot, 2*len(old))
	mask := uint32(len(t.slots) - 1)
	for _, s := range old {
		if s.id == 0 {
			continue
		}
		i := s.hash & mask
		for t.slots[i].id != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = s
	}
}

// Reset removes all strings and keeps their memory for new strings.
func (t *Texts) Reset() {
	t.data, t.ends = t.data[:0], t.ends[:0]
	clear(t.slots)
}

// Bytes returns the approximate memory of the strings in bytes.
func (t *Texts) Bytes() int64 { return int64(len(t.data)) + TextBytes*int64(len(t.ends)) }

// Len returns how many strings have a number.
func (t *Texts) Len() int { return len(t.ends) }
