package configs

import (
	"strconv"
	"strings"
)

// quote returns a text of the job for a message, on one line and not too long.
func quote(s string) string { return strconv.Quote(short(s, 60)) }

// short cuts a text after n characters.
func short(s string, most int) string {
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + "…"
		}
	}
	return s
}

// list joins words: a, b and c.
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
