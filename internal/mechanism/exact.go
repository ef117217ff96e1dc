package mechanism

import (
	"io"
	"sync"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/internal/mechanism/internal/gauss"
)

// Exact is a private vector: one integer per cell, in multiples of a public power of two. Copies share the cells, and
// the cells can be noised only once. The fields are closures, so that reflection and formatters that ignore methods
// find a function and no number.
type Exact struct {
	open  func() *hidden
	keyed func() *keyed // set instead of open if HideKeyed made the value
	// choice is set instead of open if HideChoice made the value.
	choice func() *choice
	// selected is set instead of open if HideForKeys made the value.
	selected func() *forKeys
}

// hidden holds the payload of an Exact until it is taken out to be noised.
type hidden struct {
	quantum int // its binary logarithm
	size    int

	mu   sync.Mutex
	held *payload
}

// keyed is the payload of an [Exact] that HideKeyed made: its keys, and their number, are private too.
type keyed struct {
	keys   []string
	counts Exact // the zero Exact if there are no keys
	// of describes the counts. Keys with counts below its pre-threshold were left out, or will be when blocks are read.
	of KeyCounts
	// blocks is set instead of keys and counts if these do not fit in memory.
	blocks KeyBlocks

	mu    sync.Mutex
	spent bool
}

// choice is the payload of an [Exact] that HideChoice made: its answers are still to be chosen.
type choice struct {
	mu   sync.Mutex
	make func(Range) (Exact, error) // nil if the choice was made
	// state writes the data from which the answers follow; nil if the choice was made.
	state func(io.Writer) error
}

// Range is a choice: the least and the greatest value, in quanta.
type Range struct{ Low, High int64 }

// forKeys is the payload of an [Exact] that HideForKeys made: its answers wait for the keys that are still to be
// selected.
type forKeys struct {
	mu      sync.Mutex
	answers KeyedAnswers // nil if the keys were given
	// leader has the keys that may be selected if others were left out because of their counts; else nil.
	leader *keyed
}

// KeyedAnswers are exact answers by private keys.
type KeyedAnswers interface {
	// Of returns the exact answers of some keys, in their order, with the same number of cells for each key. There is
	// at least one cell if there is a key. Errors depend on no answer.
	Of(keys []string) (Exact, error)
	// All returns the held answers of every key or, if among is not nil, of these keys, in multiples of a quantum.
	// names is ascending. It is for tests.
	All(among []string) (names []string, cells int128.Slice, quantum float64, err error)
}

// KeyBlocks passes keys and their counts to take, block by block. The blocks share no key, and take may change a block.
// An error ends the blocks, and reveals nothing about keys or counts.
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

// Sparse holds the exact answers of very many cells, most of which are 0.
type Sparse struct {
	// Cells is the number of all cells, which is the size of the public domain. Every cell gets noise.
	Cells int
	// At lists the cells of Answers, each once, in ascending order. Which cells these are is private.
	At []int
	// Answers are the exact answers of these cells, of 64 or 128 bits.
	Answers int128.Slice
}

// HideSparse hides exact answers, which are multiples of quantum. It takes the slices over: the caller must not keep
// them. AddNoise treats the result as if [Hide] or [HideWide] had made it from all cells, without holding them all.
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
		p.at = []int{} // nil would mean that every cell has an answer
	}
	return hide(quantum, s.Cells, p)
}

// Cells returns the number of cells, which is public: the domain's size. The zero Exact has none.
func (e Exact) Cells() int {
	if e.open == nil {
		return 0
	}
	return e.open().size
}

// takePayload takes the payload out; it can do so once.
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

// putBack undoes takePayload; the caller has drawn nothing.
func (s *hidden) putBack(p *payload) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = p
}
