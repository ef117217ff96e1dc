package calibrate

import "github.com/dprelease/dprelease/calibrate/methods"

// question is a verb with one number as its answer.
type question struct {
	name, short, long, example string
	// needs names the flags, or the columns of a batch, that it reads beside the sensitivity.
	needs []string
	// methods are those that can answer.
	methods []methods.Method
	answer  func(methods.Method, *given) (float64, error)
}

var questions = []question{
	{
		name: "sigma", short: "The noise that an epsilon and a delta need", needs: []string{"epsilon",
			"delta"}, methods: methods.Methods(),
		long: `sigma prints the standard deviation of Gaussian noise that gives (epsilon, delta)-differential privacy at an L2 sensitivity.

With --mechanism analytic it is the least float64 that does. The others are the closed forms of the literature, for comparison:
they are never below their formula, and if a formula does not give the guarantee, the answer is an error that says up to which
epsilon it does (exit code 1).`,
		example: "  release calibrate sigma --epsilon 1 --delta 1e-6\n  release calibrate sigma --mechanism dwork-2014 " +
			"--batch < points.csv",
		answer: func(m methods.Method, in *given) (float64, error) {
			sigma, err := m.Sigma(in.sensitivity, in.guarantee)
			return float64(sigma), err
		},
	},
	{
		name: "delta", short: "The delta of a noise at an epsilon", needs: []string{"epsilon",
			"sigma"}, methods: []methods.Method{methods.Analytic},
		long: "delta prints the least delta for which Gaussian noise is proven to be (epsilon, delta)-differentially " +
			"private.",
		example: "  release calibrate delta --epsilon 1 --sigma 4",
		answer: func(_ methods.Method, in *given) (float64, error) {
			delta, err := in.mechanism().Delta(in.guarantee.Epsilon)
			return float64(delta), err
		},
	},
	{
		name: "epsilon", short: "The epsilon of a noise at a delta", needs: []string{"delta",
			"sigma"}, methods: []methods.Method{methods.Analytic},
		long: "epsilon prints the least epsilon for which Gaussian noise is proven to be (epsilon, " +
			"delta)-differentially private.",
		example: "  release calibrate epsilon --delta 1e-6 --sigma 4",
		answer: func(_ methods.Method, in *given) (float64, error) {
			eps, err := in.mechanism().Epsilon(in.guarantee.Delta)
			return float64(eps), err
		},
	},
}
