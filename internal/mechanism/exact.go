package mechanism

import (
	"io"
	"sync"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/internal/mechanism/internal/gauss"
)

// Exact is a private vector: one integer per cell, in multiples of a public power of two, the quantum. Copies share the
// cells, and the cells can be noised only once. The fields are closures: reflection, and formatters that ignore
// methods, find a function in them and no number.
type Exact struct {
	open  func() *hidden
	keyed func() *keyed // set instead of open if HideKeyed or HideKeyBlocks made the value
	// choice is set instead of open if HideChoice made the value.
	choice func() *choice
	// selected is set instead of open if HideForKeys made the value.
	selected func() *forKeys
}

// hidden holds the answers of an Exact until AddNoise takes them out.
type hidden struct {
	quantum int // the binary logarithm of the quantum
	size    int

	mu   sync.Mutex
	held *payload
}

// keyed holds the counts of an [Exact] that HideKeyed made. The keys and the number of keys are private too.
type keyed struct {
	keys   []string
	counts Exact // the zero Exact if there are no keys
	// form describes the counts. Keys with counts below its pre-threshold are already dropped, or are dropped when
	// blocks are read.
	form KeyCounts
	// blocks is set instead of keys and counts if these do not fit in memory.
	blocks KeyBlocks

	mu    sync.Mutex
	spent bool
}

// choice holds the answers of an [Exact] that HideChoice made, until one of them is chosen.
type choice struct {
	mu   sync.Mutex
	make func(Range) (Exact, error) // returns the answers for a choice; nil after the choice was made
	// state writes the data from which the answers follow; nil after the choice was made.
	state func(io.Writer) error
}

// Range is a choice of a clamp: the least and the greatest value, in quanta.
type Range struct{ Low, High int64 }

// forKeys holds the answers of an [Exact] that HideForKeys made, until the keys are selected.
type forKeys struct {
	mu      sync.Mutex
	answers KeyedAnswers // nil after ForKeys was called
	// leader holds the counts from which the keys are selected, if it drops keys below a pre-threshold; else nil.
	leader *keyed
}

// KeyedAnswers are exact answers by private keys.
type KeyedAnswers interface {
	// Of returns the exact answers of these keys, in their order. Each key has the same number of cells, at least one.
	// Errors must not depend on answers.
	Of(keys []string) (Exact, error)
	// All returns the answers of all keys or, if among is not nil, of the keys in among, in multiples of quantum. names
	// is ascending. It is for tests and fingerprints.
	All(among []string) (names []string, cells int128.Slice, quantum float64, err error)
}

// KeyBlocks calls take with keys and their counts, block by block, so that they need not fit in memory. A key is in one
// block only. take may change a block. An error ends the blocks, and reveals nothing about keys or counts.
type KeyBlocks func(take func(keys []string, counts []int64) error) error

// Hide hides exact answers, which are multiples of quantum. It takes the slice over: the caller must not keep it.
// Errors: ErrQuantum if quantum is not a power of two, ErrEmpty if there are no cells.
func Hide(quantum float64, cells []int64) (Exact, error) {
	return hide(quantum, len(cells), &payload{cells: int128.Narrow(cells)})
}

func hide(quantum float64, size int, p *payload) (Exact, error) {
	u, err := gauss.Log2(quantum)
	switch {
	case err != nil:
		return Exact{}, ErrQuantum
	case size < 1:
		return Exact{}, ErrEmpty
	}
	s := &hidden{quantum: u, size: size, held: p}
	return Exact{open: func() *hidden { return s }}, nil
}

// HideWide hides exact answers of 128 bits, which are multiples of quantum. It takes the slice over: the caller must
// not keep it. AddNoise uses all digits of the answers, even those below the grid.
//
// Errors: ErrQuantum if quantum is not a power of two, ErrEmpty if there are no cells, ErrHalves if the numbers of high
// and low halves differ.
func HideWide(quantum float64, cells int128.Slice) (Exact, error) {
	if len(cells.High) != len(cells.Low) {
		return Exact{}, ErrHalves
	}
	return hide(quantum, cells.Len(), &payload{cells: cells})
}

// Sparse holds the exact answers of a long vector most of whose cells are 0.
type Sparse struct {
	// Cells is the number of all cells: the size of the public domain. Every cell gets noise.
	Cells int
	// At lists the cells that have an item in Answers, each once, in ascending order. Which cells these are is private.
	At []int
	// Answers[i] is the exact answer of cell At[i], of 64 or 128 bits. All other cells are 0.
	Answers int128.Slice
}

// HideSparse hides exact answers, which are multiples of quantum. It takes the slices over: the caller must not keep
// them. With noise, the result has the same distribution as if [Hide] or [HideWide] had hidden all cells, but the cells
// are not held in memory.
//
// Errors: ErrQuantum if quantum is not a power of two, ErrEmpty if there are no cells, ErrHalves if the numbers of
// answers, of their low halves and of their cells differ, ErrPlaces if At is not ascending or names a cell that does
// not exist.
func HideSparse(quantum float64, s Sparse) (Exact, error) {
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
		p.at = []int{} // a nil slice would mean that every cell has an answer
	}
	return hide(quantum, s.Cells, p)
}

// Cells returns the number of cells, which is public. The zero Exact has none.
func (e Exact) Cells() int {
	if e.open == nil {
		return 0
	}
	return e.open().size
}

// takePayload returns the answers and removes them, so that a second call fails.
func (s *hidden) takePayload() (*payload, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		return nil, ErrSpent
	}
	p := s.held
	s.held = nil
	return p, nil
}

// putBack undoes takePayload. It is for a caller who has drawn no noise for the answers.
func (s *hidden) putBack(p *payload) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = p
}
