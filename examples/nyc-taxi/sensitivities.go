package main

import (
	"math"

	"github.com/dprelease/dprelease/examples/internal/experiment"
)

// sensitivities shows by how much five events of a cab at one junction change a map, for kernels of several widths:
// with shares that add up to one, and with densities that do not.
func (e *evaluation) sensitivities() error {
	table := experiment.Table{Columns: []string{"bandwidth_m", "unit_mass_norm", "unit_mass_sensitivity",
		"unnormalised_norm", "unnormalised_sensitivity"}}
	for _, h := range []float64{100, 150, 200} {
		unit, plain := 0.0, 0.0
		for i := range e.places {
			u, p := e.norms(i, h)
			unit, plain = max(unit, u), max(plain, p)
		}
		table.Add(h, unit, sensitivity*unit, plain, sensitivity*plain)
	}
	return e.Table("kernel_sensitivity", table)
}

// norms returns the Euclidean norm of what one event at each junction adds.
func (e *evaluation) norms(junction int, h float64) (unit, unnormalised float64) {
	_, share := e.shares(junction, h)
	most := 0.0 // the share of the junction itself, if its density is 1
	for _, w := range share {
		unit += w * w
		most = max(most, w)
	}
	return math.Sqrt(unit), math.Sqrt(unit) / most
}
