package kinds

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/internal/earth"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/sensitivity"
)

// Kernel spreading
//
// A row that belongs to a point is spread over the points around it, in proportion to a normal density. A point at
// distance d gets the weight exp(-d²/2h²), with the bandwidth h, if d is at most 4h. The weights of a row are then
// divided by their sum. They are computed once, from public points alone, and rounded down to multiples of 2^-30. So a
// row adds at most 1 in all, and every engine has the same integers.
//
// Let w(i) be the vector of weights of a row at point i, and ρ the largest norm of all w(i). Let c(i) be the number of
// a unit's rows at point i, with at most k rows in all. The unit adds the vector Σ c(i)·w(i). By the triangle
// inequality its norm is at most k·ρ. If max_rows_per_group allows all rows at one point, k·ρ is attained. No weight is
// negative, so two such vectors are at most √2·k·ρ apart.

const (
	weightBits   = 30
	cutOff       = 4.0     // bandwidths
	maxPairs     = 1 << 26 // weights in a table: 512 MiB
	maxBandwidth = domain.MaxWithin / cutOff
)

// Kernel spreads the rows of each point over the points around it. It holds a table of weights. The weights of a row at
// point i begin at the index starts[i].
type Kernel struct {
	bandwidth float64
	starts    []int
	points    []int32
	weights   []uint32 // in units of 2^-30
	squared   uint64   // the largest sum of squared weights of a row, over all points
	largest   uint32
	// Stride is the distance between the cells of consecutive points in the vector of cells. Size is the number of points.
	Stride, Size int
}

// newKernel returns the kernel of a query. It returns nil if the query has none, or after it has reported problems.
func newKernel(s query.Spec, axes []domain.Axis, p *problem.Problems) *Kernel {
	at := -1
	for i := range axes {
		n := axes[i].Nearest
		if n == nil || n.BandwidthM == 0 {
			continue
		}
		field := axes[i].Field + ".nearest.kernel"
		checkKernel(s, &axes[i], field, p)
		if at >= 0 {
			p.Add(field, problem.CodeBadSpec, "a query has one kernel", "spread one of the dimensions")
		}
		at = i
	}
	if at < 0 || len(p.List) > 0 {
		return nil
	}
	d, ok := axes[at].Domain.(domain.NearestDomain)
	if !ok {
		return nil
	}
	k := &Kernel{bandwidth: d.BandwidthM, Stride: domain.AxisStrides(axes)[at], Size: axes[at].Size}
	if !k.tabulate(d) {
		p.Add(axes[at].Field+".nearest.kernel.bandwidth_m", problem.CodeTooManyCells,
			fmt.Sprintf("more than 2^26 = %d pairs of points are within %s m of each other", maxPairs,
				spelling.Exact(cutOff*d.BandwidthM)), "use a smaller bandwidth, or fewer points")
		return nil
	}
	return k
}

func checkKernel(s query.Spec, a *domain.Axis, field string, p *problem.Problems) {
	if h := a.Nearest.BandwidthM; !(h > 0 && h <= maxBandwidth) {
		p.Add(field+".bandwidth_m", problem.CodeBadValue, fmt.Sprintf("the bandwidth is %s m: above 0, and at most %.0f",
			spelling.Exact(h), maxBandwidth), "")
	}
	if s.Kind != query.Histogram {
		p.Add(field, problem.CodeBadSpec, "a kernel spreads rows that are counted",
			"use it in a histogram, or leave kernel out")
	}
	if a.Null == domain.OwnCell || a.Other == domain.OwnCell {
		p.Add(field, problem.CodeBadSpec,
			"rows without a point cannot be spread, and a cell of their own would raise the norm of a row to 1",
			"use drop, and count them in a query of their own")
	}
}

// tabulate computes the table of weights. It returns false if there are too many weights.
func (k *Kernel) tabulate(d domain.NearestDomain) bool {
	var near []earth.Nearby
	for i := range d.Points {
		k.starts = append(k.starts, len(k.points))
		near = d.Index.Around(d.Points[i].Lat, d.Points[i].Lon, cutOff*k.bandwidth, near[:0])
		if len(k.points)+len(near) > maxPairs {
			return false
		}
		k.addPoint(near)
	}
	k.starts = append(k.starts, len(k.points))
	return true
}

// addPoint adds the weights of a row at one point to the table. near holds the points within the cut-off, including the
// point itself.
func (k *Kernel) addPoint(near []earth.Nearby) {
	slices.SortFunc(near, func(a, b earth.Nearby) int { return int(a.Index) - int(b.Index) })
	total := 0.0
	for _, x := range near {
		total += k.density(x.Distance)
	}
	left, squared := uint32(1<<weightBits), uint64(0)
	for _, x := range near {
		// min keeps the sum of the weights at 1 or below in spite of rounding errors
		w := min(uint32(k.density(x.Distance)/total*(1<<weightBits)), left)
		if w == 0 {
			continue
		}
		left -= w
		squared += uint64(w) * uint64(w)
		k.largest = max(k.largest, w)
		k.points, k.weights = append(k.points, x.Index), append(k.weights, w)
	}
	k.squared = max(k.squared, squared)
}

func (k *Kernel) density(distance float64) float64 {
	x := distance / k.bandwidth
	return math.Exp(-x * x / 2)
}

// Shares returns the points to which a row at this point adds weight, and the weights in units of 2^-30.
func (k *Kernel) Shares(point int) (points []int32, weights []uint32) {
	from, to := k.starts[point], k.starts[point+1]
	return k.points[from:to], k.weights[from:to]
}

// Norm returns the L2 sensitivity under the limits l on a unit's rows, rounded up.
func (k *Kernel) Norm(l bounding.Limits, adj query.Adjacency) float64 {
	sum := big.NewInt(l.Rows)
	sum.Mul(sum, sum).Mul(sum, new(big.Int).SetUint64(k.squared))
	if adj == query.ReplaceOne {
		sum.Lsh(sum, 1)
	}
	return math.Ldexp(sensitivity.RootUp(sum), -weightBits)
}

// OfRow returns the largest norm of a row's weights, rounded up.
func (k *Kernel) OfRow() float64 {
	return k.Norm(bounding.Limits{Rows: 1, Cells: 1, RowsPerCell: 1}, query.AddRemove)
}

// hide spreads the row counts of the cells and returns the result as an exact answer. 128-bit integers are large enough
// for 2^48 rows with weights of at most 2^30.
func (k *Kernel) hide(cells []int64) ([]mechanism.Exact, error) {
	sums := int128.Make(len(cells))
	for cell, n := range cells {
		n = min(n, accumulate.MaxRows)
		if n == 0 {
			continue
		}
		point := cell / k.Stride % k.Size
		first := cell - point*k.Stride
		points, weights := k.Shares(point)
		for i, to := range points {
			sums.Add(first+int(to)*k.Stride, int128.Product(n, uint64(weights[i])))
		}
	}
	clear(cells)
	return accumulate.HideSums(math.Ldexp(1, -weightBits), sums)
}

// absolute returns the L1 sensitivity of a histogram with a kernel, and a line that explains it. A row adds at most 1
// in all.
func (k *Kernel) absolute(q *Base, adj query.Adjacency) (l1 float64, why string) {
	rows := new(big.Int).SetInt64(q.Limits.Rows)
	if adj == query.ReplaceOne {
		rows.Lsh(rows, 1)
	}
	return sensitivity.CeilingOf(rows), q.Spec.EachUnit() + " adds at most " +
		q.rowsText() + ", spread over the points by shares of 1 in all: " + rows.String()
}

// sensitivity returns the L2 sensitivity of a histogram with a kernel.
func (k *Kernel) sensitivity(q *Base, adj query.Adjacency) calibrate.Sensitivity {
	l2 := k.Norm(q.Limits, adj)
	row := k.OfRow()
	what := fmt.Sprintf("spread over the points by shares of norm at most %s (Gaussian, bandwidth %s m, cut off at %s m)",
		spelling.Exact(row), spelling.Exact(k.bandwidth), spelling.Exact(cutOff*k.bandwidth))
	rows, product := q.rowsText(), spelling.Exact(row)
	if q.Limits.Rows > 1 {
		product = fmt.Sprintf("%d × %s", q.Limits.Rows, product)
	}
	if adj == query.ReplaceOne {
		product = "sqrt(2) × " + product
	}
	verb := q.unitAdds(adj) + "at most " + rows
	switch {
	case q.Spec.PerRow() && adj == query.AddRemove:
		verb = "each row is"
	case q.Spec.PerRow():
		verb = "replacing a row takes one away and adds another,"
	}
	return calibrate.Sensitivity{L2: l2, Why: verb + " " + what + ": " + product}
}
