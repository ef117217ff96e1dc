package strategy

import (
	"math"
	"math/big"
	"testing"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/queries/bounding"

	"pgregory.net/rapid"
)

var oneRow = bounding.Limits{Rows: 1, Cells: 1, RowsPerCell: 1}

// The errors of the factorization, for units with one row, equal the results of independent code.
func TestErrorsOfPrefixSums(t *testing.T) {
	for _, c := range []struct {
		n                  int
		cells, want, least float64
	}{{100, 7.11, 2.37, 2.178}, {1000, 22.4, 3.10, 2.902}, {10000, 70.7, 3.84, 3.634}} {
		o := NewOrdered(c.n, 1, oneRow)
		errors := map[string]float64{}
		for _, x := range o.Considered() {
			errors[x.Name] = x.Error
		}
		if o.Form() != FormPrefix || math.Abs(errors["prefix"]-c.want) > 0.006 || math.Abs(errors["cells"]-c.cells) > 0.06 {
			t.Errorf("n = %d: %s of %v, want prefix %g", c.n, o.Form(), errors, c.want)
		}
		if got := LeastOrdered(c.n, 1); math.Abs(got-c.least) > 0.0006 {
			t.Errorf("n = %d: no factorization has less than %g, want %g", c.n, got, c.least)
		}
		t.Log(c.n, errors)
	}
}

// NewOrdered chooses the form with the smallest error, for all limits. If units have many rows, this can be a tree or a
// plain histogram. No error is below the lower bound.
func TestLeastIsTaken(t *testing.T) {
	for _, n := range []int{1, 2, 5, 100, 1000} {
		for _, b := range []bounding.Limits{oneRow, {Rows: 5, Cells: 5, RowsPerCell: 1},
			{Rows: 20, Cells: 20, RowsPerCell: 1}, {Rows: 5, Cells: 1, RowsPerCell: 5}, {Rows: 7, Cells: 4, RowsPerCell: 2},
			{Rows: 1000, Cells: 1000, RowsPerCell: 1},
			{Rows: math.MaxInt64, Cells: 50, RowsPerCell: math.MaxInt64 / 50}} {
			o := NewOrdered(n, 1, b)
			chosen := o.rootMean()
			for _, c := range o.Considered() {
				if least := LeastOrdered(n, b.RowsPerCell); c.Error < least*(1-1e-12) {
					t.Errorf("n = %d, %v: %s has %g, below the bound %g", n, b, c.Name, c.Error, least)
				}
				if c.Error < chosen {
					t.Errorf("n = %d, %v: took %s of %g, %s has %g", n, b, o.Form(), chosen, c.Name, c.Error)
				}
			}
			t.Log(n, b, o.Form(), o.Considered())
		}
	}
}

// neighbours calls f with the row counts, by cell, of every unit within bounds.
func neighbours(cells int, b bounding.Limits, f func([]int64)) {
	c := make([]int64, cells)
	var fill func(i int, rows, groups int64)
	fill = func(i int, rows, groups int64) {
		if i == cells {
			f(c)
			return
		}
		for k := int64(0); k <= min(rows, b.RowsPerCell); k++ {
			if k > 0 && groups == 0 {
				break
			}
			c[i] = k
			used := int64(0)
			if k > 0 {
				used = 1
			}
			fill(i+1, rows-k, groups-used)
		}
		c[i] = 0
	}
	fill(0, b.Rows, b.Cells)
}

func norm2(w int128.Slice) *big.Int {
	sum := new(big.Int)
	for i := range w.Len() {
		x := w.At(i).Big()
		sum.Add(sum, x.Mul(x, x))
	}
	return sum
}

// TestNoUnitChangesMore checks that no unit changes a level by more than its stated norm. It tries every unit over
// small domains, with one axis and with two.
func TestNoUnitChangesMore(t *testing.T) {
	for _, c := range []struct{ n, axes int }{{1, 1}, {2, 1}, {5, 1}, {6, 1}, {3, 2}} {
		for _, b := range []bounding.Limits{oneRow, {Rows: 3, Cells: 3, RowsPerCell: 1},
			{Rows: 4, Cells: 2, RowsPerCell: 2}, {Rows: 5, Cells: 3, RowsPerCell: 2}, {Rows: 3, Cells: 2, RowsPerCell: 2},
			{Rows: 4, Cells: 4, RowsPerCell: 3}} {
			b.Cells = min(b.Cells, int64(c.n*c.axes))
			b.Rows = min(b.Rows, b.Cells*b.RowsPerCell)
			all := []*Ordered{newCells(c.n, b), newFactorized(c.n, b)}
			if c.n > 2 {
				all = append(all, newLevels(c.n, 2, b))
			}
			for _, o := range all {
				largest := make([]*big.Int, len(o.Levels()))
				for l := range largest {
					largest[l] = new(big.Int)
				}
				neighbours(c.n*c.axes, b, func(x []int64) {
					norms := make([]*big.Int, len(largest))
					for axis := range c.axes {
						for l, y := range o.Measure(x[axis*c.n : (axis+1)*c.n]) {
							if norms[l] == nil {
								norms[l] = new(big.Int)
							}
							norms[l].Add(norms[l], norm2(y))
						}
					}
					for l, x := range norms {
						if x.Cmp(largest[l]) > 0 {
							largest[l].Set(x)
						}
					}
				})
				for l, level := range o.Levels() {
					got := new(big.Rat).SetInt(largest[l])
					quantum := new(big.Rat).SetFloat64(level.Quantum)
					got.Mul(got, quantum.Mul(quantum, quantum))
					if got.Cmp(level.Norm2) > 0 {
						t.Errorf("%s, n = %d, %d axes, %v: a unit changes level %d by %v, stated %v", o.Form(), c.n, c.axes, b, l, got,
							level.Norm2)
					}
					if _, attained := newSquareRoot(c.n).norm2(b); o.Form() == FormPrefix && c.axes == 1 && attained &&
						got.Cmp(level.Norm2) != 0 {
						t.Errorf("n = %d, %v: stated %v is not attained: %v", c.n, b, level.Norm2, got)
					}
				}
			}
		}
	}
}

// TestSumsComeBack checks that without noise the estimated cumulative counts are exact, and that the stated variances
// follow from the coefficients of the estimates.
func TestSumsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 20).Draw(t, "n")
		for _, o := range []*Ordered{newCells(n, oneRow), newFactorized(n, oneRow), newLevels(n, 2, oneRow),
			newLevels(n, 3, oneRow)} {
			counts := rapid.SliceOfN(rapid.Int64Range(0, 1<<30), n, n).Draw(t, "counts")
			var y, zero [][]float64
			var deviations []float64
			for l, w := range o.Measure(counts) {
				values := make([]float64, w.Len())
				for i := range values {
					values[i], _ = new(big.Float).SetInt(w.At(i).Big()).Float64()
					values[i] *= o.Levels()[l].Quantum
				}
				y, zero = append(y, values), append(zero, make([]float64, w.Len()))
				deviations = append(deviations, rapid.Float64Range(0.5, 3).Draw(t, "deviation"))
			}
			sum := 0.0
			for i, got := range o.Sums(y, deviations) {
				if sum += float64(counts[i]); math.Abs(got-sum) > 1e-6*(1+sum) {
					t.Fatalf("%s of %d: sum %d is %g, want %g", o.Form(), n, i, got, sum)
				}
			}
			spread := o.Spread(deviations)
			variance, withLast, cells := make([]float64, n), make([]float64, n), make([]float64, n)
			for l := range zero {
				for j := range zero[l] {
					zero[l][j] = deviations[l]
					unit := o.Sums(zero, deviations)
					zero[l][j] = 0
					before := 0.0
					for i, x := range unit {
						variance[i] += x * x
						withLast[i] += x * unit[n-1]
						cells[i] += (x - before) * (x - before)
						before = x
					}
				}
			}
			for i := range variance {
				if math.Abs(variance[i]-spread.Variance[i]) > 1e-9*variance[i] ||
					math.Abs(withLast[i]-spread.WithLast[i]) > 1e-9*variance[n-1] ||
					math.Abs(cells[i]-spread.Cells[i]) > 1e-9*cells[i] {
					t.Fatalf("%s of %d: variance of sum %d is %g, stated %g; with the last %g, stated %g; of the cell %g, stated %g",
						o.Form(), n, i, variance[i], spread.Variance[i], withLast[i], spread.WithLast[i], cells[i], spread.Cells[i])
				}
			}
		}
	})
}
