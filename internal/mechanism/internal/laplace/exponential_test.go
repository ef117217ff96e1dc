package laplace

import (
	"errors"
	"slices"
	"testing"
)

var errScript = errors.New("the script is at its end")

// script is a source that returns these words and then an error.
type script struct{ words []uint64 }

func (s *script) Word() (uint64, error) {
	if len(s.words) == 0 {
		return 0, errScript
	}
	w := s.words[0]
	s.words = s.words[1:]
	return w, nil
}

// The words that a script returns are used in a fixed order: in each comparison, the new number is drawn before more
// digits of the older one.
func TestDraw(t *testing.T) {
	for what, c := range map[string]struct {
		words []uint64
		a     uint64
		u     uniform
	}{
		"rises at once":         {[]uint64{9, 5}, 0, uniform{5}},
		"falls once":            {[]uint64{5, 9, 7, 4, 3}, 1, uniform{3}},
		"falls twice":           {[]uint64{5, 9, 3, 4}, 0, uniform{9}},
		"two tries in vain":     {[]uint64{5, 9, 7, 0, ^uint64(0), 0, 1, 0, 1, 0}, 2, uniform{0}},
		"tie, then rises":       {[]uint64{5, 5, 2, 1}, 0, uniform{5, 1}},
		"tie twice, then falls": {[]uint64{5, 5, 8, 8, 1, 2, 5, 9, 9, 0}, 1, uniform{0}},
		"tie with the second":   {[]uint64{5, 9, 5, 1, 2, 6}, 0, uniform{9}},
	} {
		source := &script{slices.Clone(c.words)}
		e := exponential{source: source}
		a, err := e.draw()
		if err != nil || a != c.a || !slices.Equal(e.u, c.u) || len(source.words) != 0 {
			t.Errorf("%s: %d + %v, %v, %d words left; want %d + %v", what, a, e.u, err, len(source.words), c.a, c.u)
		}
		for n := range c.words { // if the source fails anywhere, draw returns the error
			e := exponential{source: &script{slices.Clone(c.words[:n])}}
			if _, err := e.draw(); !errors.Is(err, errScript) {
				t.Errorf("%s, %d words: %v", what, n, err)
			}
		}
	}
}
