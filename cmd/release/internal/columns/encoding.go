package columns

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// decode guesses the encoding of bytes, by their byte order mark if there is one. It returns the encoding's name and
// the text; "" if the bytes are not text.
func decode(head []byte) (name, text string) {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		return "utf-16le", decodeWith(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), head)
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		return "utf-16be", decodeWith(unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), head)
	}
	even, odd := zeros(head)
	switch half := len(head) / 2; {
	case half > 0 && odd > half*6/10 && even == 0:
		return "utf-16le", decodeWith(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), head)
	case half > 0 && even > half*6/10 && odd == 0:
		return "utf-16be", decodeWith(unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), head)
	case even+odd > 0:
		return "", ""
	}
	if validUTF8(head) {
		return "utf-8", string(head)
	}
	return "windows-1252", decodeWith(charmap.Windows1252, head)
}

func decodeWith(e encoding.Encoding, b []byte) string {
	text, err := e.NewDecoder().Bytes(b)
	if err != nil {
		return ""
	}
	return string(text)
}

// zeros counts the zero bytes at even and at odd offsets.
func zeros(b []byte) (even, odd int) {
	for i, c := range b {
		if c != 0 {
			continue
		}
		if i%2 == 0 {
			even++
		} else {
			odd++
		}
	}
	return even, odd
}

// validUTF8 reports whether b is valid UTF-8. The last character may be incomplete.
func validUTF8(b []byte) bool {
	for cut := range min(utf8.UTFMax, len(b)+1) {
		if utf8.Valid(b[:len(b)-cut]) {
			return true
		}
	}
	return false
}

// lineEnds returns how the records of a text end: LF, CRLF, CR or mixed. Line ends in quoted fields do not count; quote
// and delimiter are 0 if there are none. The text may end within a CRLF or within a quoted field.
func lineEnds(text string, quote, delimiter rune) string {
	if strings.Contains(text, "\n") {
		text = strings.TrimSuffix(text, "\r")
	}
	crlf, lf, cr := 0, 0, 0
	for i, begins := 0, true; i < len(text); i++ {
		c := rune(text[i])
		switch {
		case begins && quote != 0 && c == quote:
			i += quotedLength(text[i:], text[i]) - 1
		case c == '\n':
			lf++
		case c == '\r' && strings.HasPrefix(text[i+1:], "\n"):
			crlf++
			i++
		case c == '\r':
			cr++
		}
		begins = c == delimiter || c == '\n' || c == '\r'
	}
	switch {
	case crlf > 0 && lf == 0 && cr == 0:
		return "CRLF"
	case cr > 0 && lf == 0 && crlf == 0:
		return "CR"
	case crlf == 0 && cr == 0:
		return "LF"
	}
	return "mixed"
}

// quotedLength returns the length of the quoted field at the start of a text, with its quotes. A doubled quote does not
// end it. If no quote does, the field is the whole text.
func quotedLength(text string, quote byte) int {
	for i := 1; i < len(text); i++ {
		if text[i] != quote {
			continue
		}
		if i++; i == len(text) || text[i] != quote {
			return i
		}
	}
	return len(text)
}
