package graph

import (
	"context"
	"math"
	"slices"
)

// Penalty is λ, the factor of an estimator's penalty, or how to choose it.
type Penalty struct {
	// Sigma is the standard deviation of the noise, in the values' unit, if λ is to be chosen by least estimated risk
	// (Stein). If it is 0, Lambda is used.
	Sigma float64
	// Lambda ≥ 0 is the given λ. It is in the values' unit, for differences of neighbours.
	Lambda float64
}

// scan is a geometric grid of values of λ: low, low·ratio, low·ratio², …, points values in all. between is the number
// of values that are then tried between the best one and each of its two neighbours.
type scan struct {
	low, ratio      float64
	points, between int
}

// search finds the λ of least estimated risk. risk returns the risk of each λ; it may compute them in parallel.
type search struct {
	risk         func(ctx context.Context, lambda []float64) ([]float64, error)
	lambda, cost []float64
}

// find returns the given λ, or the λ of least risk. To find it, it tries the grid, extends the grid until the best λ is
// inside, and then tries values around the best λ.
func (p Penalty) find(ctx context.Context, grid scan, s *search) (float64, error) {
	if p.Sigma == 0 {
		return p.Lambda, nil
	}
	if err := s.bracket(ctx, grid); err != nil {
		return 0, err
	}
	err := s.refine(ctx, grid)
	return s.bestLambda(), err
}

// try computes the risks of more values of λ.
func (s *search) try(ctx context.Context, lambda []float64) error {
	cost, err := s.risk(ctx, lambda)
	if err != nil {
		return err
	}
	s.lambda, s.cost = append(s.lambda, lambda...), append(s.cost, cost...)
	return nil
}

// bestIndex returns the index of the smallest risk. If several risks are equal, it returns the index of the largest λ.
func (s *search) bestIndex() int {
	best := 0
	for i, c := range s.cost {
		if c < s.cost[best] || (c == s.cost[best] && s.lambda[i] > s.lambda[best]) {
			best = i
		}
	}
	return best
}

func (s *search) bestLambda() float64 {
	if len(s.lambda) == 0 {
		return 0
	}
	return s.lambda[s.bestIndex()]
}

// bracket tries the grid. As long as the best λ is the first or the last one and the risk still falls there, it extends
// the grid on that side.
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
		switch best := s.bestLambda(); best {
		case slices.Min(s.lambda):
			next = best / grid.ratio
		case slices.Max(s.lambda):
			next = best * grid.ratio
		default:
			return nil
		}
		before := s.cost[s.bestIndex()]
		if err := s.try(ctx, []float64{next}); err != nil {
			return err
		}
		if s.cost[s.bestIndex()] == before { // beyond this λ the estimate does not change
			return nil
		}
	}
	return nil
}

func (s *search) refine(ctx context.Context, grid scan) error {
	best := s.bestLambda()
	var more []float64
	for i := 1; i <= grid.between; i++ {
		f := math.Pow(grid.ratio, float64(i)/float64(grid.between+1))
		more = append(more, best/f, best*f)
	}
	return s.try(ctx, more)
}

// mean returns the mean of the positive numbers in x, or 1 if there are none.
func mean(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v
	}
	if sum == 0 {
		return 1
	}
	return sum / float64(len(x))
}
