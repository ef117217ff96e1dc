package graph

// EnsembleOptions holds the options of [TreeEnsemble].
type EnsembleOptions struct {
	// Penalty is λ, or how to choose it, in both passes. Its Sigma is the standard deviation of the noise.
	Penalty Penalty
	// Floor > 0 is added to the pilot's values, as a multiple of their mean. If it is infinite, there is no second pass.
	// If it is 0, several floors are tried, and Penalty.Sigma must be positive.
	Floor float64
	// Trees is the number of trees in each half. If it is 0, there are 16 trees, or 8 if there are two halves and more
	// than 50,000 nodes.
	Trees int
	// Signed is set if estimates below 0 are not replaced by 0.
	Signed bool
	Run    Run
}
