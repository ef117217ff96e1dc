package graph

import "math"

// Fit is an estimate with its degrees of freedom and parameters.
type Fit struct {
	// X has one value per node, in the unit of the noisy values.
	X []float64
	// DF is the estimate's degrees of freedom, the divergence Σ ∂x_i/∂y_i for fixed λ and other parameters.
	DF float64
	// Leverage is ∂x_i/∂y_i for each node, or nil if the method does not compute it.
	Leverage []float64
	// Lambda is the penalty or threshold that was used, in the unit of the values. It is 0 if there is none, or more than
	// one.
	Lambda float64
	// Floor is the floor that [TreeEnsemble] used, divided by the mean of the pilot's values. It is 0 for other methods.
	Floor float64
	// Gap is a proven upper bound on the difference between the objective (half the sum of squares plus the penalty) and
	// its minimum. It is 0 if the solver is exact.
	Gap float64
}

// SURE returns Stein's unbiased estimate of the risk E‖x−f‖², for n values, in their squared unit:
//
//	‖y−x‖² − n·s² + 2·s²·DF
//
// for noise of standard deviation s. Its own standard deviation is about s²·√(2n). For an estimate that was chosen
// because its SURE is the smallest, it is too low.
//
// Source: Stein, "Estimation of the mean of a multivariate normal distribution", Annals of Statistics 9, 1981.
func (f *Fit) SURE(y []float64, s float64) float64 {
	var sum float64
	for i, v := range y {
		d := v - f.X[i]
		sum += float64(d * d)
	}
	return sum + float64(float64(s*s)*(float64(2*f.DF)-float64(len(y))))
}

// Clip returns the fit with negative values replaced by 0. Its DF is the sum of ∂x_i/∂y_i over all x_i > 0. If the
// leverages are unknown, DF is unchanged, which is an upper bound for projections.
func (f *Fit) Clip() *Fit {
	out := *f
	out.X = make([]float64, len(f.X))
	for i, v := range f.X {
		out.X[i] = math.Max(v, 0)
	}
	if f.Leverage == nil {
		return &out
	}
	out.DF, out.Leverage = 0, make([]float64, len(f.X))
	for i, v := range f.X {
		if v > 0 {
			out.Leverage[i] = f.Leverage[i]
			out.DF += f.Leverage[i]
		}
	}
	return &out
}
