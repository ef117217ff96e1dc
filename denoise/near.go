package denoise

import "strings"

// suggest names the known word that the user most likely meant, or lists all of them.
func suggest(word string, known []string) string {
	if len(known) == 0 {
		return "it takes none"
	}
	best, least := "", len(word)/3+2
	for _, k := range known {
		if d := editDistance(strings.ToLower(word), k); d < least {
			best, least = k, d
		}
	}
	if best != "" {
		return "did you mean " + best + "?"
	}
	return "known: " + strings.Join(known, ", ")
}

// editDistance counts the insertions, deletions and substitutions that turn a into b (Levenshtein 1966), in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substituted := diagonal
			if a[i] != b[j] {
				substituted++
			}
			diagonal = row[j+1]
			row[j+1] = min(substituted, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
