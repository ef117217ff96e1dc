package methods

import (
	"fmt"
	"math"
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// Weights decide how calibrate.SplitBudget divides a guarantee among queries. These functions choose them for an aim:
// equal noise relative to the signal, the least squared error or the least absolute error. Weights never decide whether
// the guarantee is met, so they need no proof.

// EqualNoiseToSignal returns the asks with weights for which SplitBudget gives each query the same sigma over signal:
// mu_i in proportion to L2_i/signal_i. signals[i] is the expected value of a cell of asks[i], in its unit, from public
// knowledge; positive and finite. Errors are *ArgumentError: see SplitBudget; "signals".
func EqualNoiseToSignal(asks []calibrate.Ask, signals []float64) ([]calibrate.Ask, error) {
	return weighted(asks, "signals", signals, noiseToSignal)
}

// noiseToSignal returns (l2/signal)².
func noiseToSignal(l2, signal *big.Float) *big.Float {
	ratio := numeric.NewUp().Quo(l2, signal)
	return ratio.Mul(ratio, ratio)
}

// LeastSquaredError returns the asks with weights for which SplitBudget makes the sum of costs[i]·sigma_i² as small as
// the guarantee allows. Minimising sum c·L2²/mu_i² under sum mu_i² = mu² gives mu_i² in proportion to L2·sqrt(c)
// (Lagrange); the sum is then (sum L2·sqrt(c))²/mu². costs[i] is the importance of a cell times the number of cells;
// positive and finite. Errors are *ArgumentError: see SplitBudget; "costs".
func LeastSquaredError(asks []calibrate.Ask, costs []float64) ([]calibrate.Ask, error) {
	return weighted(asks, "costs", costs, func(l2, cost *big.Float) *big.Float {
		root := numeric.NewUp().Sqrt(cost)
		return root.Mul(root, l2)
	})
}

// LeastAbsoluteError is LeastSquaredError for the sum of costs[i]·sigma_i, to which expected absolute errors are in
// proportion. mu_i² is in proportion to (c·L2)^(2/3), and the sum is (sum (c·L2)^(2/3))^(3/2)/mu.
func LeastAbsoluteError(asks []calibrate.Ask, costs []float64) ([]calibrate.Ask, error) {
	return weighted(asks, "costs", costs, func(l2, cost *big.Float) *big.Float {
		root := cubeRoot(numeric.NewUp().Mul(l2, cost))
		return root.Mul(root, root)
	})
}

// cubeRoot returns x^(1/3) for x > 0, within 2^-51. It is used for weights only, which need no proof.
func cubeRoot(x *big.Float) *big.Float {
	m := numeric.NewUp()
	e := x.MantExp(m)
	third := int(math.Floor(float64(e) / 3))
	f, _ := m.Float64()
	root := numeric.UpOf(math.Cbrt(math.Ldexp(f, e-3*third)))
	return root.SetMantExp(root, third)
}

// weighted returns the asks with weight(L2_i, numbers[i]), scaled so that the largest is about 1. name is the name of
// numbers in errors.
func weighted(asks []calibrate.Ask, name string, numbers []float64,
	weight func(l2, x *big.Float) *big.Float) ([]calibrate.Ask, error) {
	if len(asks) == 0 {
		return nil, argument.New("asks", "must not be empty")
	}
	if len(numbers) != len(asks) {
		return nil, argument.New(name, "must be as many as asks, %d, not %d", len(asks), len(numbers))
	}
	weights, top := make([]*big.Float, len(asks)), math.MinInt
	for i, a := range asks {
		if err := argument.Positive(fmt.Sprintf("%s[%d]", name, i), numbers[i]); err != nil {
			return nil, err
		}
		if err := argument.Positive("sensitivity", a.Sens.L2); err != nil {
			return nil, argument.In(fmt.Sprintf("asks[%d]", i), err)
		}
		weights[i] = weight(numeric.UpOf(a.Sens.L2), numeric.UpOf(numbers[i]))
		top = max(top, weights[i].MantExp(nil))
	}
	out := append([]calibrate.Ask(nil), asks...)
	for i, w := range weights {
		out[i].Weight, _ = w.SetMantExp(w, -top).Float64()
		if out[i].Weight == 0 {
			return nil, argument.New(fmt.Sprintf("%s[%d]", name, i), "= %g is too far from the others", numbers[i])
		}
	}
	return out, nil
}
