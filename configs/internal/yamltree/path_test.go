package yamltree

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

func TestPathsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p *Path
		type step struct {
			key   string
			index int
		}
		var want, got []step
		for range rapid.IntRange(0, 6).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "item") {
				i := rapid.IntRange(0, 1e6).Draw(t, "index")
				p, want = p.Item(i), append(want, step{"", i})
				continue
			}
			k := rapid.String().Draw(t, "key")
			p, want = p.At(k), append(want, step{k, -1})
		}
		for text := p.String(); text != ""; {
			key, index, rest, ok := nextStep(text)
			if !ok {
				t.Fatalf("cannot read %q of %q", text, p)
			}
			got, text = append(got, step{key, index}), rest
		}
		if fmt.Sprint(want) != fmt.Sprint(got) {
			t.Fatalf("%v was read as %v", want, got)
		}
	})
}
