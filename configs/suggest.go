package configs

import "strings"

// maxWord is the longest word that is compared; longer ones are no slips of the pen.
const maxWord = 48

// nearest returns the candidate that a mistyped word was most likely meant to be, "" where none is near.
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
	return distance([]rune(a), []rune(b))
}

// distance is the number of insertions, deletions, replacements and swaps of neighbours between two words.
func distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// didYouMean is the hint for a mistyped word: the nearest candidate, else all of them.
func didYouMean(word string, candidates []string) string {
	if c := nearest(word, candidates); c != "" {
		return "did you mean " + quote(c) + "?"
	}
	return "known: " + strings.Join(candidates, ", ")
}
