package yamltree

import (
	"bytes"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// WithScalar replaces the scalar to which keys lead from the root, and leaves the rest of the file unchanged byte for
// byte. ok is false if the value there is not a plain scalar: a reference, an alias or a quoted text.
func WithScalar(src []byte, scalar string, keys ...string) (out []byte, ok bool) {
	value, f := ReadTree(src)
	if f != nil {
		return nil, false
	}
	for _, key := range keys {
		_, value = Child(value, key, -1)
	}
	if value == nil || value.Kind != yaml.ScalarNode || value.Style != 0 {
		return nil, false
	}
	line := src
	for range value.Line - 1 {
		end := bytes.IndexByte(line, '\n')
		if end < 0 {
			return nil, false
		}
		line = line[end+1:]
	}
	for range value.Column - 1 { // columns count runes
		_, size := utf8.DecodeRune(line)
		line = line[size:]
	}
	if !bytes.HasPrefix(line, []byte(value.Value)) {
		return nil, false
	}
	at := len(src) - len(line)
	out = append(out, src[:at]...)
	out = append(out, scalar...)
	return append(out, line[len(value.Value):]...), true
}
