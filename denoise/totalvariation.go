package denoise

import (
	"math"
	"slices"
)

// TotalVariation returns the exact minimiser of
//
//	½·Σ (y_i − x_i)² + λ·Σ |x_i − x_{i+1}|
//
// for each line along the one ordered dimension of the shape. The minimiser is piecewise constant, and the data decide
// which neighbouring cells have equal values. DF is the number of runs of equal values. λ ≥ 0 and y have one unit; y is
// not changed. The time is O(d).
//
// Source: Johnson, "A dynamic programming algorithm for the fused lasso and L0-segmentation", Journal of Computational
// and Graphical Statistics 22, 2013; the degrees of freedom: Tibshirani & Taylor, Annals of Statistics 40, 2012.
func TotalVariation(y []float64, shape Shape, lambda float64) (Fit, error) {
	axis, err := shape.line(len(y))
	if err != nil {
		return Fit{}, err
	}
	largest := max(maxAbs(y), lambda)
	if largest == 0 {
		largest = 1
	}
	return fitScaled(y, largest, func(v scaled) Fit { return variation(v.y, shape, axis, v.toScaled(lambda)) }), nil
}

// TotalVariationSURE is [TotalVariation] with the λ of smallest estimated error. It tries λ = s·2^k for integers k, and
// then factors 2^(1/4) around the best one. s > 0 is the standard deviation of the noise.
func TotalVariationSURE(y []float64, s float64, shape Shape) (fit Fit, lambda float64, err error) {
	axis, err := shape.line(len(y))
	if err != nil {
		return Fit{}, 0, err
	}
	fit = fitScaled(y, s, func(v scaled) Fit {
		f, best := minimiseRisk(v, func(lambda float64) Fit { return variation(v.y, shape, axis, lambda) })
		lambda = v.fromScaled(best)
		return f
	})
	return fit, lambda, nil
}

// minimiseRisk returns the fit and the λ of smallest estimated error. It tries λ = s·2^k, from s/16 to 4·s·√d, and then
// factors 2^(1/4) around the best one.
func minimiseRisk(v scaled, fit func(lambda float64) Fit) (best Fit, lambda float64) {
	least, at := math.Inf(1), 0.0
	try := func(exponent float64) {
		f := fit(v.s * math.Exp2(exponent))
		if risk := f.relativeRisk(v.y, v.s); risk < least {
			least, at, best = risk, exponent, f
		}
	}
	for k := -4.0; k <= 2+math.Log2(float64(len(v.y)))/2; k++ {
		try(k)
	}
	for coarse, step := at, 0.25; step < 1; step += 0.25 {
		try(coarse - step)
		try(coarse + step)
	}
	return best, v.s * math.Exp2(at)
}

// line returns the one ordered dimension of a shape. It returns an error if the shape does not have exactly one, or has
// another number of cells.
func (s Shape) line(cells int) (axis int, err error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	if s.Cells() != cells {
		return 0, wrongCells(s, cells)
	}
	if err := (Method{Name: "this estimate", Needs: NeedsLine}).fits(structure{shape: &s}); err != nil {
		return 0, err
	}
	if axes := s.ordered(); len(axes) > 0 {
		return axes[0], nil
	}
	return slices.Index(s.Ordered, true), nil
}

// variation solves the problem of [TotalVariation] line by line.
func variation(y []float64, shape Shape, axis int, lambda float64) Fit {
	f := Fit{X: make([]float64, len(y))}
	c := newChain(shape.Dims[axis])
	values := make([]float64, shape.Dims[axis])
	shape.lines(axis, func(cells []int) {
		gather(y, cells, values)
		x, levels := c.Solve(values, lambda)
		scatter(x, cells, f.X)
		f.DF += float64(levels)
	})
	return f
}
