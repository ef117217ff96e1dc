package main

import "github.com/dprelease/dprelease/calibrate"

func at(epsilon, delta float64) calibrate.Guarantee {
	return calibrate.Guarantee{Epsilon: calibrate.Epsilon(epsilon), Delta: calibrate.Delta(delta)}
}
