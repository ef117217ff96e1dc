package strategy

import (
	"math"
	"slices"
)

// Coefficients converts a weighted sum of a table's noisy cells to a weighted sum of the noisy coordinates of the
// table's residuals. weights[i] is the weight of cell i; the last attribute of the table changes fastest. out[j] holds
// the weights of the coordinates of residual j, and is nil if the table does not contain residual j.
//
// The coordinates have independent noise. So the covariance of two such sums is a sum over the residuals: the variance
// of a coordinate of residual j times the inner product of the two out[j].
func (m *Marginals) Coefficients(table Set, weights []float64) [][]float64 {
	out := make([][]float64, len(m.residuals))
	for i, s := range m.residuals {
		if table.Has(s) {
			out[i] = m.coefficients(table, s, weights)
		}
	}
	return out
}

// coefficients returns the weights of the coordinates of residual s. It is the transpose of addResidual.
func (m *Marginals) coefficients(table, s Set, weights []float64) []float64 {
	share := 1.0
	for _, i := range (table &^ s).Attributes() {
		share /= float64(m.sizes[i])
	}
	w, inner := weights, 1
	for _, i := range slices.Backward(table.Attributes()) {
		if d := m.sizes[i]; s.Has(1 << i) {
			inner *= d
		} else {
			w = addAlong(w, d, inner)
		}
	}
	inner = 1
	for _, i := range slices.Backward(s.Attributes()) {
		c := m.contrasts[i]
		w = c.spread(w, inner)
		inner *= c.size - 1
		share *= math.Ldexp(1, c.bits) // coordinates are counted in multiples of the quantum
	}
	out := make([]float64, len(w))
	for i, x := range w {
		out[i] = x * share
	}
	return out
}

// addAlong sums over an axis of size values. inner is the stride of the axis: two neighbouring values along it are
// inner numbers apart in x.
func addAlong(x []float64, size, inner int) []float64 {
	out := make([]float64, len(x)/size)
	for i, v := range x {
		out[i/(inner*size)*inner+i%inner] += v
	}
	return out
}
