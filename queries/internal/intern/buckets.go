package intern

import "encoding/binary"

// Buckets assigns privacy units to buckets by hashes. All processes of a run share the hashes' key, so that the rows of
// a unit are in the same bucket everywhere.
type Buckets struct {
	n     uint64
	words HashSeed
	// text hashes a unit with texts. Its argument is the length and the bytes of each text, and eight bytes for each
	// integer.
	text func(unit []byte) uint64
}

// OneBucket puts all units in one bucket.
var OneBucket = Buckets{n: 1}

// NewBuckets returns n buckets, at least one. Units of integers are hashed with a seed made of key, units with texts by
// text.
func NewBuckets(n int, key [16]byte, text func(unit []byte) uint64) Buckets {
	return Buckets{uint64(n), SeedOf(key), text}
}

// Number returns how many buckets there are.
func (b *Buckets) Number() int { return int(b.n) }

// OfText returns the bucket of a unit with texts.
func (b *Buckets) OfText(unit []byte) int {
	if b.n == 1 {
		return 0
	}
	return b.scale(b.text(unit))
}

// OfWords returns the bucket of a unit of integers, in eight bytes each.
func (b *Buckets) OfWords(key []byte) int {
	if len(key) == 8 {
		return b.OfWord(binary.LittleEndian.Uint64(key))
	}
	hash := uint64(0)
	for ; len(key) >= 8; key = key[8:] {
		hash = b.words.Of(binary.LittleEndian.Uint64(key) ^ hash)
	}
	return b.scale(hash)
}

// OfWord returns the bucket of a unit of one integer.
func (b *Buckets) OfWord(word uint64) int {
	if b.n == 1 {
		return 0
	}
	return b.scale(b.words.Of(word))
}

// scale maps the upper half of a hash to a bucket number.
func (b *Buckets) scale(hash uint64) int { return int(hash >> 32 * b.n >> 32) }
