package methods

import (
	"fmt"
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// Part is a number of mechanisms that all have the same guarantee. Nothing else is known about them. Delta may be 0.
type Part struct {
	Guarantee calibrate.Guarantee
	// Times is the number of mechanisms, at least 1.
	Times int
}

// Limits on compositions.
const (
	maxTimes = 1 << 20 // the largest number of mechanisms in one part, and of parts
	// maxTotal is the largest sum of epsilons. A guarantee above it would be useless.
	maxTotal = 1e8
)

// validateParts checks each part and the sum of epsilon.
func validateParts(parts []Part) error {
	if len(parts) == 0 || len(parts) > maxTimes {
		return argument.New("parts", "must be 1 to %d", maxTimes)
	}
	total := 0.0
	for i, p := range parts {
		if err := p.validate(); err != nil {
			return argument.In(fmt.Sprintf("parts[%d]", i), err)
		}
		total += float64(p.Times) * float64(p.Guarantee.Epsilon)
	}
	if total > maxTotal {
		return argument.New("parts", "have %g as the sum of epsilon, above %g", total, float64(maxTotal))
	}
	return nil
}

func (p Part) validate() error {
	if p.Times < 1 || p.Times > maxTimes {
		return argument.New("times", "must be 1 to %d, not %d", maxTimes, p.Times)
	}
	if err := p.Guarantee.Epsilon.Validate(); err != nil {
		return err
	}
	if p.Guarantee.Delta == 0 {
		return nil
	}
	return p.Guarantee.Delta.Validate()
}

// logKept returns -ln((1-d)^k) = -k·ln(1 - d), with k = Times and d the delta of one mechanism.
func (p Part) logKept() *big.Float {
	l := numeric.NegLogOneLess(numeric.BigOf(float64(p.Guarantee.Delta)))
	return l.Mul(l, numeric.BigOf(float64(p.Times)))
}

// spare returns the largest lost(eps) (see exactregion.go) that delta allows: 1 - (1 - delta)/(1 - d)^k. It is negative
// if the mechanisms' own deltas exceed delta.
func (p Part) spare(delta calibrate.Delta) *big.Float { return spare(delta, p.logKept()) }

// spare returns 1 - (1 - delta)/e^-kept. It may be negative.
func spare(delta calibrate.Delta, kept *big.Float) *big.Float {
	gap := numeric.NewBig().Sub(numeric.NegLogOneLess(numeric.BigOf(float64(delta))), kept)
	if gap.Sign() < 0 {
		return gap
	}
	return numeric.OneLessExp(gap)
}
