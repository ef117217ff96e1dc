package mechanism

import (
	"slices"
	"sync"

	"github.com/dprelease/dprelease/mechanism/internal/gauss"
)

// Exact is a private vector: one integer a cell, in units of a public power of two. Copies share the cells, which can be
// noised once. The payload hides in a closure: formatters that ignore methods, and reflection, find a function there.
type Exact struct{ open func() *sealed }

// sealed is an Exact's payload. cells is nil once they are taken to be noised.
type sealed struct {
	unit int // binary logarithm
	size int

	mu    sync.Mutex
	cells []int64
	low   []uint64 // of cells of 128 bits: their low halves; else nil
}

// Seal hides cells, exact answers in multiples of unit, and takes the slice over: the caller must not keep it. ErrUnit
// where unit is not a power of two, ErrEmpty where there are no cells.
func Seal(unit float64, cells []int64) (Exact, error) {
	u, err := gauss.Log2(unit)
	if err != nil {
		return Exact{}, ErrUnit
	}
	if len(cells) == 0 {
		return Exact{}, ErrEmpty
	}
	s := &sealed{unit: u, size: len(cells), cells: cells}
	return Exact{open: func() *sealed { return s }}, nil
}

// Cells returns the number of cells, which is public: the domain's size. The zero Exact has none.
func (e Exact) Cells() int {
	if e.open == nil {
		return 0
	}
	return e.open().size
}

// take takes the cells out, once.
func (s *sealed) take() ([]int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cells == nil {
		return nil, ErrSpent
	}
	cells := s.cells
	s.cells = nil
	return cells, nil
}

// putBack undoes take where nothing was drawn.
func (s *sealed) putBack(cells []int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cells = cells
}

// peek copies the cells, for tests.
func (s *sealed) peek() ([]int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.cells == nil:
		return nil, ErrSpent
	case s.low != nil:
		return nil, errWide
	}
	return slices.Clone(s.cells), nil
}
