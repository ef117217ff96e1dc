package strategy

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A weighted sum of reconstructed cells equals the sum of the coordinates, weighted by Coefficients. For a single cell,
// the variance that follows from the coefficients is the stated variance of the table, up to the rounding of the
// contrasts.
func TestCoefficientsAreTheTransposeOfReconstruct(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	m, err := NewMarginals([]int{3, 2, 5, 1}, []Set{SetOf(0, 1), SetOf(1, 2), SetOf(0, 2, 3), SetOf(2)})
	if err != nil {
		t.Fatal(err)
	}
	measured := map[Set][]float64{}
	variances := make([]float64, len(m.Residuals()))
	for i, s := range m.Residuals() {
		y := make([]float64, m.Dimension(s))
		for j := range y {
			y[j] = r.NormFloat64()
		}
		measured[s], variances[i] = y, 1+r.Float64()
	}
	for _, table := range m.Tables() {
		cells := m.Reconstruct(table, func(s Set) []float64 { return measured[s] })
		weights := make([]float64, len(cells))
		want := 0.0
		for i, x := range cells {
			weights[i] = r.NormFloat64()
			want += weights[i] * x
		}
		got := 0.0
		for i, c := range m.Coefficients(table, weights) {
			for j, x := range c {
				got += x * measured[m.Residuals()[i]][j]
			}
		}
		if math.Abs(got-want) > 1e-12*math.Abs(want)+1e-12 {
			t.Errorf("table %v: the sum of cells is %v, that of coordinates %v", table.Attributes(), want, got)
		}
		for cell := range cells {
			one := make([]float64, len(cells))
			one[cell] = 1
			variance := 0.0
			for i, c := range m.Coefficients(table, one) {
				for _, x := range c {
					variance += x * x * variances[i]
				}
			}
			if stated := m.Variance(table, variances); math.Abs(variance/stated-1) > 1e-6 {
				t.Errorf("table %v: the variance of cell %d is %v, stated is %v", table.Attributes(), cell, variance, stated)
			}
		}
	}
}
