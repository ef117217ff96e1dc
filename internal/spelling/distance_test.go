package spelling_test

import (
	"testing"

	"github.com/dprelease/dprelease/internal/spelling"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"ab", "ba",
			1}, {"values", "valuse", 1},
		{"für", "fur", 1}, {"ca", "abc", 3},
	} {
		if got, back := spelling.Distance(c.a, c.b), spelling.Distance(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("%s, %s: %d and %d, not %d", c.a, c.b, got, back, c.want)
		}
	}
}
