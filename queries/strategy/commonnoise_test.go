package strategy

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/queries/bounding"
)

// contributions returns all row counts of a unit in some cells within bounds, including zero.
func contributions(cells int, b bounding.Limits) (all [][]int64) {
	var next func(c []int64, rows, groups int64)
	next = func(c []int64, rows, groups int64) {
		if len(c) == cells {
			all = append(all, append([]int64{}, c...))
			return
		}
		for n := int64(0); n <= min(b.RowsPerCell, rows); n++ {
			if used := min(n, 1); used <= groups {
				next(append(c, n), rows-n, groups-used)
			}
		}
	}
	next(nil, b.Rows, b.Cells)
	return all
}

// forSmallBounds calls f for all bounds with up to 6 rows, over up to 5 cells, and for bounds with one row a cell over
// 6 to 9 cells.
func forSmallBounds(f func(cells int, b bounding.Limits)) {
	for cells := 1; cells <= 5; cells++ {
		for groups := int64(1); groups <= int64(cells); groups++ {
			for m := int64(1); m <= 4; m++ {
				for k := m; k <= min(6, groups*m); k++ {
					f(cells, bounding.Limits{Rows: k, Cells: groups, RowsPerCell: m})
				}
			}
		}
	}
	for cells := 6; cells <= 9; cells++ {
		for groups := int64(1); groups <= int64(cells); groups++ {
			f(cells, bounding.Limits{Rows: groups, Cells: groups, RowsPerCell: 1})
		}
	}
}

// residual2 returns the squared norm of c − a·units·(1, …, 1), with a = p·2^(−10).
func residual2(c []int64, units, p int64) *big.Rat {
	sum := new(big.Int)
	for _, x := range c {
		y := big.NewInt(x<<commonBits - p*units)
		sum.Add(sum, y.Mul(y, y))
	}
	return new(big.Rat).SetFrac(sum, new(big.Int).Lsh(big.NewInt(1), 2*commonBits))
}

func rowsOf(c []int64) (n int64) {
	for _, x := range c {
		n += x
	}
	return n
}

// Under add-remove, residualNorm2 is the largest squared norm of any unit's change, for every possible fraction a.
func TestSharedNormIsAttained(t *testing.T) {
	forSmallBounds(func(cells int, b bounding.Limits) {
		all := contributions(cells, b)
		s := &CommonNoise{cells: cells}
		for p := int64(0); p <= b.RowsPerCell<<commonBits/2; p += 211 {
			largest := new(big.Rat)
			for _, c := range all {
				if x := residual2(c, 1, p); rowsOf(c) > 0 && x.Cmp(largest) > 0 {
					largest = x
				}
			}
			if got := s.residualNorm2(big.NewRat(p, 1<<commonBits), b); got.Cmp(largest) != 0 {
				t.Fatalf("%d cells, %+v, p = %d: %v, attained %v", cells, b, p, got, largest)
			}
		}
	})
}

// squaredAlone returns the squared sensitivity of the cells: the largest squared distance of two contributions, one of
// which is zero under add-remove.
func squaredAlone(all [][]int64, replaced bool) *big.Int {
	largest := int64(0)
	for _, c := range all {
		for _, o := range all {
			d := int64(0)
			for i := range c {
				d += (c[i] - o[i]) * (c[i] - o[i])
			}
			if replaced || rowsOf(o) == 0 {
				largest = max(largest, d)
			}
		}
	}
	return big.NewInt(largest)
}

// If cells and units have the noise that the weights give, the change between any two neighbouring tables costs at most
// mu² = 1. The test tries all pairs. The stated standard deviation of a cell is right, and never above the deviation
// with independent noise. Under replace-one, the noise is independent.
func TestSharedNeighboursSpendAtMostMu(t *testing.T) {
	taken, most := 0, 100
	if owntest.Checking() {
		most = 250
	}
	forSmallBounds(func(cells int, b bounding.Limits) {
		all := contributions(cells, b)
		if len(all) > most {
			return
		}
		for _, replaced := range []bool{false, true} {
			alone := squaredAlone(all, replaced)
			s := NewCommonNoise(cells, b, alone, replaced)
			what := fmt.Sprintf("%d cells, %+v, replaced %v, %s", cells, b, replaced, s.Form())
			root := math.Sqrt(float64(alone.Int64()))
			if s.Error() > root || replaced && s.Form() != FormCells {
				t.Fatalf("%s: deviation %g, the cells alone %g", what, s.Error(), root)
			}
			norm, _ := s.Norm2().Float64()
			cellShare, unitShare := s.Weights()
			variance := norm / cellShare
			if s.Form() == FormCommonNoise {
				taken++
				if s.Argument(b) == "" {
					t.Fatalf("%s: no argument", what)
				}
				variance += s.Share() * s.Share() / unitShare
			}
			if math.Abs(math.Sqrt(variance)-s.Error()) > 1e-12 {
				t.Fatalf("%s: %g, stated %g", what, math.Sqrt(variance), s.Error())
			}
			for _, c := range all {
				for _, o := range all {
					if !replaced && rowsOf(o) > 0 {
						continue
					}
					diff := make([]int64, cells)
					for i := range c {
						diff[i] = c[i] - o[i]
					}
					units := min(rowsOf(c), 1) - min(rowsOf(o), 1)
					y, _ := residual2(diff, units, s.p).Float64()
					if spent := y/norm*cellShare + float64(units*units)*unitShare; spent > 1+1e-12 {
						t.Fatalf("%s: %v and %v spend %g", what, c, o, spent)
					}
				}
			}
		}
	})
	if taken < 20 {
		t.Errorf("noise was shared %d times", taken)
	}
}

// Common noise cannot help under replace-one, even if both components were charged together. The largest change of the
// cells is by a unit that has rows before and after, which does not change the number of units. So the noise of y
// cannot be below the independent noise of the cells.
func TestReplacedUnitsChangeCellsAsMuchWithout(t *testing.T) {
	forSmallBounds(func(cells int, b bounding.Limits) {
		all := contributions(cells, b)
		if cells == 1 || len(all) > 250 {
			return
		}
		both := int64(0)
		for _, c := range all {
			for _, o := range all {
				if rowsOf(c) == 0 || rowsOf(o) == 0 {
					continue
				}
				d := int64(0)
				for i := range c {
					d += (c[i] - o[i]) * (c[i] - o[i])
				}
				both = max(both, d)
			}
		}
		if alone := squaredAlone(all, true).Int64(); both != alone {
			t.Errorf("%d cells, %+v: %d with rows before and after, %d in all", cells, b, both, alone)
		}
	})
}

// The standard deviations with common noise, relative to independent noise, are as documented: 0.60 if a unit may be in
// 24 of 24 cells, 0.77 for 50 of 100, 0.95 for 5 of 18. No other fraction a gives a smaller one.
func TestSharedDeviations(t *testing.T) {
	for _, c := range []struct {
		cells   int
		groups  int64
		percent float64
	}{{24, 24, 60}, {100, 50, 77}, {18, 5, 95}, {2, 2, 85}, {24, 1, 100}, {1, 1, 100}} {
		b := bounding.Limits{Rows: c.groups, Cells: c.groups, RowsPerCell: 1}
		s := NewCommonNoise(c.cells, b, big.NewInt(c.groups), false)
		d, l := float64(c.cells), float64(c.groups)
		best := math.Sqrt(l)
		for a := 0.0; a <= 0.5; a += 1e-4 {
			best = min(best, math.Sqrt(l*(1-2*a)+a*a*d)+a)
		}
		if math.Abs(s.Error()-best) > 1e-5*best {
			t.Errorf("%d of %d: %g, best %g", c.groups, c.cells, s.Error(), best)
		}
		if got := math.Round(100 * s.Error() / math.Sqrt(l)); got != c.percent {
			t.Errorf("%d of %d: %g %%, want %g", c.groups, c.cells, got, c.percent)
		}
	}
	if s := NewCommonNoise(24, bounding.Limits{Rows: 24, Cells: 24, RowsPerCell: 1}, big.NewInt(24),
		false); math.Abs(s.Error()-(math.Sqrt(24)+1)/2) > 1e-12 {
		t.Errorf("%g", s.Error())
	}
	if s := NewCommonNoise(24, bounding.Limits{Rows: 24, Cells: 24, RowsPerCell: 1}, big.NewInt(24),
		false); s.Argument(bounding.Limits{Rows: 24, Cells: 24, RowsPerCell: 1}) != "sqrt(24 - 2·0.5·24 + 0.25·24)" {
		t.Error(s.Argument(bounding.Limits{Rows: 24, Cells: 24, RowsPerCell: 1}))
	}
	three := NewCommonNoise(24, bounding.Limits{Rows: 72, Cells: 24, RowsPerCell: 3}, big.NewInt(24*9), false)
	if want := 3 * (math.Sqrt(24) + 1) / 2; math.Abs(three.Error()-want) > 1e-12 {
		t.Errorf("three rows a cell: %g, want %g", three.Error(), want)
	}
}

// Measure is exact for the largest counts.
func TestSharedMeasure(t *testing.T) {
	s := &CommonNoise{cells: 3, p: maxCommon << commonBits / 2}
	counts := []int64{0, 1, 1 << 48}
	for _, units := range []int64{0, 1, 1 << 48, 1 << 62} {
		y := s.Measure(counts, units)
		for i, x := range counts {
			want := new(big.Int).Mul(big.NewInt(units), big.NewInt(-s.p))
			if want.Add(want, new(big.Int).Lsh(big.NewInt(x), commonBits)); y.At(i).Big().Cmp(want) != 0 {
				t.Errorf("%d, %d: %v, want %v", x, units, y.At(i).Big(), want)
			}
		}
	}
}

// The variances of sums of cells follow from the covariance matrix: each cell has independent noise, and all have the
// noise of the number of units times the fraction.
func TestSumsOfCommonNoise(t *testing.T) {
	s := NewCommonNoise(24, bounding.Limits{Rows: 24, Cells: 24, RowsPerCell: 1}, big.NewInt(24), false)
	const own, units = 3.0, 5.0
	each, common := s.Variances(own, units)
	if a := s.Share(); a == 0 || each != own*own || math.Abs(common-a*a*units*units) > 1e-12 {
		t.Fatalf("share %g: variances %g and %g", a, each, common)
	}
	covariance := func(i, j int) float64 {
		if i == j {
			return each + common
		}
		return common
	}
	const n = 7
	spread := s.Spread(n, own, units)
	for k := 1; k <= n; k++ {
		variance, last := 0.0, 0.0
		for i := range k {
			for j := range n {
				if last += covariance(i, j); j < k {
					variance += covariance(i, j)
				}
			}
		}
		if math.Abs(spread.Variance[k-1]-variance) > 1e-9 || math.Abs(spread.WithLast[k-1]-last) > 1e-9 ||
			math.Abs(spread.Cells[k-1]-covariance(0, 0)) > 1e-9 {
			t.Errorf("%d cells: %g, %g and %g; want %g, %g and %g", k, spread.Variance[k-1], spread.WithLast[k-1],
				spread.Cells[k-1],
				variance, last, covariance(0, 0))
		}
	}
}
