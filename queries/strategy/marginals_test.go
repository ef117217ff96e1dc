package strategy

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dprelease/dprelease/internal/mechanism/int128"

	"pgregory.net/rapid"
)

// adult are the numbers of values of the eight attributes of the UCI Adult table.
var adult = []int{7, 16, 7, 14, 6, 5, 2, 41}

// ways returns all sets with one of the given numbers of attributes.
func ways(attributes int, of ...int) []Set {
	var out []Set
	for _, k := range of {
		for s := Set(1); s < 1<<attributes; s++ {
			if s.Len() == k {
				out = append(out, s)
			}
		}
	}
	return out
}

func ones(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1
	}
	return w
}

// addRemove returns the change of the residuals for one row a unit.
func addRemove(m *Marginals) [][]float64 { return [][]float64{m.Added()} }

// The errors of tables of Adult equal those that independent code computed from the formulas of ResidualPlanner and
// HDMM.
func TestErrorsOfAdult(t *testing.T) {
	for _, c := range []struct {
		ways                    []int
		loss                    Loss
		best, averaged, alone   float64
		equal, joint, tolerance float64
	}{
		{[]int{1}, LossCells, 2.393, 2.443, 2.580, 2.83, 1485, 1e-3},
		{[]int{2}, LossCells, 3.938, 4.097, 4.583, 5.29, 455, 1e-3},
		{[]int{1, 2}, LossCells, 4.038, 4.126, 4.940, 6, 509, 1e-3},
		{[]int{1, 2, 3}, LossCells, 5.311, 5.429, 7.274, 9.59, 184, 1e-3},
		{[]int{1, 2}, LossTables, 4.643, 4.646, 6, 6, 1220, 1e-3},
		{[]int{1, 2}, LossLargest, 4.673, 0, 6, 6, 0, 1e-3},
	} {
		t.Run(fmt.Sprint(c.ways, c.loss), func(t *testing.T) {
			m, err := NewMarginals(adult, ways(8, c.ways...))
			if err != nil {
				t.Fatal(err)
			}
			weights := ones(len(m.Tables()))
			d, err := m.Solve(c.loss, weights, addRemove(m))
			if err != nil {
				t.Fatal(err)
			}
			near := func(what string, got, want, tolerance float64) {
				if want != 0 && math.Abs(got-want) > tolerance {
					t.Errorf("%s: %.5g, want %.5g", what, got, want)
				}
			}
			near("best", d.Error, c.best, c.tolerance)
			other := m.Compare(c.loss, weights)
			near("averaged", other.Averaged, c.averaged, c.tolerance)
			near("alone", other.Alone, c.alone, c.tolerance)
			near("equal", other.Equal, c.equal, 6e-3)
			near("joint", other.Joint, c.joint, 0.6)
			if d.Bound > d.Error || d.Error > d.Bound*(1+1e-6) {
				t.Errorf("error %g, bound %g", d.Error, d.Bound)
			}
			// all components together have mu = 1
			mu2 := 0.0
			for i, k := range addRemove(m)[0] {
				mu2 += k / d.Variances[i]
			}
			near("mu²", mu2, 1, 1e-9)
		})
	}
}

// workload draws a small workload.
func workload(t *rapid.T) *Marginals {
	sizes := rapid.SliceOfN(rapid.IntRange(1, 4), 1, 4).Draw(t, "sizes")
	all := ways(len(sizes), 1, 2, 3, 4)
	tables := rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, 6, func(s Set) Set { return s }).Draw(t, "tables")
	m, err := NewMarginals(sizes, tables)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// dense returns the contrasts of a residual as a dense matrix, with a row for each coordinate and a column for each
// cell of the table of the residual's attributes.
func (m *Marginals) dense(s Set) [][]*big.Int {
	cells := m.Cells(s)
	columns := make([][]*big.Int, m.Dimension(s))
	for j := range columns {
		columns[j] = make([]*big.Int, cells)
	}
	for u := range cells {
		one := make([]int64, cells)
		one[u] = 1
		y := m.Measure(s, s, one)
		for j := range columns {
			columns[j][u] = y.At(j).Big()
		}
	}
	return columns
}

// TestColumnsByHand compares the reported norms with the norms of the dense matrix, over all pairs of cells.
func TestColumnsByHand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := workload(t)
		for _, s := range m.Residuals() {
			a := m.dense(s)
			norm := func(u, v int) *big.Int { // the square of column u less column v, or of column u if v < 0
				sum := new(big.Int)
				for j := range a {
					x := new(big.Int).Set(a[j][u])
					if v >= 0 {
						x.Sub(x, a[j][v])
					}
					sum.Add(sum, x.Mul(x, x))
				}
				return sum
			}
			largest, replaced := new(big.Int), new(big.Int)
			for u := range m.Cells(s) {
				if n := norm(u, -1); n.Cmp(largest) > 0 {
					largest = n
				}
				for v := range m.Cells(s) {
					if n := norm(u, v); n.Cmp(replaced) > 0 {
						replaced = n
					}
				}
			}
			if got := m.ColumnNorm(s); got.Cmp(m.inRows2(largest, s)) != 0 {
				t.Fatalf("residual %b of %v: squared norm %v, by hand %v", s, m.sizes, got, m.inRows2(largest, s))
			}
			got, _ := m.replacedNorm(s).Float64()
			want, _ := m.inRows2(replaced, s).Float64()
			if want > got*(1+1e-15) || s != 0 && want < got*(1-1e-3) {
				t.Fatalf("residual %b of %v: squared norm of a replaced row %v, by hand %v", s, m.sizes, got, want)
			}
		}
	})
}

// TestMeasureAndReconstruct checks that tables that are reconstructed without noise equal the original ones, whichever
// table a residual is measured in.
func TestMeasureAndReconstruct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := workload(t)
		all := Set(1)<<len(m.sizes) - 1
		joint := rapid.SliceOfN(rapid.Int64Range(0, 1<<20), m.Cells(all), m.Cells(all)).Draw(t, "cells")
		table := func(a Set) []int64 {
			x, inner := int128.Narrow(joint), 1
			for i := len(m.sizes) - 1; i >= 0; i-- {
				if a.Has(1 << i) {
					inner *= m.sizes[i]
					continue
				}
				x = sumAlong(x, m.sizes[i], inner)
			}
			out := make([]int64, x.Len())
			for i := range out {
				out[i] = x.At(i).Big().Int64()
			}
			return out
		}
		for _, a := range m.Tables() {
			got := m.Reconstruct(a, func(s Set) []float64 {
				y := m.Measure(s, a, table(a))
				other := m.Measure(s, all, joint)
				out := make([]float64, y.Len())
				for i := range out {
					if y.At(i) != other.At(i) {
						t.Fatalf("residual %b differs between table %b and all", s, a)
					}
					out[i], _ = new(big.Float).SetInt(y.At(i).Big()).Float64()
					out[i] *= m.Quantum(s)
				}
				return out
			})
			for i, want := range table(a) {
				if math.Abs(got[i]-float64(want)) > 1e-6 {
					t.Fatalf("table %b of %v: cell %d is %g, want %d", a, m.sizes, i, got[i], want)
				}
			}
		}
	})
}

// TestVariances compares the stated variance of cells with the sum of squares of the coefficients of each coordinate,
// which it finds by reconstructing unit vectors.
func TestVariances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := workload(t)
		s2 := make([]float64, len(m.Residuals()))
		for i := range s2 {
			s2[i] = rapid.Float64Range(0.1, 10).Draw(t, "variance")
		}
		for k, a := range m.Tables() {
			variance := make([]float64, m.Cells(a))
			for i, s := range m.Residuals() {
				if !a.Has(s) {
					continue
				}
				for j := range m.Dimension(s) {
					unit := m.Reconstruct(a, func(r Set) []float64 {
						y := make([]float64, m.Dimension(r))
						if r == s {
							y[j] = 1
						}
						return y
					})
					for cell, x := range unit {
						variance[cell] += x * x * s2[i]
					}
				}
			}
			stated := m.variances(s2)[k]
			for cell, v := range variance {
				if v > stated*(1+1e-9) || v < stated*(1-1e-3) {
					t.Fatalf("table %b of %v: variance of cell %d is %g, stated %g", a, m.sizes, cell, v, stated)
				}
			}
		}
	})
}

// TestSimulatedErrors checks that the mean squared error of Adult's tables at mu = 1, over 40 simulations, is within 5
// standard errors of the stated one. It fails by chance with a probability below 10^-6.
func TestSimulatedErrors(t *testing.T) {
	m, err := NewMarginals(adult[2:6], ways(4, 1, 2))
	if err != nil {
		t.Fatal(err)
	}
	d, err := m.Solve(LossCells, ones(len(m.Tables())), addRemove(m))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	var errors []float64
	for range 40 {
		noise := map[Set][]float64{}
		for i, s := range m.Residuals() {
			for range m.Dimension(s) {
				noise[s] = append(noise[s], random.NormFloat64()*math.Sqrt(d.Variances[i]))
			}
		}
		sum, cells := 0.0, 0
		for _, a := range m.Tables() {
			for _, x := range m.Reconstruct(a, func(s Set) []float64 { return append([]float64(nil), noise[s]...) }) {
				sum += x * x
				cells++
			}
		}
		errors = append(errors, sum/float64(cells))
	}
	mean, square := 0.0, 0.0
	for _, x := range errors {
		mean += x / float64(len(errors))
	}
	for _, x := range errors {
		square += (x - mean) * (x - mean) / float64(len(errors)-1)
	}
	if want := d.Error * d.Error; math.Abs(mean-want) > 5*math.Sqrt(square/float64(len(errors))) {
		t.Errorf("mean squared error %g, stated %g", mean, want)
	}
}
