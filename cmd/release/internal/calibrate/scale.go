package calibrate

import (
	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
)

// The mechanisms that scale knows.
const (
	laplaceNoise   methods.Method = "laplace"
	geometricNoise methods.Method = "geometric"
)

var scaleQuestion = question{
	name: "scale", short: "The Laplace or geometric noise that an epsilon and a delta need", needs: []string{"epsilon",
		"delta"},
	methods: []methods.Method{laplaceNoise, geometricNoise},
	long: `scale prints the scale of Laplace noise, or of two-sided geometric noise for integers, that gives (epsilon, delta)-differential privacy at an
L1 sensitivity: the least that does, by the exact privacy curve. delta may be 0.`,
	example: "  release calibrate scale --epsilon 1 --delta 0\n  release calibrate scale --mechanism geometric " +
		"--epsilon 1 --delta 1e-6 --sensitivity 2",
	answer: func(m methods.Method, in *given) (float64, error) {
		if m == laplaceNoise {
			return calibrate.LaplaceScale(in.sensitivity.L2, in.guarantee)
		}
		whole, err := in.geometric(1)
		if err != nil {
			return 0, err
		}
		return methods.GeometricScale(whole.L1, in.guarantee)
	},
}
