package domain

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold selects which differences between texts are ignored: with Case, North and NORTH are one key. Texts of the column
// and of the job are folded alike. Folding is a public function of one value, so no row affects how another row is
// counted.
//
// Accents removes the marks of letters (Unicode NFD without the category Mn, in NFC). Case maps each letter to the
// lower case of its upper case; ß stays ß. Space trims white space at both ends and collapses inner runs to one space.
// Bytes that are not UTF-8 stay as they are.
type Fold struct{ Case, Space, Accents bool }

// Any reports whether any difference is ignored.
func (f Fold) Any() bool { return f.Case || f.Space || f.Accents }

// Text returns the folded text; see Append.
func (f Fold) Text(s string) string { return string(f.Append(nil, []byte(s))) }

// Append appends the folded text to dst.
func (f Fold) Append(dst, text []byte) []byte {
	if f.Accents && !ascii(text) {
		text = withoutMarks(text)
	}
	start, gap := len(dst), false
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		b := text[:n]
		text = text[n:]
		if f.Space && unicode.IsSpace(r) {
			gap = true
			continue
		}
		if gap && len(dst) > start {
			dst = append(dst, ' ')
		}
		gap = false
		if f.Case && (r != utf8.RuneError || n > 1) {
			dst = utf8.AppendRune(dst, unicode.ToLower(unicode.ToUpper(r)))
		} else {
			dst = append(dst, b...)
		}
	}
	return dst
}

func ascii(text []byte) bool {
	for _, b := range text {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// withoutMarks removes accents and other marks from letters.
func withoutMarks(text []byte) []byte {
	apart := norm.NFD.Bytes(text)
	kept := make([]byte, 0, len(apart))
	for len(apart) > 0 {
		r, n := utf8.DecodeRune(apart)
		if !unicode.Is(unicode.Mn, r) {
			kept = append(kept, apart[:n]...)
		}
		apart = apart[n:]
	}
	return norm.NFC.Bytes(kept)
}
