package configs

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAnyTextCanBeWrittenLiterally(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a${}: ]{0,12}`).Draw(t, "text")
		ps, ok := pieces(strings.ReplaceAll(text, "${", "$${"))
		if !ok || len(ps) != 1 || ps[0].ref || ps[0].text != text {
			t.Fatalf("%q became %v", text, ps)
		}
	})
}
