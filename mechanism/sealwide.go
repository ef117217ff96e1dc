package mechanism

// SealWide hides exact answers of 128 bits, (high[i]·2^64 + low[i])·unit in two's complement, and takes the slices over: the
// caller must not keep them. Noise loses none of their digits, also of those below the grid. ErrUnit if unit is not a power
// of two, ErrEmpty if there are no cells, ErrHalves if the slices differ in length.
func SealWide(unit float64, high []int64, low []uint64) (Exact, error) {
	if len(high) != len(low) {
		return Exact{}, ErrHalves
	}
	return seal(unit, len(high), &payload{high: high, low: low})
}
