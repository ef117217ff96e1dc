package methods

import (
	"fmt"
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// Mixed holds the mechanisms of one release, whose parameters are all fixed before any of them runs. Its guarantee
// holds within that release. Never choose the noise of a later release from the epsilon that an earlier one has left:
// that is safe for sums of mu², but not for these curves.
type Mixed struct {
	Gaussian  []calibrate.Mechanism
	Laplace   []calibrate.Laplace
	Geometric []Geometric
}

// Delta returns a proven upper bound on the joint delta of the mechanisms at eps, at least 5e-324. It composes the
// distributions of the privacy losses on a grid, with every loss rounded up (Sommer, Meiser & Mohammadi 2019; Koskela,
// Jälkö & Honkela 2020). If all mechanisms are Gaussian, it is calibrate.GaussianDelta. Errors are *ArgumentError:
// "epsilon"; "gaussian[i]…", "laplace[i]…", "geometric[i]…"; "mechanisms" if there are none or losses are beyond 1e8.
//
// Proof note: a query of several cells is at most as bad as one whose whole L1 difference lies in one cell. Take two
// cells that differ by a <= b. Given the first cell's loss L <= a/Scale, the delta of the second is at most delta_b(eps
// - a/Scale). By the formula of either noise this equals delta_(a+b)(eps), since eps - a/Scale >= -b/Scale. More cells
// follow two by two, and negative eps by symmetry.
func (m Mixed) Delta(eps calibrate.Epsilon) (calibrate.Delta, error) {
	if err := eps.Validate(); err != nil {
		return 0, err
	}
	if mu, exact, err := m.onlyGaussian(); err != nil || exact {
		if err != nil {
			return 0, err
		}
		return calibrate.GaussianDelta(eps, mu)
	}
	d := m.grid(0x1p-60).delta(float64(eps))
	d = math.Min(d, m.grid(math.Max(d*gridTail, numeric.MinDelta)).delta(float64(eps)))
	return calibrate.Delta(math.Max(d, math.SmallestNonzeroFloat64)), nil
}

// Epsilon returns a proven upper bound on the joint epsilon of the mechanisms at delta; see Delta. Errors are
// *ArgumentError: as for Delta; "delta"; "mechanisms" if epsilon would be above MaxEpsilon.
func (m Mixed) Epsilon(delta calibrate.Delta) (calibrate.Epsilon, error) {
	if err := delta.Validate(); err != nil {
		return 0, err
	}
	if mu, exact, err := m.onlyGaussian(); err != nil || exact {
		if err != nil {
			return 0, err
		}
		return calibrate.GaussianEpsilon(delta, mu)
	}
	g := m.grid(math.Max(float64(delta)*gridTail, numeric.MinDelta))
	limit := float64(delta)
	if g.delta(calibrate.MaxEpsilon) > limit {
		return 0, argument.New("mechanisms", "need an epsilon above %g at delta = %g", float64(calibrate.MaxEpsilon), limit)
	}
	return calibrate.Epsilon(g.findEpsilon(limit)), nil
}

// findEpsilon returns an epsilon with delta(epsilon) <= limit. It exceeds the least such epsilon on the grid by at most
// 2^-40, relative.
func (g *grid) findEpsilon(limit float64) float64 {
	low, high := 0.0, float64(calibrate.MaxEpsilon)
	if g.delta(0) <= limit {
		return 0
	}
	for range 100 {
		middle := low + (high-low)/2
		if high-low <= high*0x1p-40 {
			break
		}
		if g.delta(middle) <= limit {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// onlyGaussian returns the joint mu of the Gaussian mechanisms, and whether all mechanisms are Gaussian.
func (m Mixed) onlyGaussian() (calibrate.Mu, bool, error) {
	if err := m.validate(); err != nil {
		return 0, false, err
	}
	return calibrate.ComposedMu(m.Gaussian), len(m.Laplace)+len(m.Geometric) == 0, nil
}

func (m Mixed) validate() error {
	if len(m.Gaussian)+len(m.Laplace)+len(m.Geometric) == 0 {
		return argument.New("mechanisms", "must not be empty")
	}
	sum := float64(calibrate.ComposedMu(m.Gaussian)) // +Inf if a mechanism is not valid, which the loop names
	for i, g := range m.Gaussian {
		if err := g.Validate(); err != nil {
			return argument.In(fmt.Sprintf("gaussian[%d]", i), err)
		}
	}
	sum *= 40 + sum
	for i, l := range m.Laplace {
		if err := l.Validate(); err != nil {
			return argument.In(fmt.Sprintf("laplace[%d]", i), err)
		}
		sum += l.L1 / l.Scale
	}
	for i, g := range m.Geometric {
		if err := g.validate(); err != nil {
			return argument.In(fmt.Sprintf("geometric[%d]", i), err)
		}
		sum += float64(g.L1) / g.Scale
	}
	if !(sum <= maxTotal) {
		return argument.New("mechanisms", "have privacy losses above %g together", float64(maxTotal))
	}
	return nil
}

// grid returns the distribution of the joint privacy loss of all mechanisms. Equal mechanisms are composed by repeated
// squaring. tiny is the probability that may be moved at each end of a grid; see trim.
func (m Mixed) grid(tiny float64) *grid {
	counts, order := map[privacyLoss]int{}, []privacyLoss{}
	count := func(l privacyLoss) {
		if counts[l]++; counts[l] == 1 {
			order = append(order, l)
		}
	}
	if mu := calibrate.ComposedMu(m.Gaussian); mu > 0 {
		count(gaussianLoss(mu))
	}
	for _, l := range m.Laplace {
		count(laplaceLoss(numeric.CeilingOfRatio(numeric.BigOf(l.L1), l.Scale)))
	}
	for _, g := range m.Geometric {
		count(geometricLoss{g, numeric.CeilingOfRatio(numeric.BigOf(float64(g.L1)), g.Scale)})
	}
	var all *grid
	for _, l := range order {
		g := roundLossUp(l, tiny).times(counts[l], tiny)
		if all != nil {
			g = all.plus(g, tiny)
		}
		all = g
	}
	return all
}
