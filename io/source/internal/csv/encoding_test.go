package csv

import (
	"bytes"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
	"pgregory.net/rapid"
)

// No two bytes of an encoding decode to the same text: two units would become one. ASCII bytes decode to themselves,
// since records are split before they are decoded.
func TestOneByteEncodingsAreInjective(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(oneByte)) {
		l, seen := newLetters(oneByte[name]), map[string]int{}
		for b, text := range l {
			if other, ok := seen[string(text)]; ok {
				t.Errorf("%s: bytes %#x and %#x are both %q", name, other, b, text)
			}
			seen[string(text)] = b
			if b < 0x80 && string(text) != string(rune(b)) {
				t.Errorf("%s: byte %#x is %q", name, b, text)
			}
		}
	}
	for name, bytes := range map[string][]byte{"windows-1252": {0x81, 0x8d, 0x8f, 0x90, 0x9d},
		"windows-1250": {0x81, 0x83, 0x88, 0x90, 0x98}, "windows-1251": {0x98}} {
		l := newLetters(oneByte[name])
		for _, b := range bytes {
			if string(l[b]) != string(rune(b)) {
				t.Errorf("%s: byte %#x is %q, want U+%04X as the Encoding Standard has it", name, b, l[b], b)
			}
		}
	}
}

// Each encoding is the one of its name: for every other encoding, there is a byte that decodes differently.
func TestEncodingsAreThoseOfTheirNames(t *testing.T) {
	known := map[string]map[byte]rune{
		"windows-1252": {0x80: '€', 0xa4: '¤', 0x8c: 'Œ', 0xe5: 'å', 0xc0: 'À'},
		"latin-1":      {0x80: 0x80, 0xa4: '¤', 0x8c: 0x8c, 0xe5: 'å', 0xc0: 'À'},
		"latin-9":      {0x80: 0x80, 0xa4: '€', 0xbc: 'Œ', 0xe5: 'å', 0xc0: 'À'},
		"windows-1250": {0x80: '€', 0xa5: 'Ą', 0x8c: 'Ś', 0xe5: 'ĺ', 0xc0: 'Ŕ'},
		"latin-2":      {0x80: 0x80, 0xa1: 'Ą', 0xa6: 'Ś', 0xe5: 'ĺ', 0xc0: 'Ŕ'},
		"windows-1251": {0x80: 'Ђ', 0x88: '€', 0xc0: 'А', 0xe5: 'е'},
		"macintosh":    {0x80: 'Ä', 0xdb: '€', 0xce: 'Œ', 0xe5: 'Â', 0xa5: '•'},
	}
	for _, name := range Encodings() {
		l := oneByte[name]
		if _, ok := wide[name]; !ok && name != "utf-8" && known[name] == nil {
			t.Errorf("%s has no known bytes", name)
		}
		for b, want := range known[name] {
			if got := newLetters(l)[b]; string(got) != string(want) {
				t.Errorf("%s: byte %#x is %q, want %q", name, b, got, want)
			}
		}
	}
	for name, text := range map[string]string{"utf-16le": "\x2c\x01", "utf-16be": "\x01\x2c", byMark: "\xfe\xff\x01\x2c"} {
		d := wide[name]
		if got := decodedUTF16(t, strings.NewReader(text), d); strings.TrimPrefix(string(got), "\ufeff") != "Ĭ" {
			t.Errorf("%s: %q is %q", name, text, got)
		}
	}
}

// inUTF16 writes 16-bit units in the given byte order.
func inUTF16(units []uint16, big bool) (b []byte) {
	for _, u := range units {
		if big {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return b
}

func decodedUTF16(t rapid.TB, r io.Reader, d utf16Decoder) []byte {
	t.Helper()
	out, err := io.ReadAll(transform.NewReader(r, &d))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Well-formed text is decoded as x/text decodes it, in chunks of any size.
func TestUTF16OfWellFormedText(t *testing.T) {
	for _, big := range []bool{false, true} {
		order := unicode.LittleEndian
		if big {
			order = unicode.BigEndian
		}
		var all []rune
		for r := rune(0); r <= 0x10FFFF; r += 1 + r/97 {
			if !utf16.IsSurrogate(r) {
				all = append(all, r)
			}
		}
		all = append(all, 0xD7FF, 0xE000, 0xFEFF, 0xFFFD, 0xFFFE, 0xFFFF, 0x10000, 0x10FFFF)
		b := inUTF16(utf16.Encode(all), big)
		want, err := unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder().Bytes(b)
		if err != nil {
			t.Fatal(err)
		}
		for name, r := range map[string]io.Reader{
			"at once": bytes.NewReader(b), "by bytes": iotest.OneByteReader(bytes.NewReader(b)), "by halves": iotest.HalfReader(bytes.NewReader(b)),
			"data with the end": iotest.DataErrReader(bytes.NewReader(b)),
		} {
			if got := decodedUTF16(t, r, utf16Decoder{big: big}); !bytes.Equal(got, want) {
				t.Errorf("big %t, %s: decoded otherwise than by x/text", big, name)
			}
		}
		short := inUTF16(utf16.Encode([]rune("a\U00010000é€\uFFFE")), big)
		for at := range len(short) + 1 {
			r := io.MultiReader(bytes.NewReader(short[:at]), bytes.NewReader(short[at:]))
			if got := decodedUTF16(t, r, utf16Decoder{big: big}); string(got) != "a\U00010000é€\uFFFE" {
				t.Errorf("big %t, cut at byte %d: %q", big, at, got)
			}
		}
	}
}

// Two different sequences of 16-bit units are two texts. The result does not depend on the sizes of the chunks.
func TestUTF16IsInjective(t *testing.T) {
	unit := rapid.SampledFrom([]uint16{'a', 0xD800, 0xD801, 0xDBFF, 0xDC00, 0xDC01, 0xDFFF, 0xFFFD, 0xFEFF, 0xFFFE, 0x80,
		0x800})
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.SliceOfN(unit, 0, 4).Draw(t, "a"), rapid.SliceOfN(unit, 0, 4).Draw(t, "b")
		texts := [2][]byte{}
		for i, units := range [][]uint16{a, b} {
			big := rapid.Bool().Draw(t, "big")
			in := inUTF16(units, big)
			texts[i] = decodedUTF16(t, bytes.NewReader(in), utf16Decoder{big: big})
			if again := decodedUTF16(t, iotest.OneByteReader(bytes.NewReader(in)),
				utf16Decoder{big: big}); !bytes.Equal(texts[i], again) {
				t.Fatalf("%x: %x, and byte by byte %x", units, texts[i], again)
			}
		}
		if slices.Equal(a, b) != bytes.Equal(texts[0], texts[1]) {
			t.Fatalf("%x is %x, %x is %x", a, texts[0], b, texts[1])
		}
	})
	for units, want := range map[[2]uint16]string{{0xD800, 'a'}: "\xed\xa0\x80a", {'a', 0xDFFF}: "a\xed\xbf\xbf",
		{0xDC00, 0xD800}: "\xed\xb0\x80\xed\xa0\x80"} {
		if got := decodedUTF16(t, bytes.NewReader(inUTF16(units[:], true)), utf16Decoder{big: true}); string(got) != want {
			t.Errorf("%x: %x, want %x", units, got, want)
		}
	}
}

// Only the encoding utf-16 takes the byte order from a mark. The mark is a character of the decoded text.
func TestUTF16Marks(t *testing.T) {
	for _, c := range []struct {
		d    utf16Decoder
		in   string
		want string
	}{
		{utf16Decoder{}, "\xff\xfea\x00", "\uFEFFa"}, {utf16Decoder{}, "\xfe\xffa\x00", "\uFFFEa"},
		{utf16Decoder{big: true}, "\xfe\xff\x00a", "\uFEFFa"}, {utf16Decoder{big: true}, "\xff\xfe\x00a", "\uFFFEa"},
		{utf16Decoder{byMark: true}, "\xff\xfea\x00", "\uFEFFa"}, {utf16Decoder{byMark: true}, "\xfe\xff\x00a", "\uFEFFa"},
		{utf16Decoder{byMark: true}, "a\x00\xfe\xff", "a\uFFFE"}, {utf16Decoder{}, "a\x00b", "a\uFFFD"}, {utf16Decoder{}, "",
			""},
	} {
		for _, r := range []io.Reader{bytes.NewReader([]byte(c.in)), iotest.OneByteReader(bytes.NewReader([]byte(c.in)))} {
			if got := decodedUTF16(t, r, c.d); string(got) != c.want {
				t.Errorf("%+v of %x: %q, want %q", c.d, c.in, got, c.want)
			}
		}
	}
}
