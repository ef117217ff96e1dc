package main

import (
	"math"

	"github.com/dprelease/dprelease/examples/internal/experiment"
)

// sensitivities shows the sensitivity of maps for kernels of several widths: how much five events at one junction
// change a map. It compares weights that sum to 1 with a density that is not normalized.
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

// norms returns the L2 norm of what one event at a junction adds to a map, with weights that sum to 1 and with an
// unnormalized density.
func (e *evaluation) norms(junction int, h float64) (unit, unnormalised float64) {
	_, share := e.shares(junction, h)
	most := 0.0 // the weight of the junction itself, whose unnormalized density is 1
	for _, w := range share {
		unit += w * w
		most = max(most, w)
	}
	return math.Sqrt(unit), math.Sqrt(unit) / most
}
