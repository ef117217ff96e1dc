package methods

import (
	"errors"
	"fmt"
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/argument"
)

// ErrInfeasible is wrapped by the error of SplitToTargets if no split meets the targets.
var ErrInfeasible = errors.New("the targets need more than the guarantee")

// InfeasibleError holds the guarantee that the targets need.
type InfeasibleError struct {
	// Asked is the guarantee that does not suffice.
	Asked calibrate.Guarantee
	// Epsilon is the least epsilon that suffices at the same delta, rounded up; +Inf if it is above MaxEpsilon.
	Epsilon calibrate.Epsilon
}

// Error names both epsilons.
func (e *InfeasibleError) Error() string {
	need := fmt.Sprintf("epsilon = %.17g", float64(e.Epsilon))
	if math.IsInf(float64(e.Epsilon), 1) {
		need = fmt.Sprintf("an epsilon above %g", float64(calibrate.MaxEpsilon))
	}
	return fmt.Sprintf("calibrate: %v: at delta = %g they need %s, not %g", ErrInfeasible, float64(e.Asked.Delta), need,
		float64(e.Asked.Epsilon))
}

// Unwrap returns ErrInfeasible.
func (e *InfeasibleError) Unwrap() error { return ErrInfeasible }

// SplitToTargets calibrates the asks so that each sigma is at most its target, in the query's unit. Weights are in
// proportion to (L2_i/target_i)², so a budget above the need lowers every sigma by the same factor. It ignores
// Ask.Weight. Errors: *InfeasibleError with the least epsilon that suffices; *ArgumentError, see SplitBudget;
// "targets".
func SplitToTargets(g calibrate.Guarantee, asks []calibrate.Ask, targets []calibrate.Sigma) ([]calibrate.Mechanism,
	error) {
	numbers := make([]float64, len(targets))
	for i, t := range targets {
		numbers[i] = float64(t)
	}
	asks, err := weighted(asks, "targets", numbers, noiseToSignal)
	if err != nil {
		return nil, err
	}
	ms, err := calibrate.SplitBudget(g, asks)
	if err != nil {
		return nil, err
	}
	wanted := make([]calibrate.Mechanism, len(asks))
	met := true
	for i, m := range ms {
		met = met && m.Sigma <= targets[i]
		wanted[i] = calibrate.Mechanism{Query: m.Query, Sens: m.Sens, Sigma: targets[i]}
	}
	if met {
		return ms, nil
	}
	return atTargets(g, asks, wanted)
}

// atTargets returns the mechanisms with exactly their targets, for targets that use the whole guarantee. If the targets
// are not feasible, the error is an *InfeasibleError.
func atTargets(g calibrate.Guarantee, asks []calibrate.Ask, wanted []calibrate.Mechanism) ([]calibrate.Mechanism,
	error) {
	if err := calibrate.Verify(wanted, g); err != nil {
		least, err := calibrate.Compose(wanted, g.Delta)
		if err != nil {
			least.Epsilon = calibrate.Epsilon(math.Inf(1))
		}
		return nil, &InfeasibleError{Asked: g, Epsilon: least.Epsilon}
	}
	for i, a := range asks {
		grid, err := a.Grid(wanted[i].Sigma)
		if err != nil {
			return nil, argument.In(fmt.Sprintf("asks[%d]", i), err)
		}
		wanted[i].Grid = grid
	}
	return wanted, nil
}
