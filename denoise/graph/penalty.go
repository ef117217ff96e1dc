package graph

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Penalty says how large λ is.
type Penalty struct {
	// Sigma > 0 asks for the λ at which Stein's risk estimate is least, with noise of standard deviation Sigma in the
	// values' unit. At 0, Lambda is used.
	Sigma float64
	// Lambda ≥ 0, in the values' unit for differences of neighbours.
	Lambda float64
	// Grid lists the λ to choose from. An empty one stands for a geometric grid that is extended until the best is inside
	// and refined around it.
	Grid []float64
}

func (p Penalty) check() error {
	if p.Sigma != 0 {
		if err := checkSigma(p.Sigma); err != nil {
			return err
		}
	}
	for _, l := range append([]float64{p.Lambda}, p.Grid...) {
		if !(l >= 0 && l <= largestValue) {
			return &OptionError{"lambda", fmt.Sprintf("%v is not a number from 0 to %g", l, largestValue)}
		}
	}
	return nil
}

// scan is a geometric grid: points λ from low on, each ratio times the one before, and between of them between the best
// and its neighbours.
type scan struct {
	low, ratio      float64
	points, between int
}

// search finds the λ of least risk. risk returns one for each λ, in parallel if it can.
type search struct {
	risk         func(ctx context.Context, lambda []float64) ([]float64, error)
	lambda, cost []float64
}

// find returns λ: the given one, or the one of least risk.
func (p Penalty) find(ctx context.Context, grid scan, s *search) (float64, error) {
	if p.Sigma == 0 {
		return p.Lambda, nil
	}
	if len(p.Grid) > 0 {
		err := s.try(ctx, p.Grid)
		return s.best(), err
	}
	if err := s.bracket(ctx, grid); err != nil {
		return 0, err
	}
	err := s.refine(ctx, grid)
	return s.best(), err
}

// try adds λ to those that are known.
func (s *search) try(ctx context.Context, lambda []float64) error {
	cost, err := s.risk(ctx, lambda)
	if err != nil {
		return err
	}
	s.lambda, s.cost = append(s.lambda, lambda...), append(s.cost, cost...)
	return nil
}

// at returns the index of the least cost; of several, of the largest λ.
func (s *search) at() int {
	best := 0
	for i, c := range s.cost {
		if c < s.cost[best] || (c == s.cost[best] && s.lambda[i] > s.lambda[best]) {
			best = i
		}
	}
	return best
}

func (s *search) best() float64 {
	if len(s.lambda) == 0 {
		return 0
	}
	return s.lambda[s.at()]
}

// bracket tries the grid and goes on beyond its ends while the best is there and getting better.
func (s *search) bracket(ctx context.Context, grid scan) error {
	first := make([]float64, grid.points)
	for i := range first {
		first[i] = grid.low * math.Pow(grid.ratio, float64(i))
	}
	if err := s.try(ctx, first); err != nil {
		return err
	}
	for range 20 {
		next := 0.0
		switch best := s.best(); best {
		case slices.Min(s.lambda):
			next = best / grid.ratio
		case slices.Max(s.lambda):
			next = best * grid.ratio
		default:
			return nil
		}
		before := s.cost[s.at()]
		if err := s.try(ctx, []float64{next}); err != nil {
			return err
		}
		if s.cost[s.at()] == before { // as at an end of the path of solutions
			return nil
		}
	}
	return nil
}

func (s *search) refine(ctx context.Context, grid scan) error {
	best := s.best()
	var more []float64
	for i := 1; i <= grid.between; i++ {
		f := math.Pow(grid.ratio, float64(i)/float64(grid.between+1))
		more = append(more, best/f, best*f)
	}
	return s.try(ctx, more)
}
