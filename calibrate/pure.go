package calibrate

import (
	"math"
	"math/big"

	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// Noise for pure epsilon, Laplace or geometric, is charged to the same budget as Gaussian noise: as the Gaussian mechanism with the least mu
// that is at least as revealing. So a budget stays one sum of mu², whatever the noise.

// MaxPure is the largest epsilon for which PureMu answers.
const MaxPure = 700

// Pure is a mechanism that is epsilon-differentially private, with delta 0: Laplace noise rounded to a grid, or two-sided
// geometric noise on it.
type Pure struct {
	// Query names the query and, if it has several components, the component.
	Query string
	// Why is the one-line argument for the L1 sensitivity.
	Why string
	// Noise has the L1 sensitivity and the scale, both in the query's unit: epsilon is their quotient.
	Noise Laplace
	// Grid is the power of two whose multiples are released, in the query's unit.
	Grid float64
	// Geometric says that the noise is Grid times an integer z of probability proportional to e^(-|z|·Grid/Scale), for answers that are
	// multiples of the grid; if not, it is Laplace noise rounded to the grid.
	Geometric bool
}

// PureMu returns the least mu for which every eps-differentially private mechanism is mu-Gaussian differentially private:
// 2·Phi⁻¹(e^eps/(1+e^eps)), rounded up. Errors are *ArgumentError: "epsilon" if it is not above 0 and at most MaxPure.
//
// Proof note. With a = 1/(1+e^eps), the trade-off function of eps-differential privacy runs straight from (0, 1) to (a, a) and on to
// (1, 0) (Wasserman & Zhou 2010; Dong, Roth & Su 2022, section 2). That of mu-Gaussian differential privacy is convex and runs through (0, 1), (b, b),
// b = Phi(-mu/2), and (1, 0): it is nowhere above the other if and only if b <= a.
func PureMu(eps Epsilon) (Mu, error) {
	if !(eps > 0 && eps <= MaxPure) {
		return 0, argument.New("epsilon", "= %g must be above 0 and at most %d", float64(eps), MaxPure)
	}
	return Mu(numeric.RoundedUp(pureMu(numeric.BigOf(float64(eps))))), nil
}

// pureMu is 2·sqrt(2)·inverf(tanh(eps/2)), from eps = 2 on as inverfc(2/(1+e^eps)), in which nothing cancels.
func pureMu(eps *big.Float) *big.Float {
	if eps.Cmp(numeric.BigOf(2)) >= 0 {
		e := numeric.BigExpFar(numeric.NewBig().Neg(eps))
		return rootEight(numeric.BigInvErfc(numeric.NewBig().Quo(numeric.NewBig().SetMantExp(e, 1), numeric.NewBig().Add(numeric.BigOf(1), e))))
	}
	rest := numeric.OneLessExp(eps) // 1 - e^-eps
	return rootEight(numeric.BigInvErf(numeric.NewBig().Quo(rest, numeric.NewBig().Sub(numeric.BigOf(2), rest))))
}

// rootEight is sqrt(8)·x.
func rootEight(x *big.Float) *big.Float {
	root := numeric.NewBig().Sqrt(numeric.BigOf(2))
	root.SetMantExp(root, 1)
	return root.Mul(root, x)
}

// Mechanism returns the Gaussian mechanism that stands for p in a ledger. It has the same query and grid, the L1 sensitivity in the place
// of the L2 sensitivity, and the sigma with which its mu is PureMu of p's epsilon, rounded down. Each guarantee that holds for
// that mechanism, alone or composed, holds for p. Errors are *ArgumentError: "sensitivity", "scale", "epsilon".
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
	m := Mechanism{Query: p.Query, Sens: Sensitivity{L2: p.Noise.L1, Why: p.law() + p.Why}, Sigma: Sigma(sigma), Grid: p.Grid}
	if m.Mu() < mu || math.IsInf(float64(m.Mu()), 0) {
		return Mechanism{}, argument.New("scale", "= %g is out of range", p.Noise.Scale)
	}
	return m, nil
}

func (p Pure) law() string {
	if p.Geometric {
		return "stands for two-sided geometric noise, L1 sensitivity: "
	}
	return "stands for Laplace noise, L1 sensitivity: "
}
