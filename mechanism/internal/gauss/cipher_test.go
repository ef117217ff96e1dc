package gauss

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"testing"
)

// vectors are key streams of ChaCha20. The first is of RFC 8439, section 2.3.2; its second block, and the others, are those of
// OpenSSL 3 (enc -chacha20).
var vectors = []struct{ key, iv, stream string }{
	{
		"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "01000000000000090000004a00000000",
		"10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4ed2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e" +
			"0a88837739d7bf4ef8ccacb0ea2bb9d69d56c394aa351dfda5bf459f0a2e9fe8e721f89255f9c486bf21679c683d4f9c5cf2fa27865526005b06ca374c86af3b",
	}, {
		"0000000000000000000000000000000000000000000000000000000000000000", "00000000000000000000000000000000",
		"76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586" +
			"9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f",
	},
}

func TestChaCha20(t *testing.T) {
	for _, v := range vectors {
		seed, err := hex.DecodeString(v.key + v.iv)
		if err != nil {
			t.Fatal(err)
		}
		b, err := NewBitsOf(ChaCha20, bytes.NewReader(seed))
		if err != nil {
			t.Fatal(err)
		}
		var got []byte
		for range len(v.stream) / 2 / wordSize {
			w, err := b.Word()
			if err != nil {
				t.Fatal(err)
			}
			got = binary.LittleEndian.AppendUint64(got, w)
		}
		if hex.EncodeToString(got) != v.stream {
			t.Errorf("%x, want %s", got, v.stream)
		}
	}
}

// TestQuarter is RFC 8439, section 2.1.1.
func TestQuarter(t *testing.T) {
	a, b, c, d := quarter(0x11111111, 0x01020304, 0x9b8d6f43, 0x01234567)
	if a != 0xea2a92f4 || b != 0xcb1cf8ce || c != 0x4581472e || d != 0x5881c4bb {
		t.Errorf("%#x %#x %#x %#x", a, b, c, d)
	}
}

// TestChaChaCounts: the counter goes on from buffer to buffer.
func TestChaChaCounts(t *testing.T) {
	var key [keySize]byte
	all, parts := make([]byte, 4*bufferSize), make([]byte, 4*bufferSize)
	newChacha(key[:], make([]byte, ivSize)).XORKeyStream(all, all)
	c := newChacha(key[:], make([]byte, ivSize))
	for i := 0; i < len(parts); i += bufferSize {
		c.XORKeyStream(parts[i:i+bufferSize], parts[i:i+bufferSize])
	}
	if !bytes.Equal(all, parts) || c.state[12] != 4*bufferSize/chachaBlock {
		t.Error("the counter stops between buffers")
	}
}

// TestPreferred: the choice is one of the two and does not change; what it is named is what it is.
func TestPreferred(t *testing.T) {
	c := Preferred()
	t.Logf("this machine: %s", c)
	if c != Preferred() || c.String() != map[Cipher]string{AES256: "AES-256-CTR", ChaCha20: "ChaCha20"}[c] {
		t.Errorf("%v", c)
	}
}

// TestKeys: a block's stream is the same each time, and no two blocks share one, under either cipher and across keys.
func TestKeys(t *testing.T) {
	const blocks, words = 2*blocksPerKey + 5, 4
	for _, c := range []Cipher{AES256, ChaCha20} {
		k, err := NewKeys(rand.Reader, blocks)
		if err != nil || len(k.keys) != 3 {
			t.Fatal(len(k.keys), err)
		}
		k.cipher = c
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
						t.Fatalf("%s, block %d, round %d: word %#x of block %d, %v", c, i, round, w, at, err)
					}
					seen[w] = i
				}
			}
		}
	}
}

// TestKeysFail: no key, no noise.
func TestKeysFail(t *testing.T) {
	if _, err := NewKeys(io.LimitReader(rand.Reader, 2*keySize-1), blocksPerKey+1); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v, want %v", err, io.ErrUnexpectedEOF)
	}
}

// TestEveryCipherIsSampled: both ciphers' bits become noise of the right distribution.
func TestEveryCipherIsSampled(t *testing.T) {
	s := newScale(t, 3, 1)
	for _, c := range []Cipher{AES256, ChaCha20} {
		source, err := NewBitsOf(c, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		cells := make([]int64, samples(1_000_000, 5_000_000))
		if err := newSampler(t, s, 0, source).Add(cells); err != nil {
			t.Fatal(err)
		}
		checkSamples(t, c.String(), s, cells)
	}
}

func BenchmarkAES256(b *testing.B)   { benchmarkCipher(b, AES256) }
func BenchmarkChaCha20(b *testing.B) { benchmarkCipher(b, ChaCha20) }

func benchmarkCipher(b *testing.B, c Cipher) {
	var seed [keySize + ivSize]byte
	stream, err := c.stream(seed[:keySize], seed[keySize:])
	if err != nil {
		b.Fatal(err)
	}
	buffer := make([]byte, bufferSize)
	b.SetBytes(bufferSize)
	for b.Loop() {
		stream.XORKeyStream(buffer, buffer)
	}
}
