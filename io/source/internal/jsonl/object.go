package jsonl

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dprelease/dprelease/io/source/internal/scan"
)

// JSON objects without loss
//
// encoding/json replaces invalid UTF-8, and escapes of surrogates without a partner, by U+FFFD, so different strings
// become one. Here a string with invalid UTF-8 is null, since it is no JSON text, and such surrogates keep their
// numbers (scan.AppendWTF8). encoding/json still validates each line; the walk over a valid line does not validate
// again.

// member is a member of an object: its name, and its value as written.
type member struct {
	name []byte
	raw  []byte
}

// object appends to dst the members of a JSON object for whose names wanted returns true. If several members have one
// name, it keeps only the last one, to bound memory. The names of members use the memory of names. A member whose name
// is not valid text is omitted. raw is valid JSON or empty; ok is false if it is not an object.
func object(raw []byte, dst []member, names *[]byte, wanted func(name []byte) bool) (members []member, ok bool) {
	raw = bytes.TrimLeft(raw, space)
	if len(raw) == 0 || raw[0] != '{' {
		return dst, false
	}
	for at := 1; ; {
		at += spaces(raw[at:])
		switch raw[at] {
		case '}':
			return dst, true
		case ',':
			at++
			continue
		}
		n := valueLength(raw[at:])
		key := raw[at : at+n]
		at += n
		at += spaces(raw[at:]) + len(":")
		at += spaces(raw[at:])
		n = valueLength(raw[at:])
		from := len(*names)
		if text, ok := appendString(*names, key); ok && wanted(text[from:]) {
			value := raw[at : at+n]
			if i := index(dst, string(text[from:])); i >= 0 {
				dst[i].raw = value
			} else {
				*names = text
				dst = append(dst, member{text[from:len(text):len(text)], value})
			}
		}
		at += n
	}
}

// index returns the index of the member with a name, or -1 if there is none.
func index(members []member, name string) int {
	return slices.IndexFunc(members, func(m member) bool { return string(m.name) == name })
}

const space = " \t\r\n"

func spaces(b []byte) int { return len(b) - len(bytes.TrimLeft(b, space)) }

// valueLength returns the length of the JSON value at the start of b, which must be valid.
func valueLength(b []byte) int {
	depth := 0
	for i := 0; ; {
		switch b[i] {
		case '"':
			for i++; b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
			i++
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		default:
			i++
			if depth == 0 { // a number, true, false or null
				for i < len(b) && strings.IndexByte(",]} \t\r\n", b[i]) < 0 {
					i++
				}
			}
		}
		if depth == 0 {
			return i
		}
	}
}

// appendString appends the text of a valid JSON string to dst. ok is false if the string has bytes that are not UTF-8.
func appendString(dst, quoted []byte) (text []byte, ok bool) {
	b := quoted[1 : len(quoted)-1]
	if !utf8.Valid(b) {
		return dst, false
	}
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\\')
		if i < 0 {
			return append(dst, b...), true
		}
		dst = append(dst, b[:i]...)
		escape := b[i+1]
		b = b[i+2:]
		switch escape {
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			r := hex(b)
			b = b[4:]
			if len(b) >= 6 && b[0] == '\\' && b[1] == 'u' {
				if pair := utf16.DecodeRune(r, hex(b[2:])); pair != utf8.RuneError {
					r, b = pair, b[6:]
				}
			}
			dst = scan.AppendWTF8(dst, r)
		default: // a quote, a slash or a backslash
			dst = append(dst, escape)
		}
	}
	return dst, true
}

// hex returns the number that the first four characters of b are in hexadecimal.
func hex(b []byte) rune {
	n, _ := strconv.ParseUint(string(b[:4]), 16, 16) // the text was checked before
	return rune(n)
}
