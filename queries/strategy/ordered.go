package strategy

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/sensitivity"
)

// Form is the kind of numbers that get noise in a design.
type Form string

// The forms of a design for cumulative counts.
const (
	FormCells  Form = "cells"  // noise in each cell; a cumulative count is a sum of cells
	FormPrefix Form = "prefix" // noise in weighted sums of cells, by a factorization of the matrix of prefix sums
	FormTree   Form = "tree"   // noise in counts of blocks of cells, for several widths of blocks
)

// MaxOrdered is the largest number of ordered cells for which NewOrdered has a design.
const MaxOrdered = 1 << 20

// Ordered is a design for cumulative counts: the sums of the first 1, …, n of n ordered cells. The zero value is not a
// design.
type Ordered struct {
	form   Form
	n      int
	levels []Level
	root   *squareRoot
	tree   *tree
	losses []Candidate
}

// Level is one component of a design for cumulative counts: a vector of numbers that get noise. Only a tree has
// several.
type Level struct {
	// Width is the number of cells that each number of the level adds up, or 0 if a number is a weighted sum of many
	// cells.
	Width int
	// Cells is the length of the vector, along one axis.
	Cells int
	// Quantum is the power of two of which each exact number is a multiple.
	Quantum float64
	// Norm2 is the largest squared norm of one unit's change in the level under add-remove, in rows². Why is the reason
	// for it, in words.
	Norm2 *big.Rat
	Why   string
	// Weight is the level's fraction of mu².
	Weight float64
}

// Candidate is a design that was compared with others. Its error is the root mean square of the standard deviations of
// the n cumulative counts, in rows, at mu = 1.
type Candidate struct {
	Name  string  `json:"name"`
	Error float64 `json:"rmse"`
}

// NewOrdered returns the design of least error for the cumulative counts of n cells, with n from 1 to [MaxOrdered]. The
// query has groups axes of n cells each (one for each cell of its other dimensions), and b bounds the rows of a unit on
// all axes together. The result is never worse than noise in the cells, which is chosen if errors are equal.
func NewOrdered(n, groups int, b bounding.Limits) *Ordered {
	best := newCells(n, b)
	all := []*Ordered{best}
	if n > 1 && n <= maxPrefix && groups <= maxProducts/(n*n) {
		all = append(all, newFactorized(n, b))
	}
	if n > 2 {
		for _, branching := range []int{2, 4, 8, 16, 32} {
			if branching < n && (branching > 2 || n <= maxPrefix) {
				all = append(all, newLevels(n, branching, b))
			}
		}
	}
	var losses []Candidate
	for _, o := range all {
		losses = append(losses, o.losses...)
		if o.losses[0].Error < best.losses[0].Error {
			best = o
		}
	}
	best.losses = losses
	return best
}

// LeastOrdered returns a lower bound on the error of any Gaussian design for the cumulative counts of n cells: the root
// mean square of their standard deviations at mu = 1. One unit may be added or removed and has up to rows rows in one
// cell. The bound is rows times the nuclear norm of the matrix P of prefix sums, divided by n:
//
//	(rows/n)·sum_{k=1..n} 1/(2·sin((2k−1)·pi/(4n+2))).
//
// Proof. Let P = B·A, with noise added to y = A·x. The noise in B·y has the root mean square |B|_F/sqrt(n) times the
// largest column norm of A. This norm is at least |A|_F/sqrt(n), and |B|_F·|A|_F is at least the nuclear norm of P. The
// bound also holds for several axes of n cells.
func LeastOrdered(n int, rows int64) float64 {
	sum := 0.0
	for k := 1; k <= n; k++ {
		sum += 0.5 / math.Sin(float64(2*k-1)*math.Pi/float64(4*n+2))
	}
	return float64(rows) * sum / float64(n)
}

func newCells(n int, b bounding.Limits) *Ordered {
	norm := new(big.Rat).SetInt(sensitivity.LargestNorm(b, b.Cells))
	o := &Ordered{form: FormCells, n: n, levels: []Level{{Width: 1, Cells: n, Quantum: 1, Norm2: norm, Weight: 1,
		Why: "counts of cells"}}}
	o.losses = []Candidate{{"cells", o.rootMean()}}
	return o
}

func newFactorized(n int, b bounding.Limits) *Ordered {
	p := newSquareRoot(n)
	norm, attained := p.norm2(b)
	why := "weighted sums of cells, which change most for rows in the first cells"
	if !attained {
		why = "weighted sums of cells, which change by no more than this upper bound"
	}
	o := &Ordered{form: FormPrefix, n: n, root: p, levels: []Level{{
		Cells: n, Quantum: math.Ldexp(1, -prefixBits), Weight: 1, Why: why,
		Norm2: new(big.Rat).SetFrac(norm, new(big.Int).Lsh(big.NewInt(1), 2*prefixBits)),
	}}}
	o.losses = []Candidate{{"prefix", o.rootMean()}}
	return o
}

// newLevels returns a tree in which each node has branching children. A unit has at most min(Rows, RowsPerCell·w) rows
// in a node of w cells.
func newLevels(n, branching int, b bounding.Limits) *Ordered {
	norm := func(width int) *big.Int {
		node := b
		if w := int64(min(width, n)); node.RowsPerCell < math.MaxInt64/w {
			node.RowsPerCell = min(b.Rows, b.RowsPerCell*min(w, b.Cells))
		} else {
			node.RowsPerCell = b.Rows
		}
		return sensitivity.LargestNorm(node, node.Cells)
	}
	t := newTree(n, branching)
	shares := t.weigh(func(width int) float64 { return floatOf(norm(width)) })
	o := &Ordered{form: FormTree, n: n, tree: t}
	for l, w := range t.widths {
		o.levels = append(o.levels, Level{
			Width: w, Cells: t.nodes(l), Quantum: 1, Norm2: new(big.Rat).SetInt(norm(w)), Weight: shares[l],
			Why: fmt.Sprintf("counts of %d neighbouring cells", w),
		})
	}
	o.losses = []Candidate{{fmt.Sprintf("tree of %d", branching), o.rootMean()}}
	return o
}

func floatOf(x *big.Int) float64 {
	f, _ := new(big.Float).SetInt(x).Float64()
	return f
}

// rootMean returns the root mean square of the cumulative counts' standard deviations at mu = 1.
func (o *Ordered) rootMean() float64 {
	deviations := make([]float64, len(o.levels))
	for l, level := range o.levels {
		f, _ := level.Norm2.Float64()
		deviations[l] = math.Sqrt(f / level.Weight)
	}
	return o.Error(deviations)
}

// Form returns which numbers get noise.
func (o *Ordered) Form() Form { return o.form }

// Levels returns the components of the design.
func (o *Ordered) Levels() []Level { return o.levels }

// Considered returns all designs that were compared.
func (o *Ordered) Considered() []Candidate { return o.losses }

// Measure returns the exact numbers of each component, in multiples of its quantum. counts holds the counts of the n
// cells, each at least 0 and at most 2^48.
func (o *Ordered) Measure(counts []int64) []int128.Slice {
	switch o.form {
	case FormPrefix:
		return []int128.Slice{o.root.measure(counts)}
	case FormTree:
		var out []int128.Slice
		for _, level := range o.tree.measure(counts) {
			out = append(out, int128.Narrow(level))
		}
		return out
	}
	return []int128.Slice{int128.Narrow(counts)}
}

// Sums returns the best linear unbiased estimates of the n cumulative counts. y[i] holds the noisy numbers of component
// i, and deviations[i] is the standard deviation of their noise.
func (o *Ordered) Sums(y [][]float64, deviations []float64) []float64 {
	switch o.form {
	case FormPrefix:
		return o.root.decode(y[0])
	case FormTree:
		return o.tree.decode(y, inverseSquares(deviations))
	}
	out, sum := slices.Clone(y[0]), 0.0
	for i, v := range out {
		sum += v
		out[i] = sum
	}
	return out
}

// Spread returns the variances of the cumulative counts and of the cells. deviations[i] is the standard deviation of
// component i's noise.
func (o *Ordered) Spread(deviations []float64) Spread {
	var s Spread
	switch o.form {
	case FormPrefix:
		s = o.root.spread()
		for i := range s.Variance {
			s.Variance[i] *= deviations[0] * deviations[0]
			s.WithLast[i] *= deviations[0] * deviations[0]
			s.Cells[i] *= deviations[0] * deviations[0]
		}
	case FormTree:
		q := inverseSquares(deviations)
		u := o.tree.upwardPass(q)
		for i := range o.n {
			a, c := o.tree.spread(u, q, i)
			s.Variance, s.WithLast = append(s.Variance, a), append(s.WithLast, c)
		}
		s.Cells = o.tree.leaves(u)
	default:
		for i := range o.n {
			v := float64(i+1) * deviations[0] * deviations[0]
			s.Variance, s.WithLast, s.Cells = append(s.Variance, v), append(s.WithLast, v), append(s.Cells,
				deviations[0]*deviations[0])
		}
	}
	return s
}

// Error returns the root mean square of the standard deviations of the cumulative counts. deviations[i] is the standard
// deviation of component i's noise.
func (o *Ordered) Error(deviations []float64) float64 {
	sum := 0.0
	if o.form == FormPrefix { // do not call Spread, which also computes the covariances and takes longer
		v := 0.0
		for _, g := range o.root.g {
			v += g * g
			sum += v * deviations[0] * deviations[0]
		}
		return math.Sqrt(sum / float64(o.n))
	}
	for _, v := range o.Spread(deviations).Variance {
		sum += v
	}
	return math.Sqrt(sum / float64(o.n))
}

func inverseSquares(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = 1 / (v * v)
	}
	return out
}
