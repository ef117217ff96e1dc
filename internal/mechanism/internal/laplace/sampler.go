package laplace

import (
	"errors"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/internal/mechanism/internal/gauss"
)

// ErrLift means that exact answers have binary digits below the grid, to which the geometric mechanism cannot add
// noise.
var ErrLift = errors.New("exact answers below the grid")

// signed draws exponential numbers and fair signs.
type signed struct {
	exponential
	signs uint64
	left  int // number of drawn signs that are not used yet
}

// negative draws a fair sign: true is minus.
func (d *signed) negative() (bool, error) {
	if d.left == 0 {
		w, err := d.source.Word()
		if err != nil {
			return false, err
		}
		d.signs, d.left = w, 64
	}
	bit := d.signs & 1
	d.signs >>= 1
	d.left--
	return bit == 1, nil
}

// round returns floor(x + S·(±r) + 1/2) for a new exponential r.
func (d *signed) round(r *gauss.Rounder, cell int64, negative bool) (int64, error) {
	return d.decide(func(z gauss.Real) (int64, bool) { return r.Round(cell, z) }, negative)
}

// decide returns round(±r) for a new exponential r. It draws digits of r until they decide the result.
func (d *signed) decide(round func(gauss.Real) (int64, bool), negative bool) (int64, error) {
	whole, err := d.draw()
	if err != nil {
		return 0, err
	}
	for {
		if y, ok := round(gauss.Real{Negative: negative, Whole: whole, Digits: d.u}); ok {
			return y, nil
		}
		if err := d.u.extend(d.source); err != nil {
			return 0, err
		}
	}
}

// Sampler adds exactly rounded Laplace noise of one scale to exact answers that have one unit. Only one goroutine may
// use it at a time.
type Sampler struct {
	rounder *gauss.Rounder
	noise   signed
}

// New returns a sampler of scale S = b/grid for cells in units of 2^lift grid units. It returns gauss.ErrScale if S is
// 2^52 or more, or if gauss.NewScale did not make it.
func New(s gauss.Scale, lift int, source BitSource) (*Sampler, error) {
	rounder, err := gauss.NewRounder(s, lift)
	if err != nil {
		return nil, err
	}
	return &Sampler{rounder: rounder, noise: signed{exponential: exponential{source: source}}}, nil
}

// Add replaces every cell by floor(x + S·L + 1/2), x = cell·2^lift, each with its own L, saturated at the limits of
// int64. An x outside int64 is first moved to the limit that it exceeds. Add fails only if the source of random bits
// fails. Some cells are then still exact, and the caller must wipe them.
func (s *Sampler) Add(cells []int64) error {
	s.rounder.Raise(cells)
	for i, x := range cells {
		negative, err := s.noise.negative()
		if err != nil {
			return err
		}
		if cells[i], err = s.noise.round(s.rounder, x, negative); err != nil {
			return err
		}
	}
	return nil
}

// AddWide replaces the high half of every 128-bit cell by floor(x + S·L + 1/2), x = cell·2^lift, as [Sampler.Add] does
// with 64-bit cells. The low halves are unspecified afterwards.
func (s *Sampler) AddWide(cells int128.Slice) error {
	s.rounder.RaiseWide(cells)
	for i := range cells.High {
		negative, err := s.noise.negative()
		if err != nil {
			return err
		}
		x := cells.At(i)
		round := func(z gauss.Real) (int64, bool) { return s.rounder.RoundWide(x, z) }
		if cells.High[i], err = s.noise.decide(round, negative); err != nil {
			return err
		}
	}
	return nil
}

// Geometric adds discrete Laplace noise of one scale to exact answers that have one unit. Only one goroutine may use it
// at a time.
type Geometric struct {
	raiser *gauss.Rounder // converts cells to grid units
	floor  *gauss.Rounder // rounds S·r − 1/2 instead of S·r, which gives floor(S·r)
	noise  signed
}

// NewGeometric returns a sampler of scale S = b/grid for cells in units of 2^lift grid units. It returns ErrLift if
// lift is negative, and for a wrong S the errors of [New].
func NewGeometric(s gauss.Scale, lift int, source BitSource) (*Geometric, error) {
	if lift < 0 {
		return nil, ErrLift
	}
	raiser, err := gauss.NewRounder(s, lift)
	if err != nil {
		return nil, err
	}
	floor, err := gauss.NewRounder(s, -1)
	if err != nil {
		return nil, err
	}
	return &Geometric{raiser: raiser, floor: floor, noise: signed{exponential: exponential{source: source}}}, nil
}

// Add replaces every cell by x + K, x = cell·2^lift, each with its own K, saturated at the limits of int64. An x
// outside int64 is first moved to the limit that it exceeds. Errors as for [Sampler.Add].
func (g *Geometric) Add(cells []int64) error {
	g.raiser.Raise(cells)
	for i, x := range cells {
		k, err := g.draw()
		if err != nil {
			return err
		}
		cells[i] = gauss.Plus(x, k)
	}
	return nil
}

// AddWide replaces the high half of every cell by x + K, as [Geometric.Add] does with its cells.
func (g *Geometric) AddWide(cells int128.Slice) error {
	g.raiser.RaiseWide(cells)
	for i := range cells.High {
		k, err := g.draw()
		if err != nil {
			return err
		}
		cells.High[i] = gauss.Plus(g.raiser.Whole(cells.At(i)), k)
	}
	return nil
}

// draw returns K = ±floor(S·r) for a fair sign and an exponential r. It rejects minus 0 and draws both again, since
// otherwise 0 would be twice as likely as it should be.
func (g *Geometric) draw() (int64, error) {
	for {
		negative, err := g.noise.negative()
		if err != nil {
			return 0, err
		}
		k, err := g.noise.round(g.floor, -1, false)
		switch {
		case err != nil:
			return 0, err
		case !negative:
			return k, nil
		case k > 0:
			return -k, nil
		}
	}
}
