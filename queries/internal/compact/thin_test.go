package compact

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// What is thinned comes back, and takes a byte for each place of a record that differs.
func TestThin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, n := rapid.IntRange(1, 20).Draw(t, "width"), rapid.IntRange(0, 30).Draw(t, "n")
		constant := rapid.SliceOfN(rapid.Bool(), width, width).Draw(t, "constant")
		var records []byte
		for i := range n * width {
			b := byte(rapid.IntRange(0, 3).Draw(t, "byte")) // few values, so that some come again
			if constant[i%width] {
				b = 7
			}
			records = append(records, b)
		}
		want := bytes.Clone(records)
		places := 0
		for p := range width {
			for i := range n {
				if want[i*width+p] != want[p] {
					places++
					break
				}
			}
		}
		first, mask, rest := Thin(records, width)
		if len(rest) != n*places {
			t.Fatalf("%d bytes of %d records that differ in %d places", len(rest), n, places)
		}
		var got []byte
		if !Widen(uint64(n), first, mask, rest, func(r []byte) bool { got = append(got, r...); return true }) || !bytes.Equal(got, want) {
			t.Fatalf("%x came back as %x", want, got)
		}
		if Widen(uint64(n)+1, first, mask, rest, func([]byte) bool { return true }) && places > 0 {
			t.Fatal("a record too many")
		}
		if Widen(uint64(n), first, append(mask, 0), rest, func([]byte) bool { return true }) {
			t.Fatal("a mask that is too long")
		}
	})
}

// A mask beyond the record is refused.
func TestWidenBeyond(t *testing.T) {
	if Widen(1, []byte{1}, []byte{0x80}, []byte{5}, func([]byte) bool { return true }) {
		t.Error("a byte that the record has not")
	}
}
