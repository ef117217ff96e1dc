package configs

import "testing"

func TestTimeZoneThatIsMeant(t *testing.T) {
	for word, want := range map[string]string{
		"Europe/Berln": "Europe/Berlin", "europe/berlin": "Europe/Berlin", "Berlin": "Europe/Berlin",
		"new york": "America/New_York", "America/New York": "America/New_York", "Europe/erlin": "Europe/Berlin",
		"Asia/Tokio": "Asia/Tokyo", "Africa/Dar_es_Salam": "Africa/Dar_es_Salaam", "Erope/Paris": "Europe/Paris",
		"Middle_Earth/Shire": "", "PST": "", "Local": "", "../zoneinfo/UTC": "",
	} {
		if got := zoneLike(word); got != want {
			t.Errorf("%s: %q, not %q", word, got, want)
		}
	}
}
