package csv

import (
	"maps"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// Encodings other than UTF-8
//
// In encodings of one byte a character, delimiters, quotes and line ends are the bytes that they are in UTF-8. Such a file is split as it is, in
// pieces, and each field that is needed is decoded by itself. UTF-16 is decoded before it is split, as compressed text is decompressed, so that
// such a file is one split. Bytes that are no character become U+FFFD: no byte makes a read fail.

// oneByte are the encodings of one byte a character.
var oneByte = map[string]*charmap.Charmap{
	"windows-1252": charmap.Windows1252, "latin-1": charmap.ISO8859_1, "latin-9": charmap.ISO8859_15,
	"windows-1250": charmap.Windows1250, "latin-2": charmap.ISO8859_2, "windows-1251": charmap.Windows1251, "macintosh": charmap.Macintosh,
}

// wide are the encodings of two bytes or more. A byte order mark overrides the order of bytes.
var wide = map[string]encoding.Encoding{
	"utf-16":   unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
	"utf-16le": unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
	"utf-16be": unicode.UTF16(unicode.BigEndian, unicode.UseBOM),
}

// Encodings lists the names of encodings.
func Encodings() []string {
	names := append(slices.Sorted(maps.Keys(oneByte)), slices.Sorted(maps.Keys(wide))...)
	return append([]string{"utf-8"}, names...)
}

// letters are the texts of the bytes of an encoding of one byte a character.
type letters [256][]byte

func newLetters(m *charmap.Charmap) *letters {
	l := new(letters)
	for b := range l {
		l[b] = utf8.AppendRune(nil, m.DecodeByte(byte(b)))
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
