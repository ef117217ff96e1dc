package denoise

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// A step that treats each cell separately gives the same result and notes for any division into blocks.
func TestBlocksAreTheWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	y := make([]float64, 1000)
	for i := range y {
		y[i] = 5 * r.NormFloat64()
	}
	tried := 0
	for _, m := range Methods() {
		for _, args := range []Args{nil, {"threshold": "3.5"}, {"threshold": "universal"}, {"threshold": "sure"}} {
			s, err := New(m.Name, args)
			if err != nil {
				continue
			}
			if !s.CellByCell() {
				if _, _, err := s.Blockwise(t.Context(), len(y), 2); !isCode(err, CodeTooLarge) {
					t.Errorf("%s %v by blocks: %v", m.Name, args, err)
				}
				continue
			}
			tried++
			whole, err := s.Estimate(t.Context(), y, 2)
			if err != nil {
				t.Fatal(err)
			}
			var got []float64
			replace, notes, err := s.Blockwise(t.Context(), len(y), 2)
			if err != nil || !slices.Equal(notes, whole.Notes) {
				t.Fatalf("%s %v: notes %v, %v; want %v", m.Name, args, notes, err, whole.Notes)
			}
			for block := range slices.Chunk(slices.Clone(y), 137) {
				replace(block)
				got = append(got, block...)
			}
			if !slices.Equal(got, whole.X) {
				t.Errorf("%s %v: blocks differ from the whole", m.Name, args)
			}
		}
	}
	if tried != 8 {
		t.Errorf("%d steps tried", tried)
	}
}

func isCode(err error, code string) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}
