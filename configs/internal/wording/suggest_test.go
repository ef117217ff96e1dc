package wording

import "testing"

func TestSuggestions(t *testing.T) {
	known := []string{"epsilon", "delta", "unit", "adjacency", "per_unit"}
	for word, want := range map[string]string{
		"epsilom": "epsilon", "eps": "epsilon", "detla": "delta", "units": "unit", "perUnit": "per_unit", "per-unit": "per_unit",
		"Adjacency": "adjacency", "banana": "", "": "", "e": "",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("%q: %q, not %q", word, got, want)
		}
	}
}
