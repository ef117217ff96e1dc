package mechanism

import "github.com/dprelease/dprelease/mechanism/int128"

// SealWide hides exact answers of 128 bits, which are multiples of quantum. It takes the slice over: the caller must not
// keep it. Noise uses all digits of the answers, even those below the grid.
//
// Errors: ErrQuantum if quantum is not a power of two, ErrEmpty if there are no cells, ErrHalves if the numbers of high and
// low halves differ.
func SealWide(quantum float64, cells int128.Slice) (Exact, error) {
	if len(cells.High) != len(cells.Low) {
		return Exact{}, ErrHalves
	}
	return seal(quantum, cells.Len(), &payload{cells: cells})
}
