package denoise

import (
	"math"
	"slices"
)

// TotalVariation returns the exact minimiser of
//
//	½·Σ (y_i − x_i)² + λ·Σ |x_i − x_{i+1}|
//
// over each line along the one ordered dimension of the shape: the data decide which neighbouring cells share a level.
// DF is the number of levels. λ ≥ 0 and y have one unit; y is not changed. O(d).
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
	return fitScaled(y, largest, func(v scaled) Fit { return variation(v.y, shape, axis, v.in(lambda)) }), nil
}

// TotalVariationSURE is [TotalVariation] at the λ of smallest estimated error among steps of a factor 2^(1/4) around the
// best power of two; the noise has standard deviation s > 0.
func TotalVariationSURE(y []float64, s float64, shape Shape) (fit Fit, lambda float64, err error) {
	axis, err := shape.line(len(y))
	if err != nil {
		return Fit{}, 0, err
	}
	fit = fitScaled(y, s, func(v scaled) Fit {
		f, best := leastRisk(v, func(lambda float64) Fit { return variation(v.y, shape, axis, lambda) })
		lambda = v.out(best)
		return f
	})
	return fit, lambda, nil
}

// leastRisk tries λ = s·2^k, from s/16 to 4·s·√d, and then quarters of a step around the best.
func leastRisk(v scaled, fit func(lambda float64) Fit) (best Fit, lambda float64) {
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

// line returns the one ordered dimension of a shape, for that number of cells.
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

// variation solves the problem line by line.
func variation(y []float64, shape Shape, axis int, lambda float64) Fit {
	f := Fit{X: make([]float64, len(y))}
	c := newChain(shape.Dims[axis])
	line := make([]float64, shape.Dims[axis])
	shape.lines(axis, func(cells []int) {
		gather(y, cells, line)
		x, levels := c.solve(line, lambda)
		scatter(x, cells, f.X)
		f.DF += float64(levels)
	})
	return f
}

// chain solves one line. With m_k(t) the least cost of the cells 0 … k given x_k = t, the derivative
//
//	m'_k(t) = t − y_k + clip(m'_{k−1}(t), −λ, λ)
//
// is increasing and piecewise linear. knots[from:to] are the points at which the slope of the clipped derivative
// changes, in order. x_k lies between low_k and high_k, the points at which the derivative leaves [−λ, λ].
type chain struct {
	knots     []knot
	low, high []float64
	x         []float64
}

// knot is a point to the right of which the line has this much more slope and intercept than to the left.
type knot struct{ at, slope, intercept float64 }

func newChain(cells int) *chain {
	return &chain{
		knots: make([]knot, 2*cells+2), low: make([]float64, cells), high: make([]float64, cells), x: make([]float64, cells),
	}
}

// solve returns the line's minimiser and its number of levels. The minimiser is valid until the next call.
func (c *chain) solve(y []float64, lambda float64) (x []float64, levels int) {
	last := len(y) - 1
	from, to := last+1, last+1
	for k, v := range y[:last] {
		from, to = c.push(k, from, to, cell{v, lambda})
	}
	slope, intercept := 1.0, -y[last]
	if last > 0 {
		intercept -= lambda
	}
	for i := from; i < to && slope*c.knots[i].at+intercept < 0; i++ {
		slope, intercept = slope+c.knots[i].slope, intercept+c.knots[i].intercept
	}
	c.x[last] = -intercept / slope
	for k := last - 1; k >= 0; k-- {
		c.x[k] = max(c.low[k], min(c.x[k+1], c.high[k]))
	}
	return c.x, c.level(y, lambda)
}

// cell is the value of one cell, and the bound ±λ on the derivative that it passes to the next.
type cell struct{ y, lambda float64 }

// push adds cell k to the derivative and clips it. It drops knots outside the range and adds two at its ends.
func (c *chain) push(k, from, to int, v cell) (newFrom, newTo int) {
	edge := v.lambda
	if k == 0 {
		edge = 0
	}
	slope, intercept := 1.0, -v.y-edge
	for from < to && slope*c.knots[from].at+intercept < -v.lambda {
		slope, intercept = slope+c.knots[from].slope, intercept+c.knots[from].intercept
		from++
	}
	c.low[k] = (-v.lambda - intercept) / slope
	left := knot{c.low[k], slope, intercept + v.lambda}

	slope, intercept = 1, -v.y+edge
	for from < to && slope*c.knots[to-1].at+intercept > v.lambda {
		to--
		slope, intercept = slope-c.knots[to].slope, intercept-c.knots[to].intercept
	}
	c.high[k] = max((v.lambda-intercept)/slope, c.low[k])
	c.knots[from-1] = left
	c.knots[to] = knot{c.high[k], -slope, v.lambda - intercept}
	return from - 1, to + 1
}

// level recomputes the levels from the cells that share one, which removes the recursion's rounding, and counts them.
func (c *chain) level(y []float64, lambda float64) (levels int) {
	fitted := c.x
	pull := 0.0 // from the level before
	for from := 0; from < len(y); levels++ {
		to, sum := from, 0.0
		for ; to < len(y) && fitted[to] == fitted[from]; to++ {
			sum += y[to]
		}
		here := pull
		if to < len(y) {
			pull = math.Copysign(lambda, fitted[to]-fitted[from])
			here, pull = here+pull, -pull
		}
		value := fitted[from]
		if refined := (sum + here) / float64(to-from); math.Abs(refined-value) <= 1e-6*(math.Abs(value)+lambda) {
			value = refined
		}
		for i := from; i < to; i++ {
			y[i] = value // the line is the caller's scratch memory, so fitted stays until all levels are found
		}
		from = to
	}
	copy(c.x, y)
	return levels
}
