package strategy

import (
	"fmt"
	"math"
	"math/big"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/sensitivity"
)

// Common noise of cells
//
// If one unit may have rows in many of d cells, all these cells change in the same direction. So noise is added to n,
// the number of units with a row, and to the cells minus a·n, for a fraction a that is chosen from the public bounds:
//
//	y_i = x_i − a·n  for each cell i,  and n.
//
// The estimate of cell i is y_i + a·n. Its variance is s_y² + a²·s_n² if the noise of y_i and n has the standard
// deviations s_y and s_n. The noise a·n is common to all cells. A unit that adds c_i rows to cell i changes y by c −
// a·(1, …, 1) and n by 1. Let D(a) be the largest norm of c − a·(1, …, 1). Then mu² = D²/s_y² + 1/s_n², and the
// variance is least for s_y² = D·(D + a)/mu² and s_n² = (D + a)/(a·mu²):
//
//	deviation = (D(a) + a)/mu.
//
// If a unit has one row in each of at most L cells, D² = L·(1 − 2a) + a²·d. If it may be in all cells, a = 1/2 is best,
// with the deviation (sqrt(d) + 1)/(2·mu) instead of sqrt(d)/mu. To keep y an integer, a is p·2^(−10) with an integer
// p, and y is counted in units of 2^(−10).
//
// Under replace-one there is no gain: if a unit has rows before and after, n does not change, so y needs as much noise
// as the cells alone, and n needs noise in addition.
//
// Source: Lebeda, "Better Gaussian mechanism using correlated noise", arXiv 2408.06853, 2024. The case of several rows
// of a unit in one cell is derived here.

const (
	commonBits = 10
	// If a unit may have more than maxCommon rows in one cell, the search tries a only up to maxCommon/2.
	maxCommon = 1 << 20
)

// FormCommonNoise is the form of a histogram with common noise: noise in the number of units, and in the cells minus a
// fraction of it.
const FormCommonNoise Form = "shared"

// CommonNoise is the design of a histogram's noise: common noise, or independent noise in each cell. The zero value is
// not a design.
type CommonNoise struct {
	cells int
	p     int64    // a = p·2^(−10); 0 for independent noise
	norm2 *big.Rat // D²: the largest squared norm of one unit's change in y
	other float64  // the standard deviation of a cell in the design that was not chosen, at mu = 1
}

// NewCommonNoise returns the design under which a cell of a histogram has the least standard deviation: independent
// noise or common noise, and independent noise if both are equal. A unit contributes within b. cellsNorm2 is the
// squared L2 sensitivity of the cells with independent noise. replaced is set if a unit may be replaced, not only added
// or removed.
func NewCommonNoise(cells int, b bounding.Limits, cellsNorm2 *big.Int, replaced bool) *CommonNoise {
	s := &CommonNoise{cells: cells}
	p := s.bestFraction(b)
	a := big.NewRat(p, 1<<commonBits)
	norm2 := s.residualNorm2(a, b)
	without := new(big.Rat).SetInt(cellsNorm2)
	if replaced && norm2.Cmp(without) < 0 {
		norm2 = without
	}
	if deviation := deviationOf(norm2, a); p > 0 && deviation.Cmp(sqrtOf(without)) < 0 {
		s.p, s.norm2, s.other = p, norm2, floatRoot(without)
	} else {
		s.norm2 = without
		s.other, _ = deviation.Float64()
	}
	return s
}

// bestFraction returns the p that minimizes D(a) + a, with a = p·2^(−10) from 0 to m/2, if a unit has at most m rows in
// a cell. D is a maximum of norms of c − a·(1, …, 1), so it is convex in a, and the search halves an interval. Beyond
// m/2, D grows with a.
func (s *CommonNoise) bestFraction(b bounding.Limits) int64 {
	loss := func(p int64) *big.Float {
		a := big.NewRat(p, 1<<commonBits)
		return deviationOf(s.residualNorm2(a, b), a)
	}
	low, high := int64(0), min(b.RowsPerCell, maxCommon)<<commonBits/2
	for low < high {
		if middle := low + (high-low)/2; loss(middle+1).Cmp(loss(middle)) < 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// residualNorm2 returns D²: the largest squared norm of c − a·(1, …, 1) over the row counts c of a unit that has a row.
// a is at most m/2, if a unit may have m rows in a cell.
//
// Proof. With r rows in all, the squared norm is sum_i c_i² − 2a·r + a²·d. Among the c with r rows, consider the one
// with as many full cells of m rows as possible, and the remaining rows in one more cell. It has the largest sum of
// squares and needs the fewest cells. As r grows from one multiple of m to the next, the norm is convex in the
// remaining rows, so it is largest at a multiple of m or at the largest r. At the multiple j·m the squared norm is
// j·m·(m − 2a) + a²·d, which does not fall with j. So the norm is largest with as many full cells as possible, and
// either no remaining rows or all of them.
//
// The result is at least a²·d, the value for a unit without rows. So D also bounds the change if counts are capped.
func (s *CommonNoise) residualNorm2(a *big.Rat, b bounding.Limits) *big.Rat {
	_, rest := sensitivity.Filled(b, b.Cells)
	rows, squares := fullest(b, 0)
	largest := s.residualOf(rows, squares, a)
	rows, squares = fullest(b, rest)
	if with := s.residualOf(rows, squares, a); with.Cmp(largest) > 0 {
		largest = with
	}
	return largest
}

// residualOf returns the squared norm of c − a·(1, …, 1), given the sum (rows) and the sum of squares of the counts c.
func (s *CommonNoise) residualOf(rows, squares *big.Int, a *big.Rat) *big.Rat {
	x := new(big.Rat).SetInt(rows)
	x.Mul(x, a).Mul(x, big.NewRat(-2, 1)).Add(x, new(big.Rat).SetInt(squares))
	common := new(big.Rat).Mul(a, a)
	return x.Add(x, common.Mul(common, new(big.Rat).SetInt64(int64(s.cells))))
}

// Argument returns the formula that gives D from the bounds, such as "sqrt(24 - 2·0.5·24 + 0.25·24)", for the published
// release.
func (s *CommonNoise) Argument(b bounding.Limits) string {
	a := s.Share()
	_, rest := sensitivity.Filled(b, b.Cells)
	for _, rest := range []int64{rest, 0} {
		rows, squares := fullest(b, rest)
		if s.residualOf(rows, squares, new(big.Rat).SetFloat64(a)).Cmp(s.norm2) == 0 {
			return fmt.Sprintf("sqrt(%v - 2·%v·%v + %v·%d)", squares, a, rows, a*a, s.cells)
		}
	}
	return ""
}

// deviationOf returns sqrt(norm2) + a, the standard deviation of a cell at mu = 1. big.Float makes it the same on every
// machine.
func deviationOf(norm2, a *big.Rat) *big.Float {
	root := sqrtOf(norm2)
	return root.Add(root, new(big.Float).SetPrec(precision).SetRat(a))
}

const precision = 256

func sqrtOf(x *big.Rat) *big.Float {
	f := new(big.Float).SetPrec(precision).SetRat(x)
	return f.Sqrt(f)
}

func floatRoot(x *big.Rat) float64 {
	f, _ := sqrtOf(x).Float64()
	return f
}

// Form returns [FormCells] for independent noise and [FormCommonNoise] for common noise.
func (s *CommonNoise) Form() Form {
	if s.p > 0 {
		return FormCommonNoise
	}
	return FormCells
}

// Share returns a: the fraction of n that is subtracted from each cell.
func (s *CommonNoise) Share() float64 { return math.Ldexp(float64(s.p), -commonBits) }

// Quantum returns the power of two of which each y_i is a multiple.
func (s *CommonNoise) Quantum() float64 { return math.Ldexp(1, -commonBits) }

// Norm2 returns the largest squared norm of one unit's change in y, in rows².
func (s *CommonNoise) Norm2() *big.Rat { return s.norm2 }

// Weights returns the fractions of mu² that are spent on the cells and on the number of units. They sum to 1.
func (s *CommonNoise) Weights() (cells, units float64) {
	d := floatRoot(s.norm2)
	return d / (d + s.Share()), s.Share() / (d + s.Share())
}

// Error returns the standard deviation of a cell at mu = 1.
func (s *CommonNoise) Error() float64 { return floatRoot(s.norm2) + s.Share() }

// Considered returns both designs, with a cell's standard deviation at mu = 1 in each.
func (s *CommonNoise) Considered() []Candidate {
	cells, shared := s.Error(), s.other
	if s.p > 0 {
		cells, shared = s.other, s.Error()
	}
	return []Candidate{{string(FormCells), cells}, {string(FormCommonNoise), shared}}
}

// Measure returns y_i = x_i − a·n for each cell, in multiples of the quantum. Counts are from 0 to 2^48, the number of
// units from 0 to 2^62.
func (s *CommonNoise) Measure(counts []int64, units int64) int128.Slice {
	y, off := int128.Make(len(counts)), int128.Of(units).Times(s.p)
	for i, x := range counts {
		y.Set(i, int128.Of(x).ShiftLeft(commonBits).Sub(off))
	}
	return y
}

// Variances returns the variance each of a cell's own noise, and the variance common of the noise that all cells have
// in common. cells and units are the standard deviations of the noise in y and in n. A cell has the variance each +
// common, and the sum of k cells the variance k·each + k²·common.
func (s *CommonNoise) Variances(cells, units float64) (each, common float64) {
	common = s.Share() * units
	return cells * cells, common * common
}

// Spread returns the variances of the sums of the first 1, …, n cells. cells and units are the standard deviations of
// the noise in y and in n.
func (s *CommonNoise) Spread(n int, cells, units float64) Spread {
	each, common := s.Variances(cells, units)
	var out Spread
	for i := range n {
		k := float64(i + 1)
		out.Variance = append(out.Variance, k*each+k*k*common)
		out.WithLast = append(out.WithLast, k*each+k*float64(n)*common)
		out.Cells = append(out.Cells, each+common)
	}
	return out
}
