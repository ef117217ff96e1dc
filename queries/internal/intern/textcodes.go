package intern

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

// TextCodes maps texts to codes: an open-addressing table, at most three quarters full. Most texts are short: those of up to 16 bytes are
// two words and a length, and are compared without looking anywhere else.
type TextCodes struct {
	seed  HashSeed
	long  maphash.Seed
	slots []textCode
	texts []string // the long ones
}

// textCode is the code of a text. Of a long one, x is its hash and y its place among the long ones.
type textCode struct {
	x, y uint64
	next uint32 // the text's length + 1; 0 if the slot is empty
	code int32
}

// shortText is the length of the longest text that two words hold.
const shortText = 16

// NewTextCodes returns a table for at most n texts.
func NewTextCodes(n int) *TextCodes {
	size := 1 << bits.Len(uint(n+n/3))
	return &TextCodes{seed: NewHashSeed(), long: maphash.MakeSeed(), slots: make([]textCode, size)}
}

// twoWords returns two words that, with the length, say what a short text is.
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

// find returns the slot of a text, or the empty one where it belongs.
func (t *TextCodes) find(b []byte) *textCode {
	if len(b) > shortText {
		return t.findLong(b)
	}
	x, y := twoWords(b)
	length, mask := uint32(len(b)+1), uint64(len(t.slots)-1)
	high, low := bits.Mul64(x^t.seed.add, y^t.seed.factor^uint64(length)<<56)
	for i := high ^ low; ; i++ {
		s := &t.slots[i&mask]
		if s.next == length && s.x == x && s.y == y || s.next == 0 {
			return s
		}
	}
}

func (t *TextCodes) findLong(b []byte) *textCode {
	x := maphash.Bytes(t.long, b)
	length, mask := uint32(len(b)+1), uint64(len(t.slots)-1)
	for i := x; ; i++ {
		s := &t.slots[i&mask]
		if s.next == length && s.x == x && t.texts[s.y] == string(b) || s.next == 0 {
			return s
		}
	}
}

// Set gives a text a code.
func (t *TextCodes) Set(text string, code int32) {
	b := []byte(text)
	s := t.find(b)
	if s.next == 0 {
		s.next = uint32(len(b) + 1)
		if len(b) <= shortText {
			s.x, s.y = twoWords(b)
		} else {
			s.x, s.y = maphash.Bytes(t.long, b), uint64(len(t.texts))
			t.texts = append(t.texts, text)
		}
	}
	s.code = code
}

// Of returns the code of a text, or other if it has none.
func (t *TextCodes) Of(b []byte, other int32) int32 {
	if s := t.find(b); s.next != 0 {
		return s.code
	}
	return other
}
