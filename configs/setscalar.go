package configs

import (
	"bytes"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

// WithEpsilon returns the text of a job file with another privacy.epsilon; all else stays as it is, byte for byte. ok is false if the file has no
// plain number there but a reference, an alias or quotes.
func WithEpsilon(src []byte, epsilon string) (out []byte, ok bool) {
	root, f := yamltree.ReadTree(src)
	if f != nil {
		return nil, false
	}
	_, privacy := yamltree.Child(root, "privacy", -1)
	_, value := yamltree.Child(privacy, "epsilon", -1)
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
	out = append(out, epsilon...)
	return append(out, line[len(value.Value):]...), true
}
