package graph

import "fmt"

// EnsembleOptions are the parameters of [TreeEnsemble].
type EnsembleOptions struct {
	// Penalty is λ, or how to choose it, in both passes. Its Sigma is the noise's standard deviation.
	Penalty Penalty
	// Floor > 0 is added to the pilot's values, as a multiple of their mean. If it is infinite, there is no second pass.
	// If it is 0, several floors are tried, which requires Penalty.Sigma.
	Floor float64
	// Trees is the number of trees in each half. If it is 0, there are 16, or 8 if there are two halves and over 50,000
	// nodes.
	Trees int
	// Signed: estimates below 0 are kept.
	Signed bool
	Run    Run
}

func (o EnsembleOptions) check() error {
	if err := o.Penalty.check(); err != nil {
		return err
	}
	if !(o.Floor >= 0) {
		return &OptionError{"floor", fmt.Sprintf("%v is not a number of at least 0", o.Floor)}
	}
	if o.Floor == 0 && o.Penalty.Sigma == 0 {
		return &OptionError{"floor", "it cannot be chosen without sigma"}
	}
	return checkTrees(o.Trees)
}
