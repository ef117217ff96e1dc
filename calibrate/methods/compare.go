package methods

import (
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// Comparison is what one method needs for a guarantee.
type Comparison struct {
	Method Method
	// Sigma is the formula's, in the sensitivity's unit; 0 if it has no value.
	Sigma calibrate.Sigma
	// Excess is sigma over the least one, less 1: how much noise is wasted; below 0 if the formula does not hold.
	Excess float64
	// Holds says whether this sigma is proven to give the guarantee.
	Holds bool
	// UpTo is the epsilon up to which the formula holds at this delta.
	UpTo calibrate.Epsilon
	// Err says why the method has no value.
	Err error
}

// Compare returns every method at one guarantee, in the order of Methods. Errors are those of AnalyticGaussian.
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

// excess is how much larger x is than least, relative; the largest float64 if it is above that.
func excess(x, least float64) float64 { return math.Min(x/least-1, math.MaxFloat64) }
