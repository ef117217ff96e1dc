package methods

import (
	"math"
	"slices"

	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// The privacy loss of one mechanism is a random number, and the losses of several mechanisms add up. So the joint
// guarantee of the mechanisms follows from the distribution of the sum, a convolution. It is computed on a grid of
// losses. Each rounding moves probability to larger losses, so the resulting delta and epsilon are upper bounds.

// grid is the distribution of a privacy loss on equidistant points. p[i] is the probability (mass) of the loss
// (low+i)·step, and lost is the mass of the loss +Inf.
//
// Proof note: the answers are upper bounds. delta(eps) is the mean of max(0, 1 - e^(eps-L)), which grows with the loss
// L. roundLossUp moves every loss to the next grid point above it, with masses that are rounded up. So for every point,
// the mass at or above it is at least the probability of losses above the point before. The losses of composed
// mechanisms are independent, so a mechanism may be replaced by one with larger losses or more mass. All later steps
// only move mass up: trim moves it to the first point that stays, or to +Inf, and coarsen to a point of a grid twice as
// wide. Sums of products are positive and are raised by more than their roundings. lost also covers products below the
// least float64.
type grid struct {
	step float64 // a power of two
	low  int
	p    []float64
	lost float64
}

// Limits of the grids.
const (
	gridCells = 1 << 13
	// gridTail is the mass that trim may move at each end, divided by the delta that is computed.
	gridTail = 0x1p-30
)

// raise returns x plus more than the rounding errors of n operations.
func raise(x float64, n int) float64 { return x * (1 + float64(n+4)*0x1p-52) }

// privacyLoss is the distribution of a mechanism's privacy loss. It is the same whichever of the two neighbouring
// tables comes first.
type privacyLoss interface {
	// tail returns an upper bound on the probability of a loss above l.
	tail(l float64) float64
	// ends returns a lower and an upper bound on the loss. A mass of about tiny is beyond each of them.
	ends(tiny float64) (low, high float64)
}

// roundLossUp returns the distribution of m on a grid, with each loss rounded up. tiny is the mass that may lie beyond
// each end.
func roundLossUp(m privacyLoss, tiny float64) *grid {
	low, high := m.ends(tiny)
	step := math.Ldexp(1, numeric.CeilLog2(math.Max((high-low)/(gridCells/2), 0x1p-600)))
	g := &grid{step: step, low: int(math.Floor(low / step))}
	cells := int(math.Ceil(high/step)) - g.low + 1
	g.p = make([]float64, cells)
	above := 1.0
	for i := range g.p {
		next := m.tail(float64(g.low+i) * step)
		g.p[i] = math.Max(0, math.Nextafter(above-next, 2))
		above = next
	}
	g.lost = above
	return g
}

// total returns an upper bound on the whole mass, at least 1.
func (g *grid) total() float64 {
	sum := g.lost
	for _, x := range g.p {
		sum += x
	}
	return raise(sum, len(g.p))
}

// coarsen returns the distribution on a grid with twice the step, with losses rounded up.
func (g *grid) coarsen() *grid {
	half := func(i int) int { return i>>1 + i&1 } // rounds up
	c := &grid{step: 2 * g.step, low: half(g.low), lost: g.lost}
	c.p = make([]float64, half(g.low+len(g.p)-1)-c.low+1)
	for i, x := range g.p {
		at := &c.p[half(g.low+i)-c.low]
		*at = raise(*at+x, 1)
	}
	return c
}

// plus returns the distribution of the sum of two independent losses.
func (g *grid) plus(f *grid, tiny float64) *grid {
	for g.step < f.step {
		g = g.coarsen()
	}
	for f.step < g.step {
		f = f.coarsen()
	}
	sum := &grid{step: g.step, low: g.low + f.low, p: make([]float64, len(g.p)+len(f.p)-1)}
	for i, x := range g.p {
		if x > 0 {
			addScaled(sum.p[i:i+len(f.p)], f.p, x)
		}
	}
	n := min(len(g.p), len(f.p))
	for i := range sum.p {
		sum.p[i] = raise(sum.p[i], 2*n)
	}
	const underflow = 0x1p-1000 // an upper bound on the sum of at most 2^28 products that underflowed
	sum.lost = raise(g.lost*f.total()+f.lost*g.total(), 4) + underflow
	sum = sum.trim(tiny)
	for len(sum.p) > gridCells {
		sum = sum.coarsen()
	}
	return sum
}

func addScaled(to, f []float64, x float64) {
	for i, y := range f {
		to[i] += float64(x * y)
	}
}

// trim removes points from both ends, with a mass of at most tiny at each. The mass at the lower end moves to the first
// point that stays, and the mass at the upper end to +Inf.
func (g *grid) trim(tiny float64) *grid {
	first, sum := 0, 0.0
	for first < len(g.p)-1 && sum+g.p[first] <= tiny {
		sum += g.p[first]
		first++
	}
	last, top := len(g.p), 0.0
	for last > first+1 && top+g.p[last-1] <= tiny {
		last--
		top += g.p[last]
	}
	p := slices.Clone(g.p[first:last])
	p[0] = raise(p[0]+sum, first)
	return &grid{step: g.step, low: g.low + first, p: p, lost: raise(g.lost+top, len(g.p))}
}

// times returns the distribution of the sum of n independent losses, by repeated squaring.
func (g *grid) times(n int, tiny float64) *grid {
	var all *grid
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			if all == nil {
				all = g
			} else {
				all = all.plus(g, tiny)
			}
		}
		if n > 1 {
			g = g.plus(g, tiny)
		}
	}
	return all
}

// delta returns an upper bound on delta(eps), the mean of max(0, 1 - e^(eps-L)).
func (g *grid) delta(eps float64) float64 {
	sum := 0.0
	for i := len(g.p) - 1; i >= 0; i-- {
		l := float64(g.low+i) * g.step
		if l <= eps {
			break
		}
		sum += g.p[i] * -math.Expm1(eps-l)
	}
	return math.Min(raise(sum, len(g.p)+16)+g.lost, 1)
}

// gaussianLoss is the mu of a Gaussian mechanism. Its privacy loss is normal with mean mu²/2 and standard deviation mu.
type gaussianLoss float64

// tail returns an upper bound on 1 - Phi(x) with x = l/mu - mu/2: it lowers x by more than its rounding errors.
func (mu gaussianLoss) tail(l float64) float64 {
	m := float64(mu)
	x := l/m - m/2
	x -= (math.Abs(l)/m + m) * 0x1p-50
	switch {
	case x > 39:
		return math.SmallestNonzeroFloat64
	case x < -39:
		return 1
	case x < 0:
		return math.Min(1, raise(1-numeric.UpperTail(-x)*(1-0x1p-50), 2))
	}
	return numeric.UpperTail(x)
}

func (mu gaussianLoss) ends(tiny float64) (low, high float64) {
	m := float64(mu)
	z := numeric.RoughQuantile(tiny) + 1e-2
	return m * (m/2 - z), m * (m/2 + z)
}

// laplaceLoss is the largest privacy loss of a Laplace mechanism, rounded up. With m this largest loss, the tail at l
// is 1 - e^(-(m-l)/2)/2.
type laplaceLoss float64

func (most laplaceLoss) tail(l float64) float64 {
	m := float64(most)
	switch {
	case l >= m:
		return 0
	case l < -m*(1-0x1p-50):
		return 1
	}
	return math.Min(1, raise(0.5-math.Expm1(-(m-l)/2)/2, 8))
}

func (most laplaceLoss) ends(float64) (low, high float64) { return -float64(most), float64(most) }

// geometricLoss is a geometric mechanism. Its privacy loss is (L1-2z)/Scale, from -L1/Scale to L1/Scale.
type geometricLoss struct {
	Geometric
	most float64 // L1/Scale, rounded up
}

// tail returns an upper bound on Pr[Z <= m] = 1 - q^(m+1)/(1+q), with m the largest integer with (L1-2m)/Scale > l. If
// rounding leaves m in doubt, it takes the larger one. The rounding of an exponent t changes e^-t by a multiple of
// t·e^-t < 1/2, so the error of 1 - rest, which is at least 1/2, is below 2^-51.
func (g geometricLoss) tail(l float64) float64 {
	switch {
	case l >= g.most:
		return 0
	case l < -g.most*(1-0x1p-50):
		return 1
	}
	l1 := float64(g.L1)
	m := math.Floor((l1-l*g.Scale)/2 + l1*0x1p-48)
	rest := math.Exp(-(m+1)/g.Scale) / (1 + math.Exp(-1/g.Scale))
	return math.Min(1, raise(1-rest, 8))
}

func (g geometricLoss) ends(float64) (low, high float64) { return -g.most, g.most }
