// Package wiretest looks for texts in what was captured.
package wiretest

import (
	"bytes"
	"encoding/base64"
)

// Find returns whether a text is in one of the messages: as it is, or in base64 at any place, once or twice, as Beam
// writes what functions hold.
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

// coded returns what all base64 of a text has, whatever is around the text.
func coded(text []byte) (forms [][]byte) {
	for skip := range 3 { // the bytes before the text in its group of three
		all := base64.StdEncoding.EncodeToString(append(make([]byte, skip), text...))
		whole := (skip + len(text)) / 3 * 4 // what does not depend on the bytes behind the text
		if first := (skip*4 + 2) / 3; first < whole {
			forms = append(forms, []byte(all[first:whole]))
		}
	}
	return forms
}
