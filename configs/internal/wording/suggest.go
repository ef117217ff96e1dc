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

// Normal returns a word in lower case with underscores in place of hyphens, as the tables of words have it.
func Normal(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", "_") }

// slip returns the edit distance of two words. If one word has at least three letters and begins the other, such as eps
// for epsilon, the distance is 1.
func slip(a, b string) int {
	if len(a) >= 3 && strings.HasPrefix(b, a) || len(b) >= 3 && strings.HasPrefix(a, b) {
		return min(1, len(a)+len(b)-2*min(len(a), len(b)))
	}
	return spelling.Distance(a, b)
}
