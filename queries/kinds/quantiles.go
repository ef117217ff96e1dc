package kinds

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/strategy"
)

// Quantiles and cumulative fractions (shares), with intervals, computed from the noisy counts of a histogram with edges

// The names of the tables of quantiles and of cumulative fractions, and of the key columns of these tables.
const (
	quantilesReading = "quantiles"
	cdfReading       = "cdf"
	quantileKey      = "quantile"
	belowKey         = "_below"
)

// maxReadCells is the largest number of cells of an answer from which quantiles and cumulative fractions are computed.
// All cells are then held in memory.
const maxReadCells = 1 << 26

// quantileReader computes quantiles and cumulative fractions (shares) along one axis, for each group. A group is a
// combination of cells of the other axes.
type quantileReader struct {
	Stride, Size int // the stride of the axis in the vector of cells, and its number of cells
	Edges        []float64
	widths       []float64 // the relative width of each cell; see relativeWidths
	quantiles    []float64
	cdf          bool
	keys         []domain.KeyColumn // the key columns of the groups; their strides count groups
	Name         string             // name of the axis
	// maxOfRow is the largest amount that one row adds to a cell: 1, or the largest weight of a row.
	maxOfRow float64
}

// newQuantileReader returns the reader that a spec needs. It returns nil if the spec requests neither quantiles nor
// cumulative fractions, or after it has reported problems.
func newQuantileReader(s query.Spec, axes []domain.Axis, cells int, p *problem.Problems) *quantileReader {
	if len(s.Read.Quantiles) == 0 && !s.Read.CDF {
		return nil
	}
	field := string(s.Kind) + "." + quantilesReading
	if len(s.Read.Quantiles) == 0 {
		field = string(s.Kind) + "." + cdfReading
	}
	r := &quantileReader{maxOfRow: 1, cdf: s.Read.CDF, quantiles: quantilesOf(s.Read.Quantiles, field, p)}
	at := edgeAxis(s, axes, field, p)
	switch {
	case at < 0:
		return nil
	case cells > maxReadCells:
		p.Add(field, problem.CodeTooManyCells, fmt.Sprintf("more than 2^26 = %d cells to read quantiles off", maxReadCells),
			"use fewer cells")
	}
	d := axes[at].Domain.(domain.EdgeDomain)
	r.Edges = d.Floats()
	r.widths = relativeWidths(r.Edges)
	r.Stride, r.Size, r.Name = domain.AxisStrides(axes)[at], axes[at].Size, axes[at].Name()
	r.keys = r.groupKeys(axes, at)
	r.checkNames(field, p)
	return r
}

func quantilesOf(texts []string, field string, p *problem.Problems) []float64 {
	var qs []float64
	for i, text := range texts {
		x, ok := domain.Number(text)
		if !ok || x.Sign() <= 0 || x.Cmp(big.NewRat(1, 1)) >= 0 {
			p.Add(fmt.Sprintf("%s[%d]", field, i), problem.CodeBadValue,
				fmt.Sprintf("%q is not a number above 0 and below 1", text), "the median is 0.5")
			continue
		}
		f, _ := x.Float64()
		if slices.Contains(qs, f) {
			p.Add(fmt.Sprintf("%s[%d]", field, i), problem.CodeDuplicate, fmt.Sprintf("the quantile %s is there twice", text),
				"")
		}
		qs = append(qs, f)
	}
	return qs
}

// edgeAxis returns the index of the only axis with numeric edges. It returns -1 after it has reported a problem.
func edgeAxis(s query.Spec, axes []domain.Axis, field string, p *problem.Problems) int {
	at := -1
	for i := range axes {
		d, ok := axes[i].Domain.(domain.EdgeDomain)
		switch {
		case !ok:
		case at >= 0:
			p.Add(field, problem.CodeBadSpec, "there are two dimensions with edges to read",
				"use one, and values or a part of a time for the others")
			return -1
		case !d.Numeric:
			p.Add(field, problem.CodeBadSpec, "quantiles are read between edges that are numbers, not dates or times",
				"cut a numeric column")
			return -1
		default:
			at = i
		}
	}
	if at < 0 && len(p.List) == 0 {
		p.Add(field, problem.CodeBadSpec, "quantiles and cdf are read off a histogram with edges",
			"add a dimension with edges, or with from, to and width")
	}
	if s.Kind != query.Histogram {
		return -1 // package configs reports quantiles and cdf of other kinds
	}
	return at
}

// groupKeys returns the key columns of all axes except the one at index at. Their strides are in groups.
func (r *quantileReader) groupKeys(axes []domain.Axis, at int) []domain.KeyColumn {
	var keys []domain.KeyColumn
	seen := 0
	all := domain.KeyColumns(axes)
	for i := range axes {
		n := len(axes[i].Domain.Keys("", axes[i].Extra.Names))
		if i != at {
			for _, k := range all[seen : seen+n] {
				if k.Stride > r.Stride {
					k.Stride /= r.Size
				}
				keys = append(keys, k)
			}
		}
		seen += n
	}
	return keys
}

func (r *quantileReader) checkNames(field string, p *problem.Problems) {
	for _, k := range r.keys {
		if len(r.quantiles) > 0 && k.Name == quantileKey || r.cdf && k.Name == r.Name+belowKey {
			p.Add(field, problem.CodeDuplicate, fmt.Sprintf("the table would have two columns %q", k.Name),
				"name that dimension with as: NAME")
		}
	}
}

// sumsBelow holds a group's cumulative counts at each edge, starting with 0: the noisy counts and their estimates.
type sumsBelow struct{ Noisy, Estimate []float64 }

// readCells computes the tables from noisy cells and from their estimates. The cells' noise is independent with the
// same standard deviation.
func (r *quantileReader) readCells(noisy, estimate mechanism.Noisy) []query.Reading {
	variance, m := noisy.Mechanism().Deviation(), len(r.Edges)-1
	variance *= variance
	var s strategy.Spread
	for j := range m {
		s.Variance = append(s.Variance, variance*float64(j+1))
	}
	s.WithLast = s.Variance
	s.Heavy = !noisy.Normal()
	return r.readSeries(noisy.Fill, estimate.Fill, noisy.Len(), s)
}

// readSeries computes the tables from n cells and their estimates. s describes the noise of their sums.
func (r *quantileReader) readSeries(noisy, estimate query.Series, n int, s strategy.Spread) []query.Reading {
	of, with := r.sumsOf(noisy, n), r.sumsOf(estimate, n)
	return r.read(n/r.Size, s, func(g int) sumsBelow { return sumsBelow{of(g), with(g)} })
}

// read computes the tables. sumsOf returns the cumulative counts of a group, and s describes their noise.
func (r *quantileReader) read(groups int, s strategy.Spread, sumsOf func(group int) sumsBelow) []query.Reading {
	var all []query.Reading
	if len(r.quantiles) > 0 {
		key := domain.KeyColumn{Name: quantileKey, Labels: domain.Labels{Floats: r.quantiles}}
		all = append(all, query.Reading{Name: quantilesReading,
			Answer: r.table(groups, s, sumsOf, key, func(d distribution, out []withInterval) {
				for i, q := range r.quantiles {
					out[i] = d.quantile(q)
				}
			})})
	}
	if r.cdf {
		all = append(all, query.Reading{Name: cdfReading, Answer: r.table(groups, s, sumsOf, r.belowColumn(),
			func(d distribution, out []withInterval) {
				for i := range out {
					out[i] = d.share(i + 1)
				}
			})})
	}
	return all
}

// belowColumn returns the key column for cumulative counts: each edge, except the first one.
func (r *quantileReader) belowColumn() domain.KeyColumn {
	return domain.KeyColumn{Name: r.Name + belowKey, Labels: domain.Labels{Floats: r.Edges[1:]}}
}

// withInterval is an estimate with its interval.
type withInterval struct{ estimate, low, high float64 }

// table returns a table that has one row for each group and each label of key.
func (r *quantileReader) table(groups int, s strategy.Spread, sumsOf func(int) sumsBelow, key domain.KeyColumn,
	read func(distribution, []withInterval)) query.Answer {
	rows := len(key.Labels.Floats)
	all := make([]withInterval, groups*rows)
	for g := range groups {
		x := sumsOf(g)
		d := distribution{edges: r.Edges, widths: r.widths, noisy: x.Noisy, estimate: rising(x.Estimate), spread: s,
			maxOfRow: r.maxOfRow}
		read(d, all[g*rows:(g+1)*rows])
	}
	a := query.Answer{Cells: len(all), Keys: r.keysWith(key)}
	column := func(f func(withInterval) float64) query.Series {
		return func(start int, dst []float64) {
			for i := range dst {
				dst[i] = f(all[start+i])
			}
		}
	}
	a.Estimate = column(func(t withInterval) float64 { return t.estimate })
	a.Low, a.High = column(func(t withInterval) float64 { return t.low }),
		column(func(t withInterval) float64 { return t.high })
	return a
}

// keysWith returns the key columns of a table with several rows for each group: the groups' keys, and the column key.
func (r *quantileReader) keysWith(key domain.KeyColumn) []domain.KeyColumn {
	var keys []domain.KeyColumn
	for _, k := range r.keys {
		k.Stride *= len(key.Labels.Floats)
		keys = append(keys, k)
	}
	key.Stride = 1
	return append(keys, key)
}

// sumsOf returns a function that returns the cumulative counts of a group, at each edge, starting with 0.
func (r *quantileReader) sumsOf(cells query.Series, n int) func(group int) []float64 {
	all, m := make([]float64, n), len(r.Edges)-1
	cells(0, all)
	return func(group int) []float64 {
		at := group/r.Stride*r.Stride*r.Size + group%r.Stride
		sums := make([]float64, m+1)
		for i := range m {
			sums[i+1] = sums[i] + all[at+i*r.Stride]
		}
		return sums
	}
}

// distribution holds cumulative counts at each edge, starting with 0: noisy ones with the variances of their noise, and
// estimates that never decrease.
type distribution struct {
	edges, widths   []float64
	noisy, estimate []float64
	spread          strategy.Spread // the variances of the noise in noisy; see variances
	maxOfRow        float64
}

// variances returns the noise variance of the cumulative count at edge j, its covariance with the number of all rows,
// and the noise variance of the number of all rows.
func (d distribution) variances(j int) (own, withAll, all float64) {
	all = d.spread.Variance[len(d.spread.Variance)-1]
	if j == 0 {
		return 0, 0, all
	}
	return d.spread.Variance[j-1], d.spread.WithLast[j-1], all
}

// rising returns the sequence nearest to sums, by the sum of squares, that starts at 0 and never decreases: isotonic
// regression by pooling adjacent violators (Ayer et al. 1955). denoise.Isotonic does the same for a job's denoising
// steps, without the lower bound 0.
func rising(sums []float64) []float64 {
	type block struct{ total, n float64 }
	var blocks []block
	for _, x := range sums[1:] {
		b := block{x, 1}
		for len(blocks) > 0 && blocks[len(blocks)-1].total/blocks[len(blocks)-1].n >= b.total/b.n {
			last := blocks[len(blocks)-1]
			b = block{last.total + b.total, last.n + b.n}
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, b)
	}
	out := []float64{0}
	for _, b := range blocks {
		for range int(b.n) {
			out = append(out, max(b.total/b.n, 0))
		}
	}
	return out
}

// The curve between two edges is a guess. These numbers give the standard deviation of the difference between the curve
// and the true distribution within a cell, for intervals. They matter little if the noise exceeds the counts of the
// cells.
const (
	// partOfDoubt is this standard deviation, divided by the difference between the curve and an even spread of the rows.
	// With it, intervals also hold for rows that are spread evenly over a part of the cell. For smooth densities they hold
	// for at least 94 of 100 quantiles, if cells are as wide as a standard deviation of the values.
	partOfDoubt = 0.55
	// partBesideEmpty is this standard deviation beside an empty cell, divided by the rows of the cell. Nothing shows in
	// which part of the cell these rows are, so intervals span the whole cell. If the density at an edge is only somewhat
	// below the density of the cell, this standard deviation is smaller: it grows with the square of the difference.
	partBesideEmpty = 0.5
)

// quantile returns the value below which a fraction q of the rows is. Between two edges, it follows a smooth curve
// through the cumulative counts (see within). It is NaN if the estimates have no row.
//
// The interval: let A(x) be the noisy number of rows below x, and N the noisy number of all rows. At the true quantile,
// A(x) − q·N is normal with mean 0. The interval begins at the first x at which A(x) − q·N is at least −z standard
// deviations, and ends at the last x at which it is at most z. Each end is wrong only if the noise at the quantile
// itself exceeds z standard deviations, which has a probability of at most 2.5 %.
//
// Within a cell, the standard deviation includes the error of the curve, and the random distribution of the rows in the
// cell. If the cell has n rows, the number in a fraction p of its width has the variance n·p·(1 − p). If rows have
// weights, n becomes the sum of squared weights, which is at most the largest weight times the sum of weights.
func (d distribution) quantile(q float64) withInterval {
	edges, m := d.edges, len(d.edges)-1
	t := withInterval{math.NaN(), edges[0], edges[m]}
	if n := d.estimate[m]; n > 0 {
		j := 1
		for j < m && d.estimate[j] < q*n {
			j++
		}
		t.estimate = edges[j]
		if d.estimate[j] > d.estimate[j-1] {
			part := firstPart(func(part float64) bool {
				rows, _ := d.within(d.estimate, j-1, part)
				return d.estimate[j-1]+rows >= q*n
			})
			t.estimate = between(edges[j-1], edges[j], part)
		}
	}
	for j := 0; j <= m; j++ {
		if d.beyond(j, 0, q, -1) >= 0 {
			t.low = edges[0]
			if j > 0 {
				part := firstPart(func(part float64) bool { return d.beyond(j-1, part, q, -1) >= 0 })
				t.low = between(edges[j-1], edges[j], part)
			}
			break
		}
	}
	for j := m; j >= 0; j-- {
		if d.beyond(j, 0, q, 1) <= 0 {
			t.high = edges[m]
			if j < m {
				part := firstPart(func(part float64) bool { return d.beyond(j, part, q, 1) > 0 })
				t.high = between(edges[j], edges[j+1], part)
			}
			break
		}
	}
	return t.holdingEstimate()
}

// beyond returns the noisy number of rows below a point, minus q times the noisy number of all rows, minus direction·z
// standard deviations of this difference. direction is -1 or 1. The point is a fraction part of the way from edge j to
// edge j+1. The standard deviation there is interpolated between the two edges, which gives at least the true one.
func (d distribution) beyond(j int, part, q, direction float64) float64 {
	own, withAll, all := d.variances(j)
	below, deviation, z, spread := d.noisy[j], math.Sqrt(own), d.outerZ(j, q), 0.0
	if part > 0 {
		nextOwn, nextAll, _ := d.variances(j + 1)
		rows, doubt := d.within(d.noisy, j, part)
		below, deviation = below+rows, between(deviation, math.Sqrt(nextOwn), part)
		withAll, z = between(withAll, nextAll, part), between(z, d.outerZ(j+1, q), part)
		spread = max(d.noisy[j+1]-d.noisy[j], 0)*d.maxOfRow*part*(1-part) + doubt*doubt
	}
	variance := deviation*deviation - 2*q*withAll + q*q*all + spread
	return below - q*d.noisy[len(d.noisy)-1] - direction*z*math.Sqrt(max(variance, 0))
}

// within returns the number of rows between edge j and a point that is a fraction part of the way to edge j+1. The
// cumulative counts follow the cubic whose slopes at both edges are the densities there. The cubic never falls (Fritsch
// & Butland 1984). doubt is the standard deviation of its error.
func (d distribution) within(sums []float64, j int, part float64) (rows, doubt float64) {
	all, width := sums[j+1]-sums[j], d.widths[j]
	if all <= 0 {
		return part * all, 0
	}
	first := width*d.density(sums, j) - all
	last := width*d.density(sums, j+1) - all
	inside := part * (1 - part)
	// first and last are the differences of the slopes at the two edges from an even spread
	doubt = partOfDoubt * inside * ((1-part)*math.Abs(first) + part*math.Abs(last))
	fall := min(first, last, 0) / all
	doubt = math.Hypot(doubt, partBesideEmpty*fall*fall*all)
	return part*all + inside*((1-part)*first-part*last), doubt
}

// density returns the density of rows at edge j. It is the harmonic mean of the densities in the cells on both sides,
// weighted by their widths, or 0 if one of the cells is empty. At the first and last edge it continues the line through
// the two nearest cells. It is at least 0, and at most twice the density of the cell.
func (d distribution) density(sums []float64, j int) float64 {
	width := d.widths
	densityOf := func(i int) float64 { return max(sums[i+1]-sums[i], 0) / width[i] }
	end := func(cell, next int) float64 {
		return max(densityOf(cell)+(densityOf(cell)-densityOf(next))*width[cell]/(width[cell]+width[next]), 0)
	}
	m := len(d.edges) - 1
	switch {
	case m == 1:
		return densityOf(0)
	case j == 0:
		return end(0, 1)
	case j == m:
		return end(m-1, m-2)
	}
	before, after := densityOf(j-1), densityOf(j)
	if before == 0 || after == 0 {
		return 0
	}
	a, b := width[j-1]+2*width[j], 2*width[j-1]+width[j]
	return (a + b) / (a/before + b/after)
}

// relativeWidths returns the widths of the cells, multiplied by the power of two that makes their sum about 1. This
// keeps densities within the range of floats even for edges such as ±1e308. A cell is at least 1e-290 wide.
func relativeWidths(edges []float64) (widths []float64) {
	_, exponent := math.Frexp(edges[len(edges)-1]/4 - edges[0]/4)
	for i := range len(edges) - 1 {
		widths = append(widths, max(math.Ldexp(edges[i+1], -exponent)-math.Ldexp(edges[i], -exponent), 1e-290))
	}
	return widths
}

// between returns the point that is a fraction part of the way from x to y, even if y - x overflows.
func between(x, y, part float64) float64 {
	if width := y - x; !math.IsInf(width, 0) {
		return x + part*width
	}
	return (1-part)*x + part*y
}

// firstPart returns the smallest number from 0 to 1 for which holds returns true. holds must return true for 1, and for
// all numbers above any number for which it returns true.
func firstPart(holds func(part float64) bool) float64 {
	low, high := 0.0, 1.0
	for range 40 {
		if middle := (low + high) / 2; holds(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	if low == 0 {
		return 0 // holds is true already at the start of the cell
	}
	return high
}

// outerZ is slightly more than the 97.5 % quantile of the normal distribution, to allow for rounding errors.
const outerZ = 1.95997

// outerZ returns z for the interval of quantile q, in standard deviations of A − q·N (see quantile). If the noise is
// not normal, z depends on the weights of the cells in this difference, which are 1 − q below edge j and q above it.
func (d distribution) outerZ(j int, q float64) float64 {
	if !d.spread.Heavy {
		return outerZ
	}
	const rounding = 1e-5
	below, above, p := float64(j), float64(len(d.noisy)-1-j), 1-q
	squares, fourths := below*p*p+above*q*q, below*p*p*p*p+above*q*q*q*q
	if squares == 0 {
		return outerZ
	}
	return HeavyZ95(3*fourths/(squares*squares)) + rounding
}

// share returns the fraction of rows below edge j. It is 1 at the last edge, and NaN if the estimates have no row.
//
// The interval: let A be the noisy number of rows below the edge, and N the noisy number of all rows. For the true
// fraction F, A − F·N is normal with mean 0 and variance var(A) − 2F·cov(A, N) + F²·var(N). So the set of all F with (A
// − F·N)² at most z² times this variance contains the true F with a probability of 95 %. The set is an interval if N is
// more than z of its standard deviations. Otherwise the interval is from 0 to 1.
func (d distribution) share(j int) withInterval {
	m := len(d.noisy) - 1
	if j == m {
		return withInterval{1, 1, 1}
	}
	t := withInterval{math.NaN(), 0, 1}
	if n := d.estimate[m]; n > 0 {
		t.estimate = d.estimate[j] / n
	}
	if !d.spread.Heavy {
		const k = outerZ * outerZ
		t.low, t.high, _ = d.shareWithin(j, k)
		return t.holdingEstimate()
	}
	// start with the largest z, for the noise of a single cell; then compute each end with its own z, as for a mean
	const widest, rounds = 2.1185 * 2.1185, 5
	low, high, bounded := d.shareWithin(j, widest)
	for range rounds {
		if bounded {
			z := d.outerZ(j, low)
			low, _, _ = d.shareWithin(j, z*z)
			z = d.outerZ(j, high)
			_, high, _ = d.shareWithin(j, z*z)
		}
	}
	t.low, t.high = low, high
	return t.holdingEstimate()
}

// holdingEstimate returns the interval, widened if necessary so that it contains the estimate.
func (t withInterval) holdingEstimate() withInterval {
	if !math.IsNaN(t.estimate) {
		t.low, t.high = min(t.low, t.estimate), max(t.high, t.estimate)
	}
	return t
}

// shareWithin returns the interval of a fraction for z² = k. bounded is false if the interval is from 0 to 1.
func (d distribution) shareWithin(j int, k float64) (low, high float64, bounded bool) {
	own, withAll, all := d.variances(j)
	below, n := d.noisy[j], d.noisy[len(d.noisy)-1]
	a, b, c := n*n-k*all, below*n-k*withAll, below*below-k*own
	if n <= 0 || a <= 0 {
		return 0, 1, false
	}
	root := math.Sqrt(max(b*b-a*c, 0))
	return min(max(outwards((b-root)/a, -1), 0), 1), min(max(outwards((b+root)/a, 1), 0), 1), true
}

// newSumsReader returns a reader for cumulative counts only, or nil after it has reported problems with the dimensions.
func newSumsReader(s query.Spec, axes []domain.Axis, cells int, p *problem.Problems) *quantileReader {
	s.Read.CDF = true
	r := newQuantileReader(s, axes, cells, p)
	if r != nil {
		r.cdf = false
	}
	return r
}
