package intern

import (
	"testing"

	"pgregory.net/rapid"
)

// Texts of all lengths, many of them similar, have the same codes as in a map.
func TestTextCodes(t *testing.T) {
	text := rapid.StringMatching("[ab\x00]{0,3}(0123456789){0,3}[ab\x00]{0,3}")
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]int32{}
		set := rapid.SliceOfN(text, 0, 40).Draw(t, "texts")
		codes := NewTextCodes(len(set))
		for i, s := range set {
			codes.Set(s, int32(i))
			want[s] = int32(i)
		}
		for _, s := range append(set, rapid.SliceOfN(text, 0, 40).Draw(t, "others")...) {
			code, ok := want[s]
			if !ok {
				code = None
			}
			if got := codes.Of([]byte(s), None); got != code {
				t.Fatalf("%q: got %d, want %d", s, got, code)
			}
		}
	})
}
