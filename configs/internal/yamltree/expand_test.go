package yamltree

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAnyTextCanBeWrittenLiterally(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a${}: ]{0,12}`).Draw(t, "text")
		ps, ok := Pieces(strings.ReplaceAll(text, "${", "$${"))
		if !ok || len(ps) != 1 || ps[0].Ref || ps[0].Text != text {
			t.Fatalf("%q became %v", text, ps)
		}
	})
}
