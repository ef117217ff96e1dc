package calibrate

import (
	"math"
	"math/big"

	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// Laplace and geometric noise give pure epsilon: delta is 0. The ledger charges such a mechanism as the Gaussian
// mechanism with the smallest mu that reveals at least as much. So a budget is one sum of mu², whatever the noise is.

// MaxPure is the largest epsilon that PureMu accepts.
const MaxPure = 700

// Pure is a mechanism that is epsilon-differentially private with delta 0. Its noise is Laplace noise rounded to a
// grid, or two-sided geometric noise in multiples of a grid.
type Pure struct {
	// Query names the query and, if it has several components, the component.
	Query string
	// Why is the reason for the L1 sensitivity, in one line.
	Why string
	// Noise holds the L1 sensitivity and the scale, both in the query's unit. The mechanism's epsilon is L1/Scale.
	Noise Laplace
	// Grid is the power of two whose multiples are released, in the query's unit.
	Grid float64
	// Geometric is set if the noise is Grid·z for an integer z with probability proportional to e^(-|z|·Grid/Scale). Exact
	// answers are then multiples of the grid. If it is not set, the noise is Laplace noise rounded to the grid.
	Geometric bool
}

// PureMu returns the least mu for which every eps-differentially private mechanism is mu-Gaussian differentially
// private: 2·Phi⁻¹(e^eps/(1+e^eps)), rounded up. Errors are *ArgumentError: "epsilon" if it is not above 0 and at most
// MaxPure.
//
// Proof note. Let a = 1/(1+e^eps) and b = Phi(-mu/2). The trade-off function of eps-differential privacy is two
// straight lines, from (0, 1) to (a, a) to (1, 0) (Wasserman & Zhou 2010; Dong, Roth & Su 2022, section 2). The
// trade-off function of mu-Gaussian differential privacy is convex and contains (0, 1), (b, b) and (1, 0). It is
// nowhere above the two lines if and only if b <= a.
func PureMu(eps Epsilon) (Mu, error) {
	if !(eps > 0 && eps <= MaxPure) {
		return 0, argument.New("epsilon", "= %g must be above 0 and at most %d", float64(eps), MaxPure)
	}
	return Mu(numeric.RoundedUp(pureMu(numeric.BigOf(float64(eps))))), nil
}

// pureMu returns 2·Phi⁻¹(e^eps/(1+e^eps)), as 2·sqrt(2)·inverf(tanh(eps/2)). From eps = 2 on it uses
// inverfc(2/(1+e^eps)), in which no digits cancel.
func pureMu(eps *big.Float) *big.Float {
	if eps.Cmp(numeric.BigOf(2)) >= 0 {
		e := numeric.BigExpFar(numeric.NewBig().Neg(eps))
		return rootEight(numeric.BigInvErfc(numeric.NewBig().Quo(numeric.NewBig().SetMantExp(e, 1),
			numeric.NewBig().Add(numeric.BigOf(1), e))))
	}
	rest := numeric.OneLessExp(eps) // 1 - e^-eps
	return rootEight(numeric.BigInvErf(numeric.NewBig().Quo(rest, numeric.NewBig().Sub(numeric.BigOf(2), rest))))
}

// rootEight returns sqrt(8)·x.
func rootEight(x *big.Float) *big.Float {
	root := numeric.NewBig().Sqrt(numeric.BigOf(2))
	root.SetMantExp(root, 1)
	return root.Mul(root, x)
}

// Mechanism returns p as the mechanism that a ledger charges. Its Sens.L2 is the L1 sensitivity. Its Sigma, rounded
// down, gives it the mu that PureMu returns for p's epsilon. Every guarantee of the Gaussian mechanism with that sigma,
// alone or composed, also holds for p. Errors are *ArgumentError: "sensitivity", "scale", "epsilon".
func (p Pure) Mechanism() (Mechanism, error) {
	eps, err := p.Noise.Epsilon(0)
	if err != nil {
		return Mechanism{}, err
	}
	mu, err := PureMu(eps)
	if err != nil {
		return Mechanism{}, err
	}
	sigma := numeric.RoundedDown(numeric.NewBig().Quo(numeric.BigOf(p.Noise.L1), numeric.BigOf(float64(mu))))
	m := Mechanism{
		Query: p.Query, Sens: Sensitivity{L2: p.Noise.L1,
			Why: p.Why}, Sigma: Sigma(sigma), Grid: p.Grid, Noise: LaplaceNoise, Scale: p.Noise.Scale,
	}
	if p.Geometric {
		m.Noise = Geometric
	}
	if m.Mu() < mu || math.IsInf(float64(m.Mu()), 0) {
		return Mechanism{}, argument.New("scale", "= %g is out of range", p.Noise.Scale)
	}
	return m, nil
}

// Pure returns m as a Pure. The result is false if the noise is Gaussian.
func (m Mechanism) Pure() (Pure, bool) {
	if m.Noise == Gaussian {
		return Pure{}, false
	}
	return Pure{Query: m.Query, Why: m.Sens.Why, Noise: Laplace{L1: m.Sens.L2, Scale: m.Scale}, Grid: m.Grid,
		Geometric: m.Noise == Geometric}, true
}

// checkNoise checks that the fields about the noise agree. Gaussian noise must have Scale 0. Other noise must have a
// known distribution, a positive Scale, and a mu of at least PureMu of its epsilon.
func (m Mechanism) checkNoise() error {
	switch m.Noise {
	case Gaussian:
		if m.Scale != 0 {
			return argument.New("scale", "= %g belongs to no Gaussian noise", m.Scale)
		}
		return nil
	case Geometric, LaplaceNoise:
	default:
		return argument.New("noise", "has an unknown distribution")
	}
	p, _ := m.Pure()
	eps, err := p.Noise.Epsilon(0)
	if err != nil {
		return err
	}
	least, err := PureMu(eps)
	if err != nil {
		return err
	}
	// an exact comparison: is L1/sigma below the least allowed mu?
	if exactProduct(m.Sens.L2, 1).Cmp(exactProduct(float64(m.Sigma), float64(least))) < 0 {
		return argument.New("sigma", "= %g is too large for noise of epsilon %g", float64(m.Sigma), float64(eps))
	}
	return nil
}

// pureDeviation returns the standard deviation of Laplace or geometric noise, including the rounding to the grid,
// rounded up. For geometric noise it is
//
//	Grid/(sqrt(2)·sinh(Grid/(2·Scale))) = Grid·sqrt(2q)/(1-q),  q = e^(-Grid/Scale),
//
// and for Laplace noise sqrt(2·Scale² + Grid²/12).
func (m Mechanism) pureDeviation() float64 {
	if !(m.Scale > 0 && m.Scale <= math.MaxFloat64 && m.Grid >= 0 && m.Grid <= math.MaxFloat64) {
		return math.Inf(1)
	}
	scale, grid := numeric.BigOf(m.Scale), numeric.BigOf(m.Grid)
	if m.Noise == LaplaceNoise || m.Grid == 0 {
		rounding := numeric.UpOf(m.Grid)
		rounding.Quo(rounding.Mul(rounding, rounding), numeric.UpOf(12))
		square := numeric.UpOf(m.Scale)
		square.Mul(square, square)
		return numeric.RootCeiling(rounding.Add(rounding, square.SetMantExp(square, 1)))
	}
	step := numeric.Capped(numeric.NewBig().Quo(grid, scale))
	rest := numeric.OneLessExp(step) // 1 - q
	root := numeric.NewBig().Sub(numeric.BigOf(1), rest)
	if root.Sign() <= 0 { // the result is below every positive float64
		return math.SmallestNonzeroFloat64
	}
	root.Sqrt(root.SetMantExp(root, 1))
	return numeric.RoundedUp(root.Quo(root.Mul(root, grid), rest))
}

// ComposedPure returns an upper bound on the sum of L1/Scale over the mechanisms, which is their joint epsilon with
// delta 0. It returns nil if a mechanism is not valid or its noise is Gaussian.
func ComposedPure(ms []Mechanism) *big.Float {
	sum := numeric.NewUp()
	for _, m := range ms {
		if m.Noise == Gaussian || m.Validate() != nil {
			return nil
		}
		sum.Add(sum, numeric.NewUp().Quo(numeric.UpOf(m.Sens.L2), numeric.UpOf(m.Scale)))
	}
	return sum
}
