package sink

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// No text of a CSV table is a formula. Numbers stay numbers, and a program can restore every text.
func TestFormulasAreTexts(t *testing.T) {
	for text, want := range map[string]string{
		"=1+1": "'=1+1", "@SUM(A1)": "'@SUM(A1)", "+cmd|' /C calc'!A0": "'+cmd|' /C calc'!A0", "-2+3": "'-2+3", "\tx": "'\tx",
		"\r=1": "'\r=1", "'=": "''=", "-": "'-",
		"-5": "-5", "+3.5": "+3.5", "-1e-6": "-1e-6", "": "", "a=b": "a=b", " =1": " =1", "2013-01-01": "2013-01-01",
	} {
		if got := (CSVFormat{}).EscapeFormula(text); got != want {
			t.Errorf("%q is written as %q, want %q", text, got, want)
		}
	}
	if got := (CSVFormat{Raw: true}).EscapeFormula("=1+1"); got != "=1+1" {
		t.Errorf("raw, it is %q", got)
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`['=+@\t\r-]{1,3}[0-9a-z.]{0,4}`)).Draw(rt, "text")
		if back := strings.TrimPrefix((CSVFormat{}).EscapeFormula(text), "'"); back != text {
			rt.Errorf("%q comes back as %q", text, back)
		}
	})
}
