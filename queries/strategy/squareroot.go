package strategy

import (
	"math"
	"math/big"
	"slices"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/sensitivity"
)

// Cumulative counts by a square root of the matrix of prefix sums
//
// Let P be the n×n matrix of prefix sums: row t of P·x is the sum of the first t cells. P = S·S for the lower
// triangular Toeplitz matrix S whose first column is the power series of 1/sqrt(1 − x):
//
//	f_0 = 1,  f_k = f_{k−1}·(2k − 1)/(2k).
//
// Noise is added to y = S·x, and S·y estimates P·x. A row in cell i changes y by column i of S. The squared norm of
// this column is sum_{k < n−i} f_k², about 1 + ln(n)/pi for the first cell. The sum of the first t cells has the
// variance sigma²·sum_{k<t} f_k². No factorization of P has less than about 0.94 times this error.
//
// f_k is rounded to a multiple of 2^(−30), so that exact answers are integers. Noise, estimates and stated errors use
// the rounded S. The estimate is P·S^(−1)·y, and the first column g of P·S^(−1) follows from sum_i f_i·g_{k−i} = 1.
//
// Sources: Fichtenberger, Henzinger, Upadhyay, "Constant matters", ICML 2023; Henzinger, Upadhyay, Upadhyay, SODA 2023.

const (
	prefixBits = 30
	// the largest number of cells along the axis: S·x takes n²/2 multiplications
	maxPrefix = 1 << 14
	// the largest value of n² times the number of axes
	maxProducts = 1 << 33
)

// squareRoot is the square root factorization for n cells.
type squareRoot struct {
	n int
	f []int64   // first column of S, in units of 2^(−30): positive and falling
	g []float64 // first column of P·S^(−1)
}

func newSquareRoot(n int) *squareRoot {
	p := &squareRoot{n: n, f: make([]int64, n), g: make([]float64, n)}
	f := 1.0
	for k := range n {
		if k > 0 {
			f *= float64(2*k-1) / float64(2*k)
		}
		p.f[k] = int64(math.Round(math.Ldexp(f, prefixBits)))
	}
	for k := range n {
		rest := math.Ldexp(1, prefixBits)
		for i := 1; i <= k; i++ {
			rest -= float64(p.f[i]) * p.g[k-i]
		}
		p.g[k] = rest / float64(p.f[0])
	}
	return p
}

// measure returns S·x in units of 2^(−30).
//
// No sum overflows: at most 2^14 counts of at most 2^48 rows times 2^30.
func (p *squareRoot) measure(x []int64) int128.Slice {
	y := int128.Make(p.n)
	for i, c := range x {
		if c == 0 {
			continue
		}
		v := int128.Of(c)
		for k, f := range p.f[:p.n-i] {
			y.Add(i+k, v.Times(f))
		}
	}
	return y
}

// decode returns the estimates of the cumulative counts, given the noisy y.
func (p *squareRoot) decode(y []float64) []float64 {
	out := make([]float64, p.n)
	for t := range out {
		for i := range t + 1 {
			out[t] += p.g[t-i] * y[i]
		}
	}
	return out
}

// spread returns the variances of the estimates if the noise in y has variance 1. A cell is the difference of two
// cumulative counts, with the coefficients g_k − g_{k−1}.
func (p *squareRoot) spread() Spread {
	s := Spread{Variance: make([]float64, p.n), WithLast: make([]float64, p.n), Cells: make([]float64, p.n)}
	sum, cell, before := 0.0, 0.0, 0.0
	for t, g := range p.g {
		sum, cell = sum+g*g, cell+(g-before)*(g-before)
		s.Variance[t], s.Cells[t], before = sum, cell, g
		for k := range t + 1 {
			s.WithLast[t] += p.g[k] * p.g[k+p.n-1-t]
		}
	}
	return s
}

// norm2 returns the largest squared norm of S·c, in units of 2^(−60), over the row counts c of one unit within b. The
// cells may lie on several axes. attained reports whether some c has this norm; if not, the result is an upper bound.
//
// Proof. Let a unit have at most k rows in all, and m in a cell. The norm is convex in c, so it is largest at a corner:
// m rows in each of some cells, and the remaining r rows in one more, q cells in all. The inner product of columns i
// and j of S,
//
//	<s_i, s_j> = sum_{t < n − max(i,j)} f_t·f_{t+|i−j|},
//
// falls with |i − j| and with max(i, j), since f falls and is not negative. If the cells are moved to the first q cells
// of an axis, in their order, neither of the two grows. So some c in the first q cells has the largest norm, with the r
// rows in one of them. Cells of different axes have inner products of 0.
//
// In two cases the result is an upper bound. If q exceeds the cells of an axis, it is k times the norm of the first
// column (triangle inequality). If too many positions of the r rows had to be tried, it is the norm with m rows in each
// of the q cells, which is not smaller, because no inner product is negative.
func (p *squareRoot) norm2(b bounding.Limits) (norm *big.Int, attained bool) {
	cells, rest := sensitivity.Filled(b, b.Cells)
	if rest > 0 {
		cells++
	}
	if cells > int64(p.n) {
		k := big.NewInt(b.Rows)
		norm = p.normOf([]int64{1})
		return norm.Mul(norm, k.Mul(k, k)), false
	}
	c := slices.Repeat([]int64{b.RowsPerCell}, int(cells))
	if rest == 0 {
		return p.normOf(c), true
	}
	const tried = 64
	if cells > tried {
		return p.normOf(c), false
	}
	norm = new(big.Int)
	for i := range c {
		c[i] = rest
		if x := p.normOf(c); x.Cmp(norm) > 0 {
			norm = x
		}
		c[i] = b.RowsPerCell
	}
	return norm, true
}

// normOf returns the squared norm of S·c, exactly, in units of 2^(−60). c holds the counts of the first cells; all
// others are 0.
func (p *squareRoot) normOf(c []int64) *big.Int {
	sum, term := new(big.Int), new(big.Int)
	for t := range p.n {
		y := new(big.Int)
		for i := range min(len(c), t+1) {
			y.Add(y, term.Mul(big.NewInt(c[i]), big.NewInt(p.f[t-i])))
		}
		sum.Add(sum, y.Mul(y, y))
	}
	return sum
}
