package mechanism

import (
	"errors"
	"io"
)

// Exact answers that depend on a public choice
//
// A clamp (a value range) can be chosen from noisy values that are released first. The rows are read only once, so
// totals from which the sums under every possible clamp follow are computed in that pass. They stay hidden until the
// choice is made: an Exact that [HideChoice] made has no cells, and [Exact.Choose] turns it into one that has the sums
// under the chosen clamp. Only one choice can be made, so that no row gets noise twice.

// HideChoice hides exact answers that depend on a public choice. answersFor returns the answers for a choice; its
// errors depend on the choice, never on the answers. state writes the data from which all answers follow, always as the
// same bytes; [Fingerprint] hashes them. state is called only before the choice is made, if at all.
func HideChoice(answersFor func(Range) (Exact, error), state func(io.Writer) error) Exact {
	c := &choice{make: answersFor, state: state}
	return Exact{choice: func() *choice { return c }}
}

// Choose returns the exact answers for the choice r, which must depend only on public values, and drops all others.
// Errors: ErrChoice if HideChoice did not make e; ErrSpent if a choice was made before; an error of the function
// answersFor that HideChoice got, after which another choice can be made.
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
