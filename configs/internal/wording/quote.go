package wording

import (
	"strconv"
	"strings"
)

// Quote returns a text of the job for a message, on one line and not too long.
func Quote(s string) string { return strconv.Quote(Short(s, 60)) }

// Short cuts a text after limit characters, and marks the cut with "…".
func Short(s string, limit int) string {
	n := 0
	for i := range s {
		if n++; n > limit {
			return s[:i] + "…"
		}
	}
	return s
}

// Join returns words as a list in a sentence: a, b and c.
func Join(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
