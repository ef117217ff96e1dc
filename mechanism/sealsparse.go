package mechanism

import "github.com/dprelease/dprelease/mechanism/int128"

// Sparse holds the exact answers of very many cells, most of which are 0.
type Sparse struct {
	// Cells is the number of all cells, which is the size of the public domain. Every cell gets noise.
	Cells int
	// At lists the cells that High and Low answer, each once, in ascending order. Which cells these are is private.
	At []int
	// Answers are the exact answers of these cells, of 64 or 128 bits.
	Answers int128.Slice
}

// SealSparse hides exact answers, which are multiples of quantum. It takes the slices over: the caller must not keep them.
// Noise treats the result as if [Seal] or [SealWide] had made it from all cells, without holding them all.
//
// Errors: ErrQuantum if quantum is not a power of two, ErrEmpty if there are no cells, ErrHalves if the numbers of answers,
// of their low halves and of their cells differ, ErrPlaces if At is not ascending or names a cell that does not exist.
func SealSparse(quantum float64, s Sparse) (Exact, error) {
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
		p.at = []int{} // nil would mean that there is an answer for every cell
	}
	return seal(quantum, s.Cells, p)
}
