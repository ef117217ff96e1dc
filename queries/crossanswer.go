package queries

import (
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/strategy"
)

// The key columns of a crosstabs' answer: the dimensions of a residual, and the number of its coordinate.
const (
	residualKey   = "residual"
	coordinateKey = "coordinate"
)

// Finish makes the answer, the noisy coordinates of the residuals, and reads the tables off it.
func (q *crossing) Finish(noisy, estimate []mechanism.Noisy) (Answer, error) {
	residuals := q.margins.Residuals()
	var lengths []int
	for _, r := range residuals {
		lengths = append(lengths, q.margins.Dimension(r))
	}
	if err := checkComponents(q.Name(), noisy, estimate, lengths...); err != nil {
		return Answer{}, err
	}
	a := Answer{Cells: q.cells}
	names, coordinates := make([]string, 0, q.cells), make([]int64, 0, q.cells)
	values, deviations := make([]float64, q.cells), make([]float64, 0, q.cells)
	measured := map[strategy.Set][]float64{}
	for i, r := range residuals {
		first := len(names)
		y := values[first : first+lengths[i]]
		noisy[i].Fill(0, y)
		measured[r] = y
		for j := range lengths[i] {
			names, coordinates = append(names, q.names[i]), append(coordinates, int64(j))
			deviations = append(deviations, noisy[i].Mechanism().Deviation())
		}
	}
	a.Keys = []domain.KeyColumn{{Name: residualKey, Stride: 1, Labels: domain.Labels{Strings: names}}, {Name: coordinateKey, Stride: 1, Labels: domain.Labels{Ints: coordinates}}}
	a.Noisy, a.Estimate, a.Sigma = held(values), held(values), held(deviations)
	a.Low, a.High = beside(values, deviations, -1), beside(values, deviations, 1)
	a.Readings = q.read(measured, noisy)
	return a, nil
}

// read puts the tables together.
func (q *crossing) read(measured map[strategy.Set][]float64, noisy []mechanism.Noisy) []Reading {
	var out []Reading
	names := q.tableNames()
	for k, t := range q.margins.Tables() {
		variance := 0.0
		for i, r := range q.margins.Residuals() {
			if t.Has(r) {
				sd := noisy[i].Mechanism().Deviation()
				variance += q.margins.Factor(t, r) * (sd * sd)
			}
		}
		cells := held(q.margins.Reconstruct(t, func(r strategy.Set) []float64 { return measured[r] }))
		a := normal(cells, cells, math.Sqrt(variance))
		a.Cells = q.margins.Cells(t)
		var axes []domain.Axis
		for _, i := range t.Attributes() {
			axes = append(axes, q.axes[i])
		}
		a.Keys = domain.KeyColumns(axes)
		out = append(out, Reading{Name: names[k], Answer: a})
	}
	return out
}

// held yields values that are in memory.
func held(values []float64) Series {
	return func(start int, dst []float64) { copy(dst, values[start:]) }
}

// beside yields an end of the 95 % intervals of values: below them if direction is -1, above if it is 1.
func beside(values, deviations []float64, direction float64) Series {
	return func(start int, dst []float64) {
		for i := range dst {
			half := math.Nextafter(calibrate.Z95*deviations[start+i], math.Inf(1))
			dst[i] = math.Nextafter(values[start+i]+direction*half, math.Inf(int(direction)))
		}
	}
}

// Recover reads the coordinates of the residuals back.
func (q *crossing) Recover(c Columns, grids []float64) (out Recovered, err error) {
	residuals := q.margins.Residuals()
	if len(grids) != len(residuals) || len(c.Noisy) != q.cells {
		return out, errInexact
	}
	first := 0
	for i, r := range residuals {
		n := q.margins.Dimension(r)
		units, err := toUnits(c.Noisy[first:first+n], grids[i])
		if err != nil {
			return out, err
		}
		out.Units = append(out.Units, units)
		first += n
	}
	return out, nil
}
