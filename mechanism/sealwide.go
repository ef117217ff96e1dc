package mechanism

import "github.com/dprelease/dprelease/mechanism/int128"

// SealWide hides exact answers of 128 bits, in multiples of unit, and takes the slice over: the caller must not keep it. Noise loses none of
// their digits, also of those below the grid. ErrUnit if unit is not a power of two, ErrEmpty if there are no cells, ErrHalves if the
// high and low halves are not equally many.
func SealWide(unit float64, cells int128.Slice) (Exact, error) {
	if len(cells.High) != len(cells.Low) {
		return Exact{}, ErrHalves
	}
	return seal(unit, cells.Len(), &payload{cells: cells})
}
