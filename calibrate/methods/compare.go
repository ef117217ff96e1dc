package methods

import (
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// Comparison is the noise that one method needs for a guarantee.
type Comparison struct {
	Method Method
	// Sigma is the value of the formula, in the sensitivity's unit, or 0 if the formula has no value.
	Sigma calibrate.Sigma
	// Excess is sigma divided by the least sigma, minus 1: the noise that is wasted. It is below 0 if the formula gives
	// too little noise.
	Excess float64
	// Holds reports whether this sigma is proven to give the guarantee.
	Holds bool
	// UpTo is the largest epsilon for which the formula holds at this delta.
	UpTo calibrate.Epsilon
	// Err is the reason why the method has no value, or nil.
	Err error
}

// Compare returns a comparison for each method at one guarantee, in the order of Methods. Errors: as for
// AnalyticGaussian and Method.Threshold.
func Compare(s calibrate.Sensitivity, g calibrate.Guarantee) ([]Comparison, error) {
	least, err := calibrate.AnalyticGaussian(s, g)
	if err != nil {
		return nil, err
	}
	rows := make([]Comparison, 0, len(closedForms)+1)
	for _, m := range Methods() {
		c := Comparison{Method: m}
		if c.UpTo, err = m.Threshold(g.Delta); err != nil {
			return nil, err
		}
		if c.Sigma, c.Err = m.Formula(s, g); c.Err == nil {
			c.Excess = excess(float64(c.Sigma), float64(least))
			c.Holds = numeric.Meets(float64(g.Epsilon), numeric.Quotient{Num: s.L2, Den: float64(c.Sigma)}, float64(g.Delta))
		}
		rows = append(rows, c)
	}
	return rows, nil
}

// excess returns x/least - 1, at most the largest float64.
func excess(x, least float64) float64 { return math.Min(x/least-1, math.MaxFloat64) }
