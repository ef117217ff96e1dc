package main

import "github.com/dprelease/dprelease/calibrate"

// at returns the guarantee with this epsilon and delta.
func at(epsilon, delta float64) calibrate.Guarantee {
	return calibrate.Guarantee{Epsilon: calibrate.Epsilon(epsilon), Delta: calibrate.Delta(delta)}
}
