package queries

import (
	"hash/maphash"
	"math"
	"math/bits"
)

// Keys are numbered from 0 in the order in which they are met. No answer depends on the numbers, nor on the random seeds
// of the tables, which keep made-up values from slowing them down.

// maxUnits is the largest number of keys of a table.
const maxUnits = math.MaxInt32

// none is the number of a key that has none, and the place of a value that is null.
const none = -1

// textBytes is about what a text takes beside its bytes.
const textBytes = 24

// hashSeed mixes 64-bit keys: the folded product with a random odd factor (Dietzfelbinger et al. 1997).
type hashSeed struct{ add, factor uint64 }

func newHashSeed() hashSeed {
	s := maphash.MakeSeed()
	return hashSeed{maphash.String(s, "add"), maphash.String(s, "factor") | 1}
}

func (s hashSeed) of(key uint64) uint64 {
	high, low := bits.Mul64(key^s.add, s.factor)
	return high ^ low
}

// words numbers 64-bit keys: an open-addressing table of 4-byte slots beside the keys in order.
type words struct {
	seed  hashSeed
	keys  []uint64
	slots []uint32 // number of a key + 1, or 0
}

func newWords() *words { return &words{seed: newHashSeed(), slots: make([]uint32, 16)} }

// id returns the number of a key, a new one where it is new, or none where no number is left.
func (w *words) id(key uint64) int32 {
	mask := uint64(len(w.slots) - 1)
	for i := w.seed.of(key) & mask; ; i = (i + 1) & mask {
		s := w.slots[i]
		if s == 0 {
			return w.insert(i, key)
		}
		if w.keys[s-1] == key {
			return int32(s - 1)
		}
	}
}

func (w *words) insert(slot, key uint64) int32 {
	if len(w.keys) >= maxUnits {
		return none
	}
	w.keys = append(w.keys, key)
	w.slots[slot] = uint32(len(w.keys))
	if 4*len(w.keys) > 3*len(w.slots) {
		w.grow()
	}
	return int32(len(w.keys) - 1)
}

func (w *words) grow() {
	w.slots = make([]uint32, 2*len(w.slots))
	mask := uint64(len(w.slots) - 1)
	for n, key := range w.keys {
		i := w.seed.of(key) & mask
		for w.slots[i] != 0 {
			i = (i + 1) & mask
		}
		w.slots[i] = uint32(n + 1)
	}
}

// reset forgets all keys and keeps the memory.
func (w *words) reset() {
	w.keys = w.keys[:0]
	clear(w.slots)
}

func (w *words) len() int { return len(w.keys) }

// texts numbers byte strings: an open-addressing table beside all strings in one piece of memory.
type texts struct {
	seed  maphash.Seed
	data  []byte
	ends  []uint64
	slots []textSlot
}

// textSlot is a string's hash and its number + 1, or 0.
type textSlot struct{ hash, id uint32 }

func newTexts() *texts { return &texts{seed: maphash.MakeSeed(), slots: make([]textSlot, 16)} }

// at returns the string of a number, sharing memory.
func (t *texts) at(id int32) []byte {
	start := uint64(0)
	if id > 0 {
		start = t.ends[id-1]
	}
	return t.data[start:t.ends[id]]
}

// id returns the number of a string, a new one where it is new, or none where no number is left.
func (t *texts) id(text []byte) int32 {
	hash := uint32(maphash.Bytes(t.seed, text))
	mask := uint32(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := t.slots[i]
		if s.id == 0 {
			return t.insert(i, hash, text)
		}
		if s.hash == hash && string(t.at(int32(s.id-1))) == string(text) {
			return int32(s.id - 1)
		}
	}
}

func (t *texts) insert(slot, hash uint32, text []byte) int32 {
	if len(t.ends) >= maxUnits {
		return none
	}
	t.data = append(t.data, text...)
	t.ends = append(t.ends, uint64(len(t.data)))
	t.slots[slot] = textSlot{hash, uint32(len(t.ends))}
	if 4*len(t.ends) > 3*len(t.slots) {
		t.grow()
	}
	return int32(len(t.ends) - 1)
}

func (t *texts) grow() {
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

// reset forgets all strings and keeps the memory.
func (t *texts) reset() {
	t.data, t.ends = t.data[:0], t.ends[:0]
	clear(t.slots)
}

// bytes returns about how much memory the strings take.
func (t *texts) bytes() int64 { return int64(len(t.data)) + textBytes*int64(len(t.ends)) }

func (t *texts) len() int { return len(t.ends) }
