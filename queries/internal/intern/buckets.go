package intern

import "encoding/binary"

// Buckets assigns the rows of a unit to a bucket, if buckets are kept separate: by hashes under a key that all
// processes of a run share.
type Buckets struct {
	n     uint64
	words HashSeed
	// text hashes a unit that has texts: the length and the bytes of each, and eight bytes of each word.
	text func(unit []byte) uint64
}

// OneBucket is for rows that may all be together.
var OneBucket = Buckets{n: 1}

// NewBuckets returns n buckets, at least one. Units of words are hashed by a seed that is made of key, the others by
// text.
func NewBuckets(n int, key [16]byte, text func(unit []byte) uint64) Buckets {
	return Buckets{uint64(n), SeedOf(key), text}
}

// Number returns how many buckets there are.
func (b *Buckets) Number() int { return int(b.n) }

// OfText returns the bucket of a unit that has texts.
func (b *Buckets) OfText(unit []byte) int {
	if b.n == 1 {
		return 0
	}
	return b.scale(b.text(unit))
}

// OfWords returns the bucket of a unit of words, eight bytes each.
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

// OfWord returns the bucket of a unit of one word.
func (b *Buckets) OfWord(word uint64) int {
	if b.n == 1 {
		return 0
	}
	return b.scale(b.words.Of(word))
}

// scale maps the upper half of a hash to a bucket.
func (b *Buckets) scale(hash uint64) int { return int(hash >> 32 * b.n >> 32) }
