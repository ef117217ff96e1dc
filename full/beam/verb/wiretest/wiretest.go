// Package wiretest searches captured messages for texts.
package wiretest

import (
	"bytes"
	"encoding/base64"
)

// Find reports whether one of the messages contains the text: plain, or in base64 at any offset, once or twice, as Beam
// encodes functions.
func Find(messages [][]byte, text []byte) bool {
	forms := [][]byte{text}
	for _, once := range coded(text) {
		forms = append(append(forms, once), coded(once)...)
	}
	for _, m := range messages {
		for _, f := range forms {
			if bytes.Contains(m, f) {
				return true
			}
		}
	}
	return false
}

// coded returns the characters of the text's base64 encoding that do not depend on the bytes around the text. There are
// three forms, since a group of base64 has three bytes.
func coded(text []byte) (forms [][]byte) {
	for skip := range 3 { // skip is the number of bytes before the text in its group of three bytes
		all := base64.StdEncoding.EncodeToString(append(make([]byte, skip), text...))
		whole := (skip + len(text)) / 3 * 4 // number of characters that do not depend on the bytes after the text
		if first := (skip*4 + 2) / 3; first < whole {
			forms = append(forms, []byte(all[first:whole]))
		}
	}
	return forms
}
