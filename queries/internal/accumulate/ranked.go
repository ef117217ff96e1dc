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
// a bound that can be chosen, for example 1, 2 or 5. Each step has a partial, which holds the rows that this bound
// keeps and the next smaller one drops ([bounding.Ranked] passes them on). The answer under a bound is the sum of the
// partials up to its step. The histogram counts, for each step, the units whose last kept row is in it.

// Ranked adds up rows by rank.
type Ranked struct {
	RankedOf
	partials []Partial // by step; nil for a step without rows, except the first
	units    []int64
}

// RankedOf describes totals by rank.
type RankedOf struct {
	// Steps are the bounds that can be chosen, ascending.
	Steps []int64
	// Make returns an empty partial.
	Make func() Partial
}

// NewRanked returns a partial without rows.
func NewRanked(of RankedOf) *Ranked {
	a := &Ranked{RankedOf: of, partials: make([]Partial, len(of.Steps)), units: make([]int64, len(of.Steps))}
	a.partials[0] = of.Make()
	return a
}

// errRanks is a bug of this program: the rows have no rank, because each row is a unit.
var errRanks = errors.New("queries: the bound on rows is discovered, and each row is a unit")

// AddRows returns an error: if each row is a unit, there is no bound on rows to discover.
func (a *Ranked) AddRows(*table.Batch) error { return errRanks }

// WriteRows writes the rows to a store, as under a fixed bound.
func (a *Ranked) WriteRows(b *table.Batch, to bounding.Writer) error {
	return a.partials[0].WriteRows(b, to)
}

// ByRank returns the functions that receive kept rows by rank.
func (a *Ranked) ByRank() *bounding.Ranked {
	add := make([]func(content []byte, rows uint64), len(a.Steps))
	return &bounding.Ranked{
		Steps: a.Steps,
		Keep: func(step int, content []byte, rows uint64) {
			if add[step] == nil {
				add[step] = a.at(step).AddRecords()
			}
			add[step](content, rows)
		},
		Units: func(step int, units int64) { a.units[step] += units },
	}
}

// at returns the partial of a step.
func (a *Ranked) at(step int) Partial {
	if a.partials[step] == nil {
		a.partials[step] = a.Make()
	}
	return a.partials[step]
}

// AddRecords returns a function that adds rows without a known rank. Only the largest bound keeps them.
func (a *Ranked) AddRecords() func(content []byte, rows uint64) {
	return a.at(len(a.Steps) - 1).AddRecords()
}

// Merge adds the rows and units of another Ranked, and empties it.
func (a *Ranked) Merge(other Partial) error {
	o, ok := other.(*Ranked)
	if !ok || !slices.Equal(a.Steps, o.Steps) {
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

// Totals returns the partials of all steps.
func (a *Ranked) Totals() (Totals, error) { return Totals{Ranked: a}, nil }

// Hide returns the exact answers, one for each of the query's vectors, and then the histogram. A bound must be chosen
// before an answer gets noise. hide turns the totals under one bound into as many answers as vectors says.
func (a *Ranked) Hide(vectors int, hide func(Totals) ([]mechanism.Exact, error)) ([]mechanism.Exact, error) {
	var exacts []mechanism.Exact
	c := &rankedChoice{steps: a.Steps, partials: a.partials, hide: hide}
	for vector := range vectors {
		state := c.write
		if vector > 0 { // the first vector has written the bytes of all vectors
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

// HideLongest returns as an exact answer the number of units whose last row is in the last step.
func (a *Ranked) HideLongest() ([]mechanism.Exact, error) {
	return HideCounts(a.units[len(a.units)-1:])
}

// rankedChoice holds the partials until a bound is chosen. All vectors of the query have the same bound.
type rankedChoice struct {
	mutex    sync.Mutex
	steps    []int64
	partials []Partial // nil after a bound was chosen
	hide     func(Totals) ([]mechanism.Exact, error)
	chosen   int64
	hidden   []mechanism.Exact
	err      error
}

// Bugs of this program in choosing a bound.
var (
	errSteps  = errors.New("the bound that is chosen is one of the steps of the histogram")
	errBounds = errors.New("all vectors of a query have the same bound")
)

// within returns one vector of the answer under the bound r.High. The first call fixes the bound.
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

// write writes the bytes of the partials, for the fingerprint of the totals.
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

// hideTogether adds up partials and returns their sum as exact answers. The first partial is not nil.
func (c *rankedChoice) hideTogether(partials []Partial) ([]mechanism.Exact, error) {
	for _, other := range partials[1:] {
		if other != nil {
			if err := partials[0].Merge(other); err != nil {
				return nil, err
			}
		}
	}
	t, err := partials[0].Totals()
	if err != nil {
		return nil, err
	}
	return c.hide(t)
}

// SaveState writes how many units end in each step, and the partials of the steps that have rows.
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

// LoadState adds the units and partials of a state.
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

// Content returns the fields of a row's content. They are the same under every bound.
func (a *Ranked) Content() []bounding.Field { return a.partials[0].Content() }

// ValidRecord reports whether WriteRows may have written this content.
func (a *Ranked) ValidRecord(content []byte) bool { return a.partials[0].ValidRecord(content) }
