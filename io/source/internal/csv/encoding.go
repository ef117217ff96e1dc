package csv

import (
	"maps"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Encodings other than UTF-8
//
// In encodings of one byte a character, delimiters, quotes and line ends are the same bytes as in UTF-8. Such a file is
// split undecoded, in pieces, and each needed field is decoded separately. UTF-16 is decoded before it is split
// (utf16.go), as compressed text is decompressed, so such a file is one split.
//
// Decoding keeps different texts different, since texts may be units. A byte without a character in its encoding
// becomes the control character of the same number, as in the WHATWG's Encoding Standard, and a surrogate without its
// partner keeps its number.

// oneByte holds the encodings of one byte a character.
var oneByte = map[string]*charmap.Charmap{
	"windows-1252": charmap.Windows1252, "latin-1": charmap.ISO8859_1, "latin-9": charmap.ISO8859_15,
	"windows-1250": charmap.Windows1250, "latin-2": charmap.ISO8859_2, "windows-1251": charmap.Windows1251, "macintosh": charmap.Macintosh,
}

// byMark is the encoding whose byte order is given by a byte order mark at the start of the file. It needs a header: in
// a file without one, the first row could write the mark.
const byMark = "utf-16"

// wide holds the encodings in which each character has two or four bytes.
var wide = map[string]utf16Decoder{byMark: {byMark: true}, "utf-16le": {}, "utf-16be": {big: true}}

// Encodings lists the names of encodings.
func Encodings() []string {
	names := append(slices.Sorted(maps.Keys(oneByte)), slices.Sorted(maps.Keys(wide))...)
	return append([]string{"utf-8"}, names...)
}

// letters[b] is the character of byte b in UTF-8, for an encoding of one byte a character.
type letters [256][]byte

func newLetters(m *charmap.Charmap) *letters {
	l := new(letters)
	for b := range l {
		r := m.DecodeByte(byte(b))
		if r == utf8.RuneError {
			r = rune(b)
		}
		l[b] = utf8.AppendRune(nil, r)
	}
	return l
}

// decode appends text to dst in UTF-8.
func (l *letters) decode(dst, text []byte) []byte {
	for _, b := range text {
		if b < utf8.RuneSelf {
			dst = append(dst, b)
		} else {
			dst = append(dst, l[b]...)
		}
	}
	return dst
}
