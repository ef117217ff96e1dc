package mechanism

import (
	"sync"

	"github.com/dprelease/dprelease/mechanism/int128"
	"github.com/dprelease/dprelease/mechanism/internal/gauss"
)

// Exact is a private vector: one integer a cell, in units of a public power of two. Copies share the cells, which can be
// noised once. The payload hides in a closure: formatters that ignore methods, and reflection, find a function there.
type Exact struct {
	open  func() *sealed
	keyed func() *keyed // of SealKeyed, instead of open
}

// sealed is an Exact's payload, which is there until it is taken to be noised.
type sealed struct {
	unit int // binary logarithm
	size int

	mu       sync.Mutex
	held     *payload
	compared bool // never to be noised
}

// Seal hides cells, exact answers in multiples of unit, and takes the slice over: the caller must not keep it. ErrUnit
// if unit is not a power of two, ErrEmpty if there are no cells.
func Seal(unit float64, cells []int64) (Exact, error) {
	return seal(unit, len(cells), &payload{cells: int128.Narrow(cells)})
}

func seal(unit float64, size int, p *payload) (Exact, error) {
	u, err := gauss.Log2(unit)
	switch {
	case err != nil:
		return Exact{}, ErrUnit
	case size < 1:
		return Exact{}, ErrEmpty
	}
	s := &sealed{unit: u, size: size, held: p}
	return Exact{open: func() *sealed { return s }}, nil
}

// Cells returns the number of cells, which is public: the domain's size. The zero Exact has none.
func (e Exact) Cells() int {
	if e.open == nil {
		return 0
	}
	return e.open().size
}

// take takes the payload out, once.
func (s *sealed) take() (*payload, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil || s.compared {
		return nil, ErrSpent
	}
	p := s.held
	s.held = nil
	return p, nil
}

// putBack undoes take if nothing was drawn.
func (s *sealed) putBack(p *payload) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = p
}
