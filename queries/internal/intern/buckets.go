package intern

import "encoding/binary"

// Buckets assigns privacy units to n buckets by keyed hashes. All processes of a run use the same key, so that a unit
// is in the same bucket in all of them.
type Buckets struct {
	n     uint64
	words HashSeed
	// text hashes a unit that has text. Its argument has the form that units.Reader.Bytes returns.
	text func(unit []byte) uint64
}

// OneBucket puts all units in one bucket.
var OneBucket = Buckets{n: 1}

// NewBuckets returns n buckets; n is at least 1. key hashes units of integers. text hashes units that have text, in the
// form that units.Reader.Bytes returns.
func NewBuckets(n int, key [16]byte, text func(unit []byte) uint64) Buckets {
	return Buckets{uint64(n), SeedOf(key), text}
}

// Number returns how many buckets there are.
func (b *Buckets) Number() int { return int(b.n) }

// OfText returns the bucket of a unit that has text, in the form that units.Reader.Bytes returns.
func (b *Buckets) OfText(unit []byte) int {
	if b.n == 1 {
		return 0
	}
	return b.scale(b.text(unit))
}

// OfWords returns the bucket of a unit of integers. key holds them in eight bytes each, little-endian.
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
