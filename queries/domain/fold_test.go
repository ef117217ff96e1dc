package domain_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/queries/domain"
)

func TestFold(t *testing.T) {
	all := domain.Fold{Case: true, Space: true, Accents: true}
	for _, c := range []struct {
		fold       domain.Fold
		text, want string
	}{
		{domain.Fold{}, " Café  SÜD ", " Café  SÜD "},
		{domain.Fold{Case: true}, " Café SÜD", " café süd"},
		{domain.Fold{Space: true}, " \tCafé \u00a0 SÜD\r\n", "Café SÜD"},
		{domain.Fold{Accents: true}, "Café SÜD Ångström ñ", "Cafe SUD Angstrom n"},
		{domain.Fold{Accents: true}, "Cafe\u0301", "Cafe"},
		{all, "  CAFÉ   süd ", "cafe sud"},
		{all, "\xff\xfe A", "\xff\xfe a"},
		{all, "", ""},
		{all, " ", ""},
		{domain.Fold{Case: true}, "Σίσυφος", "σίσυφοσ"},
	} {
		if got := c.fold.Text(c.text); got != c.want {
			t.Errorf("%+v of %q: %q, want %q", c.fold, c.text, got, c.want)
		}
	}
}

// Folding twice gives the same text as folding once.
func TestFoldTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := domain.Fold{Case: rapid.Bool().Draw(t, "case"), Space: rapid.Bool().Draw(t, "space"),
			Accents: rapid.Bool().Draw(t, "accents")}
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		if once := f.Text(text); f.Text(once) != once {
			t.Fatalf("%+v of %q: %q, then %q", f, text, once, f.Text(once))
		}
	})
}
