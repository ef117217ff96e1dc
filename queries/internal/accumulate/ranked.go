package accumulate

import (
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/internal/state"
)

// Answers for a max_rows that is discovered
//
// The bound on the rows of a unit is chosen from a noisy histogram of rows per unit, after all rows are read. A step is
// a bound that can be chosen, for example 1, 2 or 5. Each step has a partial, with the rows that this bound keeps and
// the next smaller bound drops; [bounding.Ranked] passes them on. The answer under a bound is the sum of the partials
// up to its step. The histogram counts, for each step, the units for which it is the smallest bound that keeps all
// rows.

// Ranked holds a partial for each step.
type Ranked struct {
	steps    []int64        // the bounds that can be chosen, ascending
	newOne   func() Partial // returns an empty partial
	partials []Partial      // by step; nil for a step without rows, except the first step
	units    []int64        // the histogram, by step
}

// NewRanked returns totals without rows. steps are the bounds that can be chosen, ascending; newOne returns an empty
// partial.
func NewRanked(steps []int64, newOne func() Partial) *Ranked {
	a := &Ranked{steps: steps, newOne: newOne, partials: make([]Partial, len(steps)), units: make([]int64, len(steps))}
	a.partials[0] = newOne()
	return a
}

// errRanks means a bug in this program: a bound on the rows of a unit is to be chosen although each row is a unit.
var errRanks = errors.New("queries: the bound on rows is discovered, and each row is a unit")

// AddRows returns an error: rows are added without their units only if each row is a unit, and then no bound is
// discovered.
func (a *Ranked) AddRows(*table.Batch) error { return errRanks }

// WriteRows implements [Partial].
func (a *Ranked) WriteRows(b *table.Batch, to bounding.Writer) error {
	return a.partials[0].WriteRows(b, to)
}

// ByRank returns the functions that add kept rows to the partial of their step.
func (a *Ranked) ByRank() *bounding.Ranked {
	add := make([]func(content []byte, rows uint64), len(a.steps))
	return &bounding.Ranked{
		Steps: a.steps,
		Keep: func(step int, content []byte, rows uint64) {
			if add[step] == nil {
				add[step] = a.at(step).AddRecords()
			}
			add[step](content, rows)
		},
		Units: func(step int, units int64) { a.units[step] += units },
	}
}

// at returns the partial of a step. It makes an empty partial if there is none.
func (a *Ranked) at(step int) Partial {
	if a.partials[step] == nil {
		a.partials[step] = a.newOne()
	}
	return a.partials[step]
}

// AddRecords returns a function that adds rows whose rank is unknown: they count only under the largest bound.
func (a *Ranked) AddRecords() func(content []byte, rows uint64) {
	return a.at(len(a.steps) - 1).AddRecords()
}

// Merge implements [Partial].
func (a *Ranked) Merge(other Partial) error {
	o, ok := other.(*Ranked)
	if !ok || !slices.Equal(a.steps, o.steps) {
		return bounding.ErrMerge
	}
	for step, theirs := range o.partials {
		a.units[step] += o.units[step]
		switch {
		case theirs == nil:
		case a.partials[step] == nil:
			a.partials[step] = theirs
		default:
			if err := a.partials[step].Merge(theirs); err != nil {
				return err
			}
		}
	}
	clear(o.partials)
	return nil
}

// Totals implements [Partial].
func (a *Ranked) Totals() Totals { return Totals{Ranked: a} }

// Hide returns the exact answers: one for each of the query's vectors (for example sums and row counts), then the
// histogram. A bound must be chosen before a vector gets noise. hide turns the totals under one bound into the vectors.
func (a *Ranked) Hide(vectors int, hide func(Totals) ([]mechanism.Exact, error)) ([]mechanism.Exact, error) {
	var exacts []mechanism.Exact
	c := &rankedChoice{steps: a.steps, partials: a.partials, hide: hide}
	for vector := range vectors {
		state := c.write
		if vector > 0 { // the bytes of the first vector cover all vectors
			state = func(io.Writer) error { return nil }
		}
		exacts = append(exacts, mechanism.HideChoice(func(r mechanism.Range) (mechanism.Exact,
			error) {
			return c.within(r, vector)
		}, state))
	}
	histogram, err := HideCounts(a.units)
	if err != nil {
		return nil, err
	}
	return append(exacts, histogram...), nil
}

// HideLongest returns, as an exact answer, the number of units that need the largest bound to keep all their rows.
func (a *Ranked) HideLongest() ([]mechanism.Exact, error) {
	return HideCounts(a.units[len(a.units)-1:])
}

// rankedChoice holds the partials until a bound is chosen, then the answers under this bound.
type rankedChoice struct {
	mutex    sync.Mutex
	steps    []int64
	partials []Partial // nil after a bound was chosen
	hide     func(Totals) ([]mechanism.Exact, error)
	chosen   int64             // the chosen bound
	hidden   []mechanism.Exact // the answer for each vector under the chosen bound
	err      error
}

// errSteps and errBounds are bugs of this program: the caller breaks a rule, which the message states.
var (
	errSteps  = errors.New("the bound that is chosen is one of the steps of the histogram")
	errBounds = errors.New("all vectors of a query have the same bound")
)

// within returns one vector of the answer under the bound r.High. The first call fixes the bound for all vectors.
func (c *rankedChoice) within(r mechanism.Range, vector int) (mechanism.Exact, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	last, found := slices.BinarySearch(c.steps, r.High)
	switch {
	case r.Low != 1 || !found:
		return mechanism.Exact{}, errSteps
	case c.partials == nil && c.chosen != r.High:
		return mechanism.Exact{}, errBounds
	case c.partials != nil:
		partials := c.partials[:last+1]
		c.chosen, c.partials = r.High, nil
		c.hidden, c.err = c.hideTogether(partials)
	}
	if c.err != nil {
		return mechanism.Exact{}, c.err
	}
	return c.hidden[vector], nil
}

// write writes the totals of all steps for a fingerprint (see content.go).
func (c *rankedChoice) write(to io.Writer) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	w := &contentWriter{to: to}
	for step, partial := range c.partials {
		if partial != nil {
			w.words(uint64(step))
			w.partial(partial)
		}
	}
	return w.err
}

// hideTogether merges partials and returns their totals as exact answers. The first partial must not be nil.
func (c *rankedChoice) hideTogether(partials []Partial) ([]mechanism.Exact, error) {
	for _, other := range partials[1:] {
		if other != nil {
			if err := partials[0].Merge(other); err != nil {
				return nil, err
			}
		}
	}
	return c.hide(partials[0].Totals())
}

// SaveState implements [Partial].
func (a *Ranked) SaveState(w *state.Writer) {
	w.Int64s(a.units)
	for _, partial := range a.partials {
		if partial == nil {
			w.Uint(0)
			continue
		}
		w.Uint(1)
		partial.SaveState(w)
	}
}

// LoadState implements [Partial].
func (a *Ranked) LoadState(r *state.Reader) error {
	loadRows(r, a.units)
	for step := range a.partials {
		switch r.Uint() {
		case 0:
		case 1:
			if err := a.at(step).LoadState(r); err != nil {
				return err
			}
		default:
			return r.Fail()
		}
	}
	return r.Err()
}

// Content implements [Partial].
func (a *Ranked) Content() []bounding.Field { return a.partials[0].Content() }
