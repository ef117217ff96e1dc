package domain

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold lists the differences between texts that are ignored. With Case, for example, North and NORTH are one key. Texts
// of the column and texts of the job are folded in the same way. Folding is a public function of one value, so no row
// affects how another row is counted.
//
// Accents removes the marks of letters (Unicode NFD without the category Mn, in NFC). Case maps each letter to the
// lower case of its upper case; ß stays ß. Space removes white space at both ends and replaces inner runs by one space.
// Bytes that are not UTF-8 stay unchanged.
type Fold struct{ Case, Space, Accents bool }

// Any reports whether some difference is ignored.
func (f Fold) Any() bool { return f.Case || f.Space || f.Accents }

// Text returns the folded text. Append is faster if the text is in a byte slice.
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
	decomposed := norm.NFD.Bytes(text)
	kept := make([]byte, 0, len(decomposed))
	for len(decomposed) > 0 {
		r, n := utf8.DecodeRune(decomposed)
		if !unicode.Is(unicode.Mn, r) {
			kept = append(kept, decomposed[:n]...)
		}
		decomposed = decomposed[n:]
	}
	return norm.NFC.Bytes(kept)
}
