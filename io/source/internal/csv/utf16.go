package csv

import (
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/transform"

	"github.com/dprelease/dprelease/io/source/internal/scan"
)

// UTF-16 without loss
//
// x/text decodes a surrogate without its partner as U+FFFD, so that different texts become one, and switches the byte
// order at a byte order mark of the other order, which the first row of a file could write. This decoder does neither.
// A surrogate without its partner becomes the three bytes that UTF-8 would have for its number (WTF-8,
// https://simonsapin.github.io/wtf-8/). No other text has these bytes, so decoding is injective. The encoding gives the
// byte order; only if byMark is set, a mark FE FF at the start of the text makes it big-endian. A mark is passed on as
// U+FEFF, and the reader of the text decides whether it belongs to the text.

// utf16Decoder is a transform.Transformer of UTF-16 to UTF-8. Its zero value decodes little-endian text.
type utf16Decoder struct {
	big    bool
	byMark bool // a byte order mark at the start gives the byte order; without one it is little-endian
	begun  bool
}

func (d *utf16Decoder) Reset() { d.begun = false }

func (d *utf16Decoder) unit(b []byte) rune {
	if d.big {
		return rune(b[0])<<8 | rune(b[1])
	}
	return rune(b[1])<<8 | rune(b[0])
}

// Transform implements transform.Transformer. An incomplete unit at the end becomes U+FFFD.
func (d *utf16Decoder) Transform(dst, src []byte, atEOF bool) (written, read int, err error) {
	if !d.begun && len(src) >= 2 {
		d.begun = true
		if d.byMark {
			d.big = src[0] == 0xFE && src[1] == 0xFF
		}
	}
	for read < len(src) {
		r, n := rune(utf8.RuneError), 1
		if rest := src[read:]; len(rest) >= 2 {
			r, n = d.unit(rest), 2
			switch {
			case r < 0xD800 || r >= 0xDC00:
			case len(rest) >= 4:
				if pair := utf16.DecodeRune(r, d.unit(rest[2:])); pair != utf8.RuneError {
					r, n = pair, 4
				}
			case !atEOF:
				return written, read, transform.ErrShortSrc
			}
		} else if !atEOF {
			return written, read, transform.ErrShortSrc
		}
		var b [utf8.UTFMax]byte
		text := scan.AppendWTF8(b[:0], r)
		if len(dst)-written < len(text) {
			return written, read, transform.ErrShortDst
		}
		written += copy(dst[written:], text)
		read += n
	}
	return written, read, nil
}
