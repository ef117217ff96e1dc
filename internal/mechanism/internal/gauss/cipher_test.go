package gauss

import (
	"crypto/rand"
	"errors"
	"io"
	"testing"
)

// The stream of a block is the same each time. No two blocks have the same stream, whether they share a key or not.
func TestKeys(t *testing.T) {
	const blocks, words = 2*blocksPerKey + 5, 4
	k, err := NewKeys(rand.Reader, blocks)
	if err != nil || len(k.keys) != 3 {
		t.Fatal(len(k.keys), err)
	}
	var b *Bits
	seen := map[uint64]int{}
	for round := range 2 {
		for i := range blocks {
			if b, err = k.Block(i, b); err != nil {
				t.Fatal(err)
			}
			for range words {
				w, err := b.Word()
				if at, again := seen[w]; err != nil || again != (round == 1) || again && at != i {
					t.Fatalf("block %d, round %d: word %#x of block %d, %v", i, round, w, at, err)
				}
				seen[w] = i
			}
		}
	}
}

// If too few bytes can be drawn for the keys, NewKeys fails.
func TestKeysFail(t *testing.T) {
	if _, err := NewKeys(io.LimitReader(rand.Reader, 2*keySize-1), blocksPerKey+1); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v, want %v", err, io.ErrUnexpectedEOF)
	}
}

func BenchmarkAES256(b *testing.B) {
	var seed [keySize + ivSize]byte
	stream, err := newStream(seed[:keySize], seed[keySize:])
	if err != nil {
		b.Fatal(err)
	}
	buffer := make([]byte, bufferSize)
	b.SetBytes(bufferSize)
	for b.Loop() {
		stream.XORKeyStream(buffer, buffer)
	}
}
