package denoise

import "math"

// chain finds the exact minimiser of ½·Σ (y_i − x_i)² + λ·Σ |x_i − x_{i+1}| for one line at a time. Its memory is
// reused from one line to the next. The method is Johnson's dynamic program (Journal of Computational and Graphical
// Statistics 22, 2013). Let m_k(t) be the least cost of the cells 0 … k if x_k = t. Its derivative
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

// knot is a point at which the slope of the derivative changes: to its right, slope and intercept of the line are
// larger by these amounts.
type knot struct{ at, slope, intercept float64 }

// newChain allocates the memory for lines of this many cells.
func newChain(cells int) *chain {
	return &chain{
		knots: make([]knot, 2*cells+2), low: make([]float64, cells), high: make([]float64, cells), x: make([]float64, cells),
	}
}

// Solve returns the line's minimiser and its number of levels, for λ ≥ 0 in the unit of y. It overwrites y. The
// minimiser is valid until the next call.
func (c *chain) Solve(y []float64, lambda float64) (x []float64, levels int) {
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

// cell is a cell's noisy value y, and the λ to which the derivative is clipped before the next cell is added.
type cell struct{ y, lambda float64 }

// push adds cell k to the derivative and clips the sum to ±λ. knots[from:to] are the knots before. push removes the
// knots at which the sum is clipped, and adds one at each end.
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

// level recomputes the value of each run of equal cells as the mean of the run, shifted by the penalties at its ends.
// This removes the rounding errors of the recursion. It returns the number of runs.
func (c *chain) level(y []float64, lambda float64) (levels int) {
	fitted := c.x
	pull := 0.0 // the amount by which the penalty between this run and the previous one shifts the value of this run
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
			y[i] = value // overwrite y, because the loop still reads fitted
		}
		from = to
	}
	copy(c.x, y)
	return levels
}
