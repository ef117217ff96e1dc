package calibrate

import "math/big"

// Epsilon is the first parameter of (epsilon, delta)-differential privacy, in nats of privacy loss.
type Epsilon float64

// Delta is the second parameter of (epsilon, delta)-differential privacy: a probability.
type Delta float64

// Sigma is the standard deviation of Gaussian noise, in the unit of the query it is added to.
type Sigma float64

// Mu is the parameter of Gaussian differential privacy (Dong, Roth & Su 2022): L2 sensitivity over sigma, without a
// unit.
type Mu float64

// Z95 is the half-width of a 95 % interval of a normal variable in standard deviations, Phi⁻¹(0.975) =
// 1.9599639845400542…, rounded up to a float64.
const Z95 = 0x1.f5c0331eeff85p+0

// Guarantee is an (epsilon, delta) that a release promises or a budget holds.
type Guarantee struct {
	Epsilon Epsilon
	Delta   Delta
}

// Sensitivity is the L2 sensitivity of a query: the largest Euclidean distance between its exact answers on two
// adjacent tables.
type Sensitivity struct {
	// L2 is in the query's unit; positive and finite.
	L2 float64
	// Why is the one-line argument for it.
	Why string
}

// Squared returns L2² exactly; nil if L2 is negative or not finite.
func (s Sensitivity) Squared() *big.Rat {
	x := new(big.Rat)
	if x.SetFloat64(s.L2) == nil || x.Sign() < 0 {
		return nil
	}
	return x.Mul(x, x)
}

// Mechanism is one mechanism: what a ledger charges and a sampler adds. Its noise is Gaussian, unless Noise says that
// it is one that is private with delta 0. Of such a mechanism Sens.L2 is the L1 sensitivity, which is not below the L2
// sensitivity, and Sigma that of a Gaussian mechanism that is at least as revealing: so budgets and compositions need
// not know the difference. See Pure.
type Mechanism struct {
	// Query names the query and, if it has several components, the component: "age" or "age/sum".
	Query string
	// Sens is the sensitivity that the noise hides.
	Sens Sensitivity
	// Sigma is the noise's standard deviation, the same in every cell.
	Sigma Sigma
	// Grid is the power of two whose multiples are released, in the query's unit; see the function Grid.
	Grid float64
	// Noise is the distribution of the noise. Scale is that of Laplace or geometric noise, in the query's unit; 0 if the
	// noise is Gaussian.
	Noise Distribution
	Scale float64
	// After names the mechanism of the same release from whose noisy answer the sensitivity is chosen; "" if it is fixed.
	// Sens and Sigma are then the largest that may be chosen, or those that were: see [Mechanism.Chosen]. Rule is the
	// version of the rule that chooses; 0 if nothing is chosen.
	After string
	Rule  int
}

// Distribution is that of the noise of a mechanism. The zero Distribution is Gaussian.
type Distribution string

// The distributions of noise.
const (
	Gaussian Distribution = ""
	// Grid times an integer z of probability proportional to e^(-|z|·Grid/Scale)
	Geometric Distribution = "two-sided geometric"
	Rounded   Distribution = "Laplace" // of density e^(-|z|/Scale)/(2·Scale), exactly rounded to the grid
)

// Ask is one query that wants its share of a guarantee from Split.
type Ask struct {
	// Query names the mechanism; no two asks share a name.
	Query string
	// After and Rule are those of the mechanism.
	After string
	Rule  int
	// Sens is the query's sensitivity.
	Sens Sensitivity
	// Weight is the share of mu squared: mu_i² = mu²·Weight/sum of weights. Positive and finite; only ratios matter.
	Weight float64
	// Quantum is the power of two of which every exact answer is a multiple (1 for counts).
	Quantum float64
	// RowBound is the largest absolute value that one row adds to a cell (1 for counts), in the query's unit.
	RowBound float64
}
