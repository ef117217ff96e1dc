// Package wording holds the words of diagnostics: how they quote a text, and what a mistyped or foreign word probably
// means.
package wording

import (
	"strings"

	"github.com/dprelease/dprelease/internal/spelling"
)

// maxWord is the longest word that is compared. Longer words are not typing errors.
const maxWord = 48

// Nearest returns the candidate that is closest to a mistyped word. It returns "" if none is close.
func Nearest(word string, candidates []string) string {
	w := Normal(word)
	if w == "" || len(w) > maxWord {
		return ""
	}
	best, least := "", max(1, len(w)/3)+1
	for _, c := range candidates {
		if d := slip(w, Normal(c)); d < least {
			best, least = c, d
		}
	}
	return best
}

// Normal writes a word as the tables have it: in small letters and with underscores.
func Normal(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", "_") }

// slip returns the edit distance of two words. A word that is the beginning of the other counts as one edit if it has
// at least three letters, such as eps for epsilon.
func slip(a, b string) int {
	if len(a) >= 3 && strings.HasPrefix(b, a) || len(b) >= 3 && strings.HasPrefix(a, b) {
		return min(1, len(a)+len(b)-2*min(len(a), len(b)))
	}
	return spelling.Distance(a, b)
}
