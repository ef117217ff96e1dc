package keyselection

import (
	"encoding/binary"
	"errors"
	"unicode/utf8"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// How a value is encoded in a key
//
// The first byte is the kind of the value. If the kind is timestamp, one byte follows, which is 1 for instants, and
// eight bytes with the time unit in nanoseconds. Then comes the value. A text is its bytes, with 255 after each byte 0,
// then two bytes 0. Any other value has eight bytes, big-endian, whose order is the order of the values.

// MaxKeyBytes is the largest length in bytes of a text in a key. A row with a longer text, or with a text that is not
// UTF-8, has no key and is dropped.
const MaxKeyBytes = 1024

// errKey is a bug of this program: bytes that it saved are not a valid key.
var errKey = errors.New("queries: a key cannot be read")

func hasKeys(t table.Type) bool { return t.Kind != table.Float && columnar.HasCanonicalForm(t) }

// encoder encodes values of one type for keys.
type encoder struct {
	kind   table.Type
	fold   domain.Fold
	buf    []byte // the last encoded value
	folded []byte // working memory: the text after fold
}

// ofValue returns the encoding of value i of v, valid until the next call. ok is false if the value cannot be in a key.
func (c *encoder) ofValue(v table.Values, i int) (encoded []byte, ok bool) {
	c.buf = appendPrefix(c.buf[:0], &c.kind)
	switch c.kind.Kind {
	case table.String:
		text := v.Bytes(i)
		if c.fold.Any() {
			c.folded = c.fold.Append(c.folded[:0], text)
			text = c.folded
		}
		if !isKey(text) {
			return nil, false
		}
		c.buf = appendText(c.buf, text)
	case table.Uint:
		c.buf = binary.BigEndian.AppendUint64(c.buf, uint64(v.Ints[i]))
	default:
		c.buf = appendNumber(c.buf, v.Ints[i])
	}
	return c.buf, true
}

// appendPrefix appends the bytes of an encoded value before the value itself, which depend only on the type.
func appendPrefix(form []byte, t *table.Type) []byte {
	form = append(form, byte(t.Kind))
	if t.Kind != table.Timestamp {
		return form
	}
	instant := byte(0)
	if t.Zone == table.UTC {
		instant = 1
	}
	return binary.BigEndian.AppendUint64(append(form, instant), uint64(t.Unit))
}

// appendNumber appends a number in eight bytes whose order is the order of numbers.
func appendNumber(form []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(form, uint64(n)^1<<63)
}

func isKey(text []byte) bool { return len(text) <= MaxKeyBytes && utf8.Valid(text) }

func appendText(form, text []byte) []byte {
	for _, b := range text {
		if form = append(form, b); b == 0 {
			form = append(form, 0xff)
		}
	}
	return append(form, 0, 0)
}

// cutLabel decodes the value at the front of a key. It returns the value as a text, and the rest of the key.
func cutLabel(key string) (text, rest string, err error) {
	if len(key) < 9 && (key == "" || table.Kind(key[0]) != table.String) {
		return "", "", errKey
	}
	t := table.Type{Kind: table.Kind(key[0])}
	key = key[1:]
	switch t.Kind {
	case table.String:
		return cutText(key)
	case table.Timestamp:
		if len(key) < 17 {
			return "", "", errKey
		}
		if t.Zone = table.Local; key[0] == 1 {
			t.Zone = table.UTC
		}
		t.Unit, key = int64(binary.BigEndian.Uint64([]byte(key[1:9]))), key[9:]
	}
	word := binary.BigEndian.Uint64([]byte(key[:8]))
	if t.Kind != table.Uint {
		word ^= 1 << 63
	}
	return string(columnar.AppendWord(nil, word, t)), key[8:], nil
}

func cutText(key string) (text, rest string, err error) {
	var b []byte
	for i := 0; i+1 < len(key); i++ {
		switch {
		case key[i] != 0:
			b = append(b, key[i])
		case key[i+1] == 0:
			return string(b), key[i+2:], nil
		default:
			b = append(b, 0)
			i++
		}
	}
	return "", "", errKey
}

// Checker maps values that can be in a key to the code 0, and other values to NoKey.
type Checker struct {
	encoder
	NoKey int32
}

// NewChecker returns a Checker for values of a type.
func NewChecker(kind table.Type, noKey int32) *Checker { return &Checker{encoder{kind: kind}, noKey} }

// Codes sets dst[i] to the code of value from+i of v.
func (c *Checker) Codes(v table.Values, from int, dst []int32) {
	for i := range dst {
		dst[i] = 0
		if _, ok := c.ofValue(v, from+i); !ok {
			dst[i] = c.NoKey
		}
	}
}
