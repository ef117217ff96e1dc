package scan

import (
	"unicode/utf16"
	"unicode/utf8"
)

// AppendWTF8 appends a character in UTF-8. A surrogate without its partner is appended in the three bytes that UTF-8
// would have for its number (WTF-8, https://simonsapin.github.io/wtf-8/). No other text has these bytes, so different
// texts stay different.
func AppendWTF8(dst []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
	}
	return utf8.AppendRune(dst, r)
}
