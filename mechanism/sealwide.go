package mechanism

import (
	"math/big"

	"github.com/dprelease/dprelease/mechanism/internal/gauss"
)

// SealWide hides exact answers of 128 bits, (high[i]·2^64 + low[i])·unit in two's complement, and takes the slices over: the
// caller must not keep them. Noise loses none of their digits, also of those below the grid. ErrUnit where unit is not a power
// of two, ErrEmpty where there are no cells, ErrHalves where the slices differ in length.
func SealWide(unit float64, high []int64, low []uint64) (Exact, error) {
	u, err := gauss.Log2(unit)
	switch {
	case err != nil:
		return Exact{}, ErrUnit
	case len(high) == 0:
		return Exact{}, ErrEmpty
	case len(high) != len(low):
		return Exact{}, ErrHalves
	}
	s := &sealed{unit: u, size: len(high), cells: high, low: low}
	return Exact{open: func() *sealed { return s }}, nil
}

// takeLow takes the low halves out, after take; nil: there are none.
func (s *sealed) takeLow() []uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	low := s.low
	s.low = nil
	return low
}

// peekWide copies the cells, for tests.
func (s *sealed) peekWide() ([]*big.Int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cells == nil {
		return nil, ErrSpent
	}
	out := make([]*big.Int, len(s.cells))
	for i, x := range s.cells {
		out[i] = big.NewInt(x)
		if s.low != nil {
			out[i].Lsh(out[i], 64).Or(out[i], new(big.Int).SetUint64(s.low[i]))
		}
	}
	return out, nil
}
