package denoise

import "math"

// Fit is an estimate with its degrees of freedom, from which its risk can be estimated.
type Fit struct {
	// X are the estimates, in the unit of the noisy values.
	X []float64
	// DF is the degrees of freedom, the divergence Σ ∂x_i/∂y_i. For the noisy values themselves it is the number of cells.
	// For an estimate that does not depend on them it is 0.
	DF float64
	// Notes are public sentences about choices that were made from the noisy values, such as a threshold.
	Notes []string
}

// SURE returns Stein's unbiased estimate of the squared error ‖x − f‖² of an estimate x of the mean f of y:
//
//	‖y − x‖² − d·s² + 2·s²·df
//
// in the squared unit of y, at most MaxFloat64 in absolute value. It may be negative. Its own standard deviation is
// near s²·√(2d), so it is useful mainly for the difference between two estimates from the same y. The smallest of
// several SURE values is too small for the error of its estimate; [ExpectedError] is not.
//
// Source: Stein, "Estimation of the mean of a multivariate normal distribution", Annals of Statistics 9, 1981.
func (f Fit) SURE(y []float64, s float64) float64 {
	return publishable(s * (s * f.relativeRisk(y, s)))
}

// relativeRisk returns SURE divided by s², the error of one noisy value.
func (f Fit) relativeRisk(y []float64, s float64) float64 {
	sum := 2*f.DF - float64(len(y))
	for i, x := range f.X {
		u := (y[i] - x) / s
		sum += float64(u * u)
	}
	return min(sum, math.MaxFloat64)
}
