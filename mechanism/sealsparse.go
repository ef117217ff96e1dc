package mechanism

import "github.com/dprelease/dprelease/mechanism/int128"

// Sparse are the exact answers of very many cells, most of which are 0.
type Sparse struct {
	// Cells is the number of all cells: the public domain's size. Each of them gets noise.
	Cells int
	// At are the cells whose answers follow, each once, in ascending order. Which these are is private.
	At []int
	// Answers are theirs, of 64 or 128 bits.
	Answers int128.Slice
}

// SealSparse hides exact answers in multiples of unit and takes the slices over: the caller must not keep them. Noise treats
// the value as [Seal] or [SealWide] of all its cells would have made it, without holding them all. ErrUnit if unit is not a
// power of two, ErrEmpty if there are no cells, ErrHalves if the slices differ in length, ErrPlaces if the places are
// not ascending or not below Cells.
func SealSparse(unit float64, s Sparse) (Exact, error) {
	if x := s.Answers; x.Len() != len(s.At) || x.Low != nil && len(x.Low) != len(s.At) {
		return Exact{}, ErrHalves
	}
	for i, c := range s.At {
		if c < 0 || c >= s.Cells || i > 0 && c <= s.At[i-1] {
			return Exact{}, ErrPlaces
		}
	}
	p := &payload{cells: s.Answers, at: s.At}
	if p.at == nil {
		p.at = []int{} // no answers, not those of all cells
	}
	return seal(unit, s.Cells, p)
}
