package inflate

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// texts are of many kinds: nothing, repeats at every distance, numbers and names, noise, and codes of 15 bits.
func texts() map[string][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 300_000)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	var hex, log, skewed bytes.Buffer
	for range 30_000 {
		hex.WriteString(strconv.FormatUint(r.Uint64(), 16))
		log.WriteString("2024-01-" + strconv.Itoa(r.IntN(31)) + ",/page/" + strconv.Itoa(int(r.ExpFloat64()*100)) + ",200,user" + strconv.Itoa(r.IntN(9)) + "\n")
	}
	for i := range 24 { // each byte is half as frequent as the one before
		for range 1 << (24 - i) >> 4 {
			skewed.WriteByte(byte(r.IntN(i + 1)))
		}
	}
	steps := []byte("seed")
	for distance := 1; distance < 40_000; distance = distance*5/4 + 1 {
		for len(steps) < distance+1 {
			steps = append(steps, byte(r.Uint32()))
		}
		for range 3 + r.IntN(300) {
			steps = append(steps, steps[len(steps)-distance])
		}
	}
	return map[string][]byte{
		"nothing": nil, "letter": []byte("a"), "same": bytes.Repeat([]byte("a"), 500_000), "noise": noise, "hex": hex.Bytes(),
		"log": log.Bytes(), "skewed": skewed.Bytes(), "steps": steps, "words": []byte(strings.Repeat("to be or not to be ", 9000)),
	}
}

func packed(t testing.TB, text []byte, level int) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, level)
	if err == nil {
		w.Name, w.Comment, w.Extra = "name", "comment", []byte("extra")
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Texts of every kind, at every level, whole and a byte at a time.
func TestTexts(t *testing.T) {
	for name, text := range texts() {
		for _, level := range []int{gzip.HuffmanOnly, gzip.NoCompression, gzip.BestSpeed, gzip.DefaultCompression, gzip.BestCompression} {
			b := packed(t, text, level)
			for way, r := range map[string]io.Reader{"whole": bytes.NewReader(b), "bytes": iotest.OneByteReader(bytes.NewReader(b)), "halves": iotest.HalfReader(iotest.DataErrReader(bytes.NewReader(b)))} {
				z, err := NewReader(r)
				if err != nil {
					t.Fatalf("%s, level %d, %s: %v", name, level, way, err)
				}
				if got, err := io.ReadAll(z); err != nil || !bytes.Equal(got, text) {
					t.Errorf("%s, level %d, %s: %d bytes, %v; want %d", name, level, way, len(got), err, len(text))
				}
			}
		}
	}
}

// theirs is what compress/gzip makes of some bytes.
func theirs(b []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

func ours(z *Reader, b []byte) ([]byte, error) {
	if err := z.Reset(bytes.NewReader(b)); err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

func newReader(t testing.TB) *Reader {
	z, err := NewReader(bytes.NewReader(packed(t, nil, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// compare compares what the two readers make of bytes. If both refuse them, they may say so for different reasons, but a text that ends too early and a
// wrong checksum are the same for both.
func compare(t rapid.TB, z *Reader, b []byte) {
	want, wantErr := theirs(b)
	got, err := ours(z, b)
	if (err == nil) != (wantErr == nil) || err == nil && !bytes.Equal(got, want) {
		t.Fatalf("%x: %d bytes, %v; want %d, %v", b[:min(len(b), 100)], len(got), err, len(want), wantErr)
	}
	if errors.Is(wantErr, gzip.ErrChecksum) != errors.Is(err, gzip.ErrChecksum) {
		t.Fatalf("%v, want %v", err, wantErr)
	}
	if !bytes.HasPrefix(got, want[:min(len(want), len(got))]) {
		t.Fatal("another text before the error")
	}
}

// Members one after the other, each with its own sum, and what damage does to them.
func TestMembersAndDamage(t *testing.T) {
	z := newReader(t)
	all := texts()
	rapid.Check(t, func(t *rapid.T) {
		var b []byte
		for range rapid.IntRange(1, 3).Draw(t, "members") {
			text := all[rapid.SampledFrom([]string{"nothing", "letter", "log", "hex", "steps"}).Draw(t, "text")]
			from := rapid.IntRange(0, len(text)).Draw(t, "from")
			to := rapid.IntRange(from, min(len(text), from+3000)).Draw(t, "to")
			var w bytes.Buffer
			g, _ := gzip.NewWriterLevel(&w, rapid.IntRange(-2, 9).Draw(t, "level"))
			_, _ = g.Write(text[from:to])
			_ = g.Close()
			b = append(b, w.Bytes()...)
		}
		compare(t, z, b)
		for range rapid.IntRange(0, 3).Draw(t, "flips") {
			b[rapid.IntRange(0, len(b)-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		}
		compare(t, z, b[:rapid.IntRange(0, len(b)).Draw(t, "length")])
		compare(t, z, b)
	})
}

// A text that ends anywhere is known to end too early.
func TestTruncated(t *testing.T) {
	z := newReader(t)
	b := packed(t, texts()["log"][:5000], 6)
	for n := 1; n < len(b); n++ {
		if _, err := ours(z, b[:n]); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("%d of %d bytes: %v", n, len(b), err)
		}
	}
}

// Bytes in the place of deflate's.
func FuzzInflate(f *testing.F) {
	header := []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0}
	for _, text := range texts() {
		f.Add(packed(f, text[:min(len(text), 500)], 9)[25:])
	}
	z := newReader(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		compare(t, z, append(bytes.Clone(header), b...))
	})
}

func BenchmarkLog(b *testing.B) {
	text := texts()["log"]
	packed := packed(b, text, 6)
	z := newReader(b)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := z.Reset(bytes.NewReader(packed)); err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, z); err != nil {
			b.Fatal(err)
		}
	}
}
