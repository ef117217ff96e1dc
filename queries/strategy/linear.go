package strategy

import "math"

// Coefficients writes a weighted sum of the noisy cells of a table as a weighted sum of the noisy coordinates of its
// residuals, and returns the weights of the coordinates: out[i] belongs to residual i, and is nil if the table does not
// have this residual. Noise of different coordinates is independent, so the covariance of two sums, of one table or of
// two, is the sum over the residuals of the variance of a coordinate times the inner product of both sums' weights.
//
// weights[i] is the weight of cell i of the table. Cells are in the order of the attributes, the last one fastest.
func (m *Marginals) Coefficients(table Set, weights []float64) [][]float64 {
	out := make([][]float64, len(m.residuals))
	for i, s := range m.residuals {
		if table.Has(s) {
			out[i] = m.coefficients(table, s, weights)
		}
	}
	return out
}

// coefficients returns the weights of the coordinates of one residual. It is the transpose of add.
func (m *Marginals) coefficients(table, s Set, weights []float64) []float64 {
	share := 1.0
	for _, i := range (table &^ s).Attributes() {
		share /= float64(m.sizes[i])
	}
	w, inner := weights, 1
	attributes := table.Attributes()
	for k := len(attributes) - 1; k >= 0; k-- {
		i := attributes[k]
		if d := m.sizes[i]; s.Has(1 << i) {
			inner *= d
		} else {
			w = addAlong(w, d, inner)
		}
	}
	inner = 1
	attributes = s.Attributes()
	for k := len(attributes) - 1; k >= 0; k-- {
		c := m.contrasts[attributes[k]]
		w = c.spread(w, inner)
		inner *= c.size - 1
		share *= math.Ldexp(1, c.bits) // coordinates are multiples of the quantum
	}
	out := make([]float64, len(w))
	for i, x := range w {
		out[i] = x * share
	}
	return out
}

// addAlong adds up over an axis of size values, with inner numbers in a step of it.
func addAlong(x []float64, size, inner int) []float64 {
	out := make([]float64, len(x)/size)
	for i, v := range x {
		out[i/(inner*size)*inner+i%inner] += v
	}
	return out
}
