package strategy

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/internal/owntest"
)

// Under replace-one, each replacement or removal of a row costs at most the stated mu², which is 1, and the most
// expensive one costs nearly 1. The test computes the costs with dense matrices.
func TestReplacedRowsTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := workload(t)
		loss := rapid.SampledFrom([]Loss{LossCells, LossTables, LossLargest}).Draw(t, "loss")
		d, err := m.Solve(loss, ones(len(m.Tables())), m.Replaced())
		if err != nil {
			t.Fatal(err)
		}
		stated := 0.0
		for i, k := range d.Costs {
			stated += k / d.Variances[i]
		}
		cells := 1
		for _, n := range m.sizes {
			cells *= n
		}
		// at returns the cell of a row in the table by the attributes s.
		at := func(s Set, row int) int {
			cell, stride := 0, 1
			for i := len(m.sizes) - 1; i >= 0; i-- {
				if s.Has(SetOf(i)) {
					cell, stride = cell+row%m.sizes[i]*stride, stride*m.sizes[i]
				}
				row /= m.sizes[i]
			}
			return cell
		}
		var columns [][][]float64
		for _, s := range m.Residuals() {
			var dense [][]float64
			for _, row := range m.dense(s) {
				var of []float64
				for _, x := range row {
					f, _ := new(big.Float).SetInt(x).Float64()
					of = append(of, f*m.Quantum(s))
				}
				dense = append(dense, of)
			}
			columns = append(columns, dense)
		}
		largest := 0.0
		for u := range cells {
			for v := -1; v < u; v++ { // v < 0: the row is removed
				mu2 := 0.0
				for i, s := range m.Residuals() {
					for _, row := range columns[i] {
						x := row[at(s, u)]
						if v >= 0 {
							x -= row[at(s, v)]
						}
						mu2 += x * x / d.Variances[i]
					}
				}
				largest = max(largest, mu2)
			}
		}
		if largest > stated || math.Abs(stated-1) > 1e-9 {
			t.Fatalf("%v by %v: mu² %.12f, stated %.12f", m.tables, m.sizes, largest, stated)
		}
		if largest < 1-1e-3 {
			t.Fatalf("%v by %v: no replacement has more than mu² %g", m.tables, m.sizes, largest)
		}
	})
}

// The errors of tables of Adult under replace-one, at epsilon 1 and delta 1e-6, have their known values, both if mu²
// adds up the largest change of each residual (alone), and if it is the largest sum for one replacement (together).
func TestReplacedRowsOfAdult(t *testing.T) {
	const sigma = 4.2247 // the noise of one row at that guarantee
	for _, c := range []struct {
		ways            []int
		alone, together float64
	}{{[]int{1}, 14.94, 14.46}, {[]int{1, 2}, 26.38, 24.26}, {[]int{1, 2, 3}, 35.64, 31.79}} {
		if len(c.ways) == 3 && !owntest.Checking() {
			continue
		}
		m, err := NewMarginals(adult, ways(8, c.ways...))
		if err != nil {
			t.Fatal(err)
		}
		alone := make([]float64, len(m.Residuals()))
		for i, s := range m.Residuals() {
			alone[i] = roundUp(m.replacedNorm(s))
		}
		for what, of := range map[string]struct {
			want    float64
			changes [][]float64
		}{"alone": {c.alone, [][]float64{alone}}, "together": {c.together, m.Replaced()}} {
			d, err := m.Solve(LossCells, ones(len(m.Tables())), of.changes)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("tables of %v dimensions, residuals %s: %.2f", c.ways, what, sigma*d.Error)
			if math.Abs(sigma*d.Error-of.want) > 0.01 {
				t.Errorf("tables of %v dimensions, residuals %s: %g, want %g", c.ways, what, sigma*d.Error, of.want)
			}
		}
	}
}

// The solution's error is at most the error of each design that a plan compares with it, for any tables, loss and
// weights.
func TestNoOtherWayIsBetter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := workload(t)
		loss := rapid.SampledFrom([]Loss{LossCells, LossTables, LossLargest}).Draw(t, "loss")
		weights := rapid.SliceOfN(rapid.Float64Range(0.01, 100), len(m.Tables()), len(m.Tables())).Draw(t, "weights")
		for unit, changes := range map[float64][][]float64{1: {m.Added()}, math.Sqrt2: m.Replaced()} {
			d, err := m.Solve(loss, weights, changes)
			if err != nil {
				t.Fatal(err)
			}
			other := m.Compare(loss, weights)
			for name, x := range map[string]float64{"equal": other.Equal, "alone": other.Alone, "averaged": other.Averaged,
				"joint": other.Joint} {
				if x > 0 && unit*x < d.Error*(1-1e-4) {
					t.Fatalf("%v by %v, %s, weights %v: %s has %g, the design %g", m.tables, m.sizes, loss, weights, name, unit*x, d.Error)
				}
			}
		}
	})
}
