package picture

import "testing"

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
