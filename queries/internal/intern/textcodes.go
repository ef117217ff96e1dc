package intern

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

// TextCodes maps texts to codes. It is a hash table with open addressing, at most three quarters full. A text of up to
// 16 bytes, as most texts are, is stored in its slot as two uint64 and a length, so that a comparison needs no second
// memory access.
type TextCodes struct {
	seed  HashSeed     // hashes texts of up to 16 bytes
	long  maphash.Seed // hashes longer texts
	slots []textCode
	texts []string // the longer texts
}

// textCode is a slot: a text and its code. If the text is longer than 16 bytes, x is its hash and y its index in texts.
type textCode struct {
	x, y uint64
	next uint32 // the text's length + 1; 0 if the slot is empty
	code int32
}

// shortText is the largest length of a text that is stored in its slot.
const shortText = 16

// NewTextCodes returns a table for at most n texts.
func NewTextCodes(n int) *TextCodes {
	size := 1 << bits.Len(uint(n+n/3))
	return &TextCodes{seed: NewHashSeed(), long: maphash.MakeSeed(), slots: make([]textCode, size)}
}

// twoWords packs a text of at most 16 bytes into two uint64, which overlap if it is shorter. Together with the length
// they determine the text.
func twoWords(b []byte) (x, y uint64) {
	switch n := len(b); {
	case n >= 8:
		return binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[n-8:])
	case n >= 4:
		return uint64(binary.LittleEndian.Uint32(b)), uint64(binary.LittleEndian.Uint32(b[n-4:]))
	case n > 0:
		return uint64(b[0]) | uint64(b[n/2])<<8 | uint64(b[n-1])<<16, 0
	}
	return 0, 0
}

// TextKey is what TextCodes needs to look up a text: its hash, and x, y and next as in a textCode.
type TextKey struct {
	x, y, hash uint64
	next       uint32
}

// KeyOf returns the key of a text.
func (t *TextCodes) KeyOf(b []byte) TextKey {
	length := uint32(len(b) + 1)
	if len(b) > shortText {
		x := maphash.Bytes(t.long, b)
		return TextKey{x, 0, x, length}
	}
	x, y := twoWords(b)
	high, low := bits.Mul64(x^t.seed.add, y^t.seed.factor^uint64(length)<<56)
	return TextKey{x, y, high ^ low, length}
}

// StartsFull reports whether the slot at which the search for a key starts is occupied. If you look up many keys, call
// StartsFull for all of them first: the calls load the slots into the processor's cache, in parallel.
func (t *TextCodes) StartsFull(k *TextKey) bool {
	return t.slots[k.hash&uint64(len(t.slots)-1)].next != 0
}

// find returns the slot of a text, or the empty slot into which the text would be inserted.
func (t *TextCodes) find(k *TextKey, b []byte) *textCode {
	mask := uint64(len(t.slots) - 1)
	for i := k.hash; ; i++ {
		s := &t.slots[i&mask]
		switch {
		case s.next == 0:
			return s
		case s.next != k.next || s.x != k.x:
		case len(b) <= shortText && s.y == k.y || len(b) > shortText && t.texts[s.y] == string(b):
			return s
		}
	}
}

// Set stores the code of a text.
func (t *TextCodes) Set(text string, code int32) {
	b := []byte(text)
	k := t.KeyOf(b)
	s := t.find(&k, b)
	if s.next == 0 {
		s.next, s.x, s.y = k.next, k.x, k.y
		if len(b) > shortText {
			s.y = uint64(len(t.texts))
			t.texts = append(t.texts, text)
		}
	}
	s.code = code
}

// Of returns the code of a text, or other if the table does not have the text.
func (t *TextCodes) Of(b []byte, other int32) int32 {
	k := t.KeyOf(b)
	return t.OfKey(&k, b, other)
}

// OfKey does the same as Of, for a text whose key the caller has computed.
func (t *TextCodes) OfKey(k *TextKey, b []byte, other int32) int32 {
	if s := t.find(k, b); s.next != 0 {
		return s.code
	}
	return other
}
