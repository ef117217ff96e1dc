package mechanism

import (
	"errors"
	"io"
)

// Exact answers that depend on a public choice
//
// A clamp may be chosen from noisy values that are released first. What the sums are under each clamp is then known
// already, since there is one pass over the rows, and it stays hidden until the choice is made: an Exact that
// [SealChoice] made has no cells, and [Exact.Choose] turns it into one that has. Only one choice can be made, so that
// no row is noised twice.

// SealChoice hides exact answers of which there is one for each choice. Errors of of are about the choice, never about
// the answers. State writes what all answers follow from, the same bytes whenever these are the same, for a
// fingerprint; it is called before the choice is made, if at all.
func SealChoice(of func(Range) (Exact, error), state func(io.Writer) error) Exact {
	c := &choice{make: of, state: state}
	return Exact{choice: func() *choice { return c }}
}

// Choose returns the exact answers for a choice, which depends on public values only, and gives up all others. Errors:
// ErrChoice if SealChoice did not make e, ErrSpent if a choice was made before, and that of the choice, after which
// another can be made.
func (e Exact) Choose(r Range) (Exact, error) {
	if e.choice == nil {
		return Exact{}, ErrChoice
	}
	c := e.choice()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.make == nil {
		return Exact{}, ErrSpent
	}
	chosen, err := c.make(r)
	if err != nil {
		return Exact{}, errors.Join(ErrChoice, err)
	}
	c.make, c.state = nil, nil
	return chosen, nil
}
