package configs

import (
	"strings"

	"github.com/dprelease/dprelease/internal/spelling"
)

// maxWord is the longest word that is compared; longer ones are no slips of the pen.
const maxWord = 48

// nearest returns the candidate that a mistyped word was most likely meant to be, "" if none is near.
func nearest(word string, candidates []string) string {
	w := normal(word)
	if w == "" || len(w) > maxWord {
		return ""
	}
	best, least := "", max(1, len(w)/3)+1
	for _, c := range candidates {
		if d := slip(w, normal(c)); d < least {
			best, least = c, d
		}
	}
	return best
}

func normal(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", "_") }

// slip is the edit distance of two words; a beginning of at least three letters counts as one edit, as eps for epsilon.
func slip(a, b string) int {
	if len(a) >= 3 && strings.HasPrefix(b, a) || len(b) >= 3 && strings.HasPrefix(a, b) {
		return min(1, len(a)+len(b)-2*min(len(a), len(b)))
	}
	return spelling.Distance(a, b)
}

// didYouMean is the hint for a word that is not known: the candidate that is meant, else all of them.
func didYouMean(word string, candidates []string) string {
	if c := meant(word, candidates); c != "" {
		return "did you mean " + quote(c) + "?"
	}
	return "known: " + strings.Join(candidates, ", ")
}
