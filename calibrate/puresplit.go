package calibrate

import (
	"fmt"
	"math"
	"math/big"

	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// How a pure epsilon is divided
//
// Pure epsilons add up. If answer i has the L1 sensitivity D_i and gets epsilon_i, its noise has a variance of at most
// 2·(D_i/epsilon_i)². Let c_i be the cost of a variance of 1 in this answer. The total cost, the sum of
// c_i·(D_i/epsilon_i)², is least if epsilon_i is proportional to (c_i·D_i²)^(1/3) (Lagrange). These proportions only
// decide how epsilon is divided, so they may be rounded in any direction. The guarantee depends on the sum of
// D_i/scale_i, which is computed in 256 bits, rounded up.

// PureAsk is one query that needs a fraction of an epsilon from SplitPure.
type PureAsk struct {
	// Query names the mechanism; no two asks have the same name. Why is the reason for the sensitivity, in one line.
	Query, Why string
	// L1 is the L1 sensitivity, in the query's unit.
	L1 float64
	// Cost is the cost of a variance of 1 in each answer, with the variance in the square of the query's unit. With the
	// number of cells as Cost, SplitPure minimizes the sum of squared errors. Positive and finite; only ratios matter.
	Cost float64
	// Quantum and RowBound are as in Ask.
	Quantum, RowBound float64
}

// SplitPure calibrates one mechanism with delta 0 for each ask so that all of them together are eps-differentially
// private. It divides eps so that the sum of Cost times variance is least. The noise is two-sided geometric, in
// multiples of the quantum, if 2^48 rows of RowBound fit in 61 bits. Otherwise it is Laplace noise that is exactly
// rounded to a grid. Each scale is rounded up, and Verify confirms the result. Errors are *ArgumentError: "epsilon" if
// it is not above 0 and at most MaxPure; the errors of SplitBudget for the asks.
func SplitPure(eps Epsilon, asks []PureAsk) ([]Mechanism, error) {
	if !(eps > 0 && eps <= MaxPure) {
		return nil, argument.New("epsilon", "= %g must be above 0 and at most %d", float64(eps), MaxPure)
	}
	if len(asks) == 0 {
		return nil, argument.New("asks", "must not be empty")
	}
	shares, seen := make([]*big.Float, len(asks)), map[string]bool{}
	total := numeric.NewUp()
	for i, a := range asks {
		if err := a.validate(seen); err != nil {
			return nil, argument.In(fmt.Sprintf("asks[%d]", i), err)
		}
		seen[a.Query] = true
		shares[i] = numeric.UpOf(a.proportion())
		total.Add(total, shares[i])
	}
	ms := make([]Mechanism, len(asks))
	for i, a := range asks {
		// L1·total/share/eps, rounded up at each step
		scale := numeric.NewUp().Quo(total, shares[i])
		scale.Quo(scale.Mul(scale, numeric.UpOf(a.L1)), numeric.UpOf(float64(eps)))
		var err error
		if ms[i], err = a.mechanism(numeric.Ceiling(scale)); err != nil {
			return nil, argument.In(fmt.Sprintf("asks[%d]", i), err)
		}
	}
	if verifyPure(ms, eps) == nil {
		return ms, nil
	}
	// Only the rounding of the sum itself can exceed eps, by less than 2^-240, relative. So each scale is raised to the
	// next float64, which is more than enough.
	for i, a := range asks {
		var err error
		if ms[i], err = a.mechanism(math.Nextafter(ms[i].Scale, math.Inf(1))); err != nil {
			return nil, argument.In(fmt.Sprintf("asks[%d]", i), err)
		}
	}
	return ms, verifyPure(ms, eps)
}

func (a PureAsk) validate(seen map[string]bool) error {
	same := Ask{Query: a.Query, Sens: Sensitivity{L2: a.L1}, Weight: a.Cost}
	return same.validate(seen)
}

// proportion returns (Cost·L1²)^(1/3), to which the ask's fraction of epsilon is proportional.
func (a PureAsk) proportion() float64 {
	x := math.Cbrt(a.Cost) * math.Pow(a.L1, 2.0/3)
	return min(max(x, math.Ldexp(1, -600)), math.Ldexp(1, 600))
}

// mechanism returns the ask's mechanism with this scale. The noise is geometric if answers and noise fit in integers as
// multiples of the quantum, otherwise rounded Laplace noise.
func (a PureAsk) mechanism(scale float64) (Mechanism, error) {
	if math.IsInf(scale, 0) {
		return Mechanism{}, argument.New("sensitivity", "= %g needs a scale above the largest float64", a.L1)
	}
	p := Pure{Query: a.Query, Why: a.Why, Noise: Laplace{L1: a.L1, Scale: scale}, Grid: a.Quantum, Geometric: true}
	if !a.fitsQuantum(scale) {
		grid, err := Grid(Sigma(scale), a.Quantum, a.RowBound)
		if err != nil {
			return Mechanism{}, err
		}
		p.Grid, p.Geometric = grid, false
		if numeric.CeilLog2(scale) > numeric.FloorLog2(grid)+maxPureScaleLog2 {
			return Mechanism{}, argument.New("sensitivity", "= %g needs a scale that cannot be sampled", a.L1)
		}
	}
	return p.Mechanism()
}

// maxPureScaleLog2 is an exponent of two: the sampler needs a scale below 2^maxPureScaleLog2 grid units.
const maxPureScaleLog2 = 51

// fitsQuantum reports whether answers and noise fit in the sampler's integers as multiples of the quantum.
func (a PureAsk) fitsQuantum(scale float64) bool {
	if argument.PowerOfTwo("quantum", a.Quantum) != nil || argument.Positive("rowBound", a.RowBound) != nil {
		return false
	}
	q := numeric.FloorLog2(a.Quantum)
	return numeric.CeilLog2(a.RowBound)+rowCapacity-exactUnits <= q && numeric.FloorLog2(scale) >= q+minScaleLog2 &&
		numeric.CeilLog2(scale) <= q+maxPureScaleLog2
}
