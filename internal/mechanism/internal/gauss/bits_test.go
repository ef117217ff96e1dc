package gauss

import (
	"bytes"
	"crypto/aes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"math/big"
	"testing"
	"testing/iotest"
)

// The stream equals AES-256 applied to a counter by hand.
func TestBitsAreCounterMode(t *testing.T) {
	seed := make([]byte, 48)
	for i := range seed {
		seed[i] = byte(i * 7)
	}
	b, err := NewBits(bytes.NewReader(seed))
	if err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher(seed[:32])
	if err != nil {
		t.Fatal(err)
	}
	counter, out := bytes.Clone(seed[32:]), make([]byte, 16)
	for i := range 3 * bufferSize / 16 {
		block.Encrypt(out, counter)
		for _, want := range []uint64{binary.LittleEndian.Uint64(out), binary.LittleEndian.Uint64(out[8:])} {
			if got, err := b.Word(); err != nil || got != want {
				t.Fatalf("block %d: %#x, %v; want %#x", i, got, err, want)
			}
		}
		for j := 15; j >= 0; j-- {
			if counter[j]++; counter[j] != 0 {
				break
			}
		}
	}
}

func TestBitsAreRekeyed(t *testing.T) {
	var drawn bytes.Buffer
	b, err := NewBits(io.TeeReader(rand.Reader, &drawn))
	if err != nil {
		t.Fatal(err)
	}
	for range rekeyAfter/bufferSize + 1 {
		if drawn.Len() != 48 {
			t.Fatalf("%d bytes of entropy under the first key", drawn.Len())
		}
		b.keyed -= bufferSize
		if b.keyed < bufferSize {
			break
		}
	}
	if err := b.refill(); err != nil || drawn.Len() != 96 || b.keyed != rekeyAfter-bufferSize {
		t.Fatalf("%v, %d bytes of entropy, %d bytes left", err, drawn.Len(), b.keyed)
	}
	if bytes.Equal(drawn.Bytes()[:48], drawn.Bytes()[48:]) {
		t.Error("the same key twice")
	}
}

// If no key can be drawn, at the start or later, there is an error and no noise.
func TestEntropyFails(t *testing.T) {
	if _, err := NewBits(iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("NewBits: %v", err)
	}
	if _, err := NewBits(io.LimitReader(rand.Reader, 47)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("NewBits on a short read: %v", err)
	}
	b, err := NewBits(io.LimitReader(rand.Reader, 48))
	if err != nil {
		t.Fatal(err)
	}
	b.keyed = 3 * bufferSize
	for _, sigma := range []float64{1, 1 << 55} {
		if err := newSampler(t, newScale(t, sigma, 1), 0, b).Add(make([]int64, 1<<13)); !errors.Is(err, io.EOF) {
			t.Errorf("sigma %g: %v", sigma, err)
		}
	}
}

// If the source of bits fails before a decision is made, the result is the source's error and the cell does not change.
func TestSettleFails(t *testing.T) {
	s := newScale(t, 1, 1)
	v, _ := new(big.Float).SetMantExp(refExp(refExponent(3, refUnit(one, 1))), acceptBits).Int(nil)
	for what, words := range map[string][]uint64{
		"level":  {uint64(limits[3]) << 1, 1 << 63},
		"accept": {uint64(limits[3]-1)<<1 | v.Uint64()<<(64-acceptBits), 1 << 63},
		"round":  {uint64(limits[8]-1)<<1 | 1, 0}, // −S·8/16 + 1/2 = 0 if all digits of u are 0
	} {
		cells := []int64{42}
		if err := newSampler(t, s, 0, script(words...)).Add(cells); !errors.Is(err, errScript) || cells[0] != 42 {
			t.Errorf("%s: %v, cell %d", what, err, cells[0])
		}
	}
}

func TestWipe(t *testing.T) {
	b, err := NewBits(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Word(); err != nil {
		t.Fatal(err)
	}
	b.Wipe()
	if !bytes.Equal(b.buffer, make([]byte, bufferSize)) || b.unread != nil || b.stream != nil {
		t.Error("random bits are left")
	}
}
