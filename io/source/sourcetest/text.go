package sourcetest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// Surrogate returns the first three bytes of s if they are half of a UTF-16 surrogate pair, encoded as if it were a
// character.
func Surrogate(s string) (half string, ok bool) {
	if len(s) >= 3 && s[0] == 0xED && s[1] >= 0xA0 && s[1] <= 0xBF && s[2] >= 0x80 && s[2] <= 0xBF {
		return s[:3], true
	}
	return "", false
}

// Units returns the UTF-16 code units of a text. Half of a surrogate pair stays one unit. Any other byte that is not
// UTF-8 becomes half of a pair without a partner, as in Python's surrogateescape. So different texts stay different.
func Units(s string) (units []uint16) {
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		half, ok := Surrogate(s)
		switch {
		case ok:
			units = append(units, 0xD000|uint16(half[1]&0x3F)<<6|uint16(half[2]&0x3F))
			n = 3
		case r == utf8.RuneError && n == 1:
			units = append(units, 0xDC00|uint16(s[0]))
		default:
			units = utf16.AppendRune(units, r)
		}
		s = s[n:]
	}
	return units
}

// UTF16 returns a text in UTF-16.
func UTF16(s string, bigEndian bool) (out []byte) {
	var order binary.AppendByteOrder = binary.LittleEndian
	if bigEndian {
		order = binary.BigEndian
	}
	for _, unit := range Units(s) {
		out = order.AppendUint16(out, unit)
	}
	return out
}

// JSON returns a text as a JSON string. It writes a character as \u escapes if it is a control character, or if escape
// returns true for it; n is the character's length in bytes. All others stay as they are.
func JSON(s string, escape func(r rune, n int) bool) string {
	var b strings.Builder
	b.WriteByte('"')
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if _, ok := Surrogate(s); ok {
			n = 3
		}
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + s[:n])
		case r == '\n':
			b.WriteString(`\n`)
		case r < ' ' || escape(r, n):
			for _, unit := range Units(s[:n]) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	b.WriteByte('"')
	return b.String()
}

// gzips holds compressors for later use.
var gzips = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// zstds is a compressor, which may be used by several goroutines.
var zstds = sync.OnceValues(func() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
})

// Pack compresses a text, each of its parts separately, and joins the results. The ending of the file's name decides
// how.
func Pack(ending string, parts ...[]byte) ([]byte, error) {
	var out bytes.Buffer
	for i, part := range parts {
		if i > 0 && len(part) == 0 {
			continue
		}
		switch {
		case strings.HasSuffix(ending, ".zst"):
			z, err := zstds()
			if err != nil {
				return nil, err
			}
			out.Write(z.EncodeAll(part, nil))
		case strings.HasSuffix(ending, ".gz"):
			z := gzips.Get().(*gzip.Writer)
			z.Reset(&out)
			if err := finish(z, part); err != nil {
				return nil, err
			}
			gzips.Put(z)
		case strings.HasSuffix(ending, ".xz"):
			z, err := xz.WriterConfig{DictCap: 1 << 16, BufSize: 1 << 12}.NewWriter(&out)
			if err != nil {
				return nil, err
			}
			if err := finish(z, part); err != nil {
				return nil, err
			}
		default:
			out.Write(part)
		}
	}
	return out.Bytes(), nil
}

func finish(w io.WriteCloser, b []byte) error {
	if _, err := w.Write(b); err != nil {
		return err
	}
	return w.Close()
}
