package calibrate

import (
	"math/big"
	"strconv"
	"strings"
)

// Epsilon is the first parameter of (epsilon, delta)-differential privacy, in nats of privacy loss.
type Epsilon float64

// Delta is the second parameter of (epsilon, delta)-differential privacy, a probability.
type Delta float64

// String returns the shortest decimal that distinguishes d from other float64s, in the spelling of job files: 1e-6, not
// 1e-06.
func (d Delta) String() string {
	return strings.Replace(strconv.FormatFloat(float64(d), 'g', -1, 64), "e-0", "e-", 1)
}

// Sigma is the standard deviation of Gaussian noise, in the unit of the query to which it is added.
type Sigma float64

// Mu is the parameter of Gaussian differential privacy (Dong, Roth & Su 2022): the L2 sensitivity divided by sigma. It
// has no unit.
type Mu float64

// Z95 is half the width of a 95 % interval of a normal variable, in standard deviations: Phi⁻¹(0.975) =
// 1.9599639845400542…, rounded up to a float64.
const Z95 = 0x1.f5c0331eeff85p+0

// Guarantee is an (epsilon, delta): the guarantee of a release, or the size of a budget.
type Guarantee struct {
	Epsilon Epsilon
	Delta   Delta
}

// Sensitivity is the L2 sensitivity of a query: the largest Euclidean distance between its exact answers on two
// adjacent tables.
type Sensitivity struct {
	// L2 is the sensitivity in the query's unit; positive and finite.
	L2 float64
	// Why is the reason for L2, in one line.
	Why string
}

// Squared returns L2² exactly, or nil if L2 is negative or not finite.
func (s Sensitivity) Squared() *big.Rat {
	x := new(big.Rat)
	if x.SetFloat64(s.L2) == nil || x.Sign() < 0 {
		return nil
	}
	return x.Mul(x, x)
}

// Mechanism is the noise of one vector of answers. A ledger charges it, and a sampler draws it. If Noise is not
// Gaussian, the mechanism is private with delta 0. Sens.L2 then holds the L1 sensitivity, which is at least the L2
// sensitivity, and Sigma is the standard deviation of a Gaussian mechanism that reveals at least as much. So budgets
// and compositions treat all kinds of noise alike. See Pure.
type Mechanism struct {
	// Query names the query and, if it has several components, the component: "age" or "age/sum".
	Query string
	// Sens is the sensitivity of the exact answers.
	Sens Sensitivity
	// Sigma is the standard deviation of Gaussian noise, the same in every cell. For other noise see Pure.Mechanism.
	Sigma Sigma
	// Grid is the power of two whose multiples are released, in the query's unit; see the function Grid.
	Grid float64
	// Noise is the distribution of the noise. Scale is the scale of Laplace or geometric noise, in the query's unit. It is
	// 0 for Gaussian noise.
	Noise Distribution
	Scale float64
	// ChosenBy names the mechanism of the same release whose noisy answer decides the sensitivity, such as a histogram
	// from which a clamp is chosen. It is "" if the sensitivity is fixed. Before the choice, Sens and Sigma are the
	// largest that can be chosen; after it, they are the chosen ones (see [Mechanism.Chosen]). RuleVersion is the version
	// of the rule that chooses, or 0 if nothing is chosen.
	ChosenBy    string
	RuleVersion int
}

// Distribution is the distribution of a mechanism's noise. The zero Distribution is Gaussian.
type Distribution string

// The distributions of noise.
const (
	// Gaussian noise is a sample of N(0, sigma²), exactly rounded to the grid.
	Gaussian Distribution = ""
	// Geometric noise is Grid·z for an integer z with probability proportional to e^(-|z|·Grid/Scale).
	Geometric Distribution = "two-sided geometric"
	// LaplaceNoise has the density e^(-|z|/Scale)/(2·Scale) before it is exactly rounded to the grid.
	LaplaceNoise Distribution = "Laplace"
)

// Ask is one query that needs a fraction of a guarantee from SplitBudget.
type Ask struct {
	// Query names the mechanism; no two asks have the same name.
	Query string
	// ChosenBy and RuleVersion are copied to the mechanism; see Mechanism.
	ChosenBy    string
	RuleVersion int
	// Sens is the query's sensitivity.
	Sens Sensitivity
	// Weight decides the query's fraction of mu²: mu_i² = mu²·Weight/sum of weights. Positive and finite; only ratios
	// matter.
	Weight float64
	// Quantum is the power of two of which every exact answer is a multiple (1 for counts).
	Quantum float64
	// RowBound is the largest absolute value that one row adds to a cell (1 for counts), in the query's unit.
	RowBound float64
}
