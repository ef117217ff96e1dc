package picture

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestVisualOrder(t *testing.T) {
	for text, want := range map[string]string{
		"Haifa 12":             "Haifa 12",
		"שלום":                 "םולש",
		"Haifa (חיפה)":         "Haifa (הפיח)",
		"חיפה (12) Haifa":      "Haifa (12) הפיח",
		"Haifa חיפה 12":        "Haifa 12 הפיח",
		"A חיפה 12.5% ב B":     "A ב 12.5% הפיח B",
		"שָׁלוֹם":              "םוֹלשָׁ",
		"12 בתים":              "םיתב 12",
		"👩\u200d🔬 and ☀\ufe0f": "👩🔬 and ☀",
		"":                     "",
	} {
		if got := visualOrder(text); got != want {
			t.Errorf("%+q is drawn as %+q, want %+q", text, got, want)
		}
	}
}

// No text of a job makes a picture fail, or loses a letter in it.
func TestVisualOrderKeepsLetters(t *testing.T) {
	letters := []rune("aB 12٣٤.,%-+()[]חיָ\u05b0عر\n\u2029é")
	sorted := func(text string) []rune { // a bracket may be turned round
		r := []rune(text)
		for i := range r {
			switch r[i] {
			case ')':
				r[i] = '('
			case ']':
				r[i] = '['
			}
		}
		slices.Sort(r)
		return r
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		text := make([]rune, r.IntN(12))
		for i := range text {
			text[i] = letters[r.IntN(len(letters))]
		}
		if got := visualOrder(string(text)); !slices.Equal(sorted(got), sorted(string(text))) {
			t.Fatalf("%+q is drawn as %+q", string(text), got)
		}
	}
}
