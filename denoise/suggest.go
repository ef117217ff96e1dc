package denoise

import (
	"strings"

	"github.com/dprelease/dprelease/internal/spelling"
)

// suggest returns a hint about a misspelled word: the known word that is closest to it, or all known words if none is
// close.
func suggest(word string, known []string) string {
	if len(known) == 0 {
		return "it takes none"
	}
	best, least := "", len(word)/3+2
	for _, k := range known {
		if d := spelling.Distance(strings.ToLower(word), k); d < least {
			best, least = k, d
		}
	}
	if best != "" {
		return "did you mean " + best + "?"
	}
	return "known: " + strings.Join(known, ", ")
}
