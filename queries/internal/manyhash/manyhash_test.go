package manyhash

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
)

// everyPath runs a test with each way to hash that this machine has.
func everyPath(tb testing.TB, test func()) {
	tb.Helper()
	test()
	if pairwise {
		pairwise = false
		defer func() { pairwise = true }()
		test()
	}
}

// added is a message and the tag with which it was added.
type added struct {
	message []byte
	tag     int32
}

// checkEmpty compares the digests of a batch with crypto/sha256.
func checkEmpty(tb testing.TB, b *Batch, all []added) {
	tb.Helper()
	sums, tags := b.Empty()
	if len(sums) != len(all) || len(tags) != len(all) {
		tb.Fatalf("%d digests and %d tags of %d messages", len(sums), len(tags), len(all))
	}
	for i, x := range all {
		want := sha256.Sum256(x.message)
		if got := sums[i].AppendTo(nil); !bytes.Equal(got, want[:]) || sums[i] != FromBytes(&want) ||
			sums[i] != Of(x.message) {
			tb.Fatalf("message %d of %d, %d bytes %x: %x, want %x", i, len(all), len(x.message), x.message, got, want)
		}
		if sums[i].First() != binary.BigEndian.Uint64(want[:]) || tags[i] != x.tag {
			tb.Fatalf("message %d: first bytes %x, tag %d", i, sums[i].First(), tags[i])
		}
	}
}

// fill adds random messages of a length to a batch and compares its digests. Numbers are often small and often those
// before plus one.
func fill(tb testing.TB, b *Batch, length int, r *rand.Rand) {
	tb.Helper()
	random := make([]byte, length)
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	prefix := r.IntN(length - NumberBytes + 1)
	content := random[prefix : length-NumberBytes]
	b.Open(random[:prefix], length)
	number := r.Uint64() >> r.IntN(64)
	var all []added
	for i := range r.IntN(3 * Most) {
		if i == 0 || len(content) > 0 && r.IntN(4) == 0 {
			if len(content) > 0 {
				content[r.IntN(len(content))] = byte(r.Uint32())
			}
			b.SetContent(content)
		}
		if number++; r.IntN(8) == 0 {
			number = r.Uint64() >> r.IntN(64)
		}
		if b.Full() {
			checkEmpty(tb, b, all)
			all = all[:0]
		}
		tag, next := int32(r.Uint32()), number+r.Uint64N(5)
		if r.IntN(2) == 0 || next < number {
			b.Add(number, tag)
			next = number + 1
		} else if got, want := b.AddRun(number, next, tag), min(next, number+uint64(Most-len(all))); got != want {
			tb.Fatalf("a run from %d to %d, %d of it added, want %d", number, next, got-number, want-number)
		} else {
			next = got
		}
		for ; number != next; number++ {
			all = append(all, added{binary.BigEndian.AppendUint64(bytes.Clone(random[:length-NumberBytes]), number), tag})
		}
		number--
		if b.n != len(all) {
			tb.Fatalf("%d messages, want %d", b.n, len(all))
		}
	}
	checkEmpty(tb, b, all)
}

// Digests equal crypto/sha256's digests, for all lengths around the borders of four blocks, by each implementation.
func TestDigestsAreThoseOfTheLibrary(t *testing.T) {
	everyPath(t, func() {
		var b Batch
		r := rand.New(rand.NewPCG(1, 2))
		for length := NumberBytes; length < 5*blockBytes; length++ {
			for range 4 {
				fill(t, &b, length, r)
			}
		}
	})
}

func FuzzBatch(f *testing.F) {
	f.Add(uint16(8), uint64(1))
	f.Add(uint16(56), uint64(2))
	f.Add(uint16(64), uint64(3))
	f.Add(uint16(72), uint64(4))
	f.Fuzz(func(t *testing.T, length uint16, seed uint64) {
		everyPath(t, func() {
			var b Batch
			r := rand.New(rand.NewPCG(seed, 0))
			for range 3 {
				fill(t, &b, max(int(length)%2048, NumberBytes), r)
			}
		})
	})
}

// Digests are ordered like their bytes.
func TestOrderIsThatOfBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		var x, y Sum
		for i := range x {
			x[i] = r.Uint32N(3) << 30
			y[i] = x[i]
		}
		y[r.IntN(8)] = r.Uint32()
		if got, want := x.Compare(&y), bytes.Compare(x.AppendTo(nil), y.AppendTo(nil)); got != want {
			t.Fatalf("%v and %v: %d, want %d", x, y, got, want)
		}
	}
}

// The results are the same without the instructions; the log names a machine that has them.
func TestTheWaysThatThisMachineHas(t *testing.T) {
	t.Logf("two messages at a time: %v", pairwise)
	everyPath(t, func() {
		var b Batch
		b.Open([]byte("abc"), 11)
		b.SetContent(nil)
		b.Add(0, 5)
		if sums, _ := b.Empty(); sums[0] != Of([]byte("abc\x00\x00\x00\x00\x00\x00\x00\x00")) {
			t.Error("another digest")
		}
		if sums, tags := b.Empty(); len(sums)+len(tags) > 0 {
			t.Error("an empty batch has digests")
		}
	})
}

func BenchmarkBatch(b *testing.B) {
	for _, length := range []int{42, 53, 62, 69} {
		b.Run(fmt.Sprint("bytes=", length), func(b *testing.B) {
			var batch Batch
			batch.Open(make([]byte, length-12), length)
			batch.SetContent(make([]byte, 4))
			n := uint64(0)
			for b.Loop() {
				if batch.Full() {
					batch.Empty()
				}
				batch.Add(n&255, 0)
				n++
			}
		})
	}
}
