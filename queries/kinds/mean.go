package kinds

import (
	"fmt"
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/quantize"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/sensitivity"
)

// Means
//
// A mean adds up x - centre, with the centre of the clamp. This halves the largest amount that one row adds. If the
// number of rows is public, only the sums get noise, otherwise both sums and counts. Noise in the count matters least
// if the mean is near the centre.

var meanFacts = sumsKind{
	quantizer: quantize.Options{Centred: true}, columns: []string{noisySum, noisyCount},
	summary: func(v *quantize.Quantizer) summary {
		switch {
		case v.Factors != nil:
			return weightedMean{}
		case v.Value.Rows > 0:
			return meanOfKnownRows{}
		}
		return meanOfNoisyRows{}
	},
}

// meanOfKnownRows is a mean of a public number n of rows: centre + sum/n.
type meanOfKnownRows struct{}

func (meanOfKnownRows) Extra() extraVectors { return extraVectors{} }

// components returns one component, the sums. One row changes a sum by at most hi - lo in each component of the value.
// For vectors with a bounded norm, it changes the vector of sums by at most twice this norm.
func (meanOfKnownRows) components(q *Sums, adj query.Adjacency) ([]query.Component, error) {
	if adj != query.ReplaceOne {
		return nil, problem.One(q.Spec.Name, q.Quantizer.Field+".rows", problem.CodeBadSpec,
			"the number of terms is public only under replace-one", "leave rows out, or use adjacency replace-one")
	}
	n := float64(q.Quantizer.Value.Rows) // a float64 holds Rows exactly
	sum := q.sumSensitivity(adj)
	mean, err := q.declared(adj, calibrate.Sensitivity{
		L2: math.Nextafter(sum.L2/n, math.Inf(1)), Why: fmt.Sprintf("%s, of %d terms; rows without a value count as the "+
			"centre of the range", sum.Why, q.Quantizer.Value.Rows),
	}, q.norm)
	if err != nil {
		return nil, err
	}
	if q.Spec.Declared != 0 {
		sum.L2 = max(sum.L2, math.Nextafter(mean.L2*n, math.Inf(1)))
	}
	c := q.componentOfSum(calibrate.Sensitivity{L2: sum.L2, Why: mean.Why}, adj)
	c.Scale = 1 / n
	return []query.Component{c}, nil
}

// answer returns the columns of the means. Their noise is the noise of the sum, divided by n.
func (meanOfKnownRows) answer(q *Sums, noisy, estimate []noisyVector) query.Answer {
	return answerWithNoise(q.mean(noisy[0].fill), q.mean(estimate[0].fill), noisy[0].own.Mechanism(),
		float64(q.Quantizer.Value.Rows))
}

// readBack finds, for each mean, the multiple of the grid from which it was computed: the only one that gives exactly
// this mean. If neighbouring multiples give the same float64, it returns an error.
func (meanOfKnownRows) readBack(q *Sums, c query.Columns, grids []float64) (query.Recovered, error) {
	if len(grids) != 1 || len(c.Noisy) != q.Cells() {
		return query.Recovered{}, errInexact
	}
	n, centre, grid := float64(q.Quantizer.Value.Rows), q.Quantizer.Real(q.Quantizer.Centre), grids[0]
	multiples, one := make([]int64, len(c.Noisy)), make([]float64, 1)
	of := q.mean(func(_ int, dst []float64) { dst[0] = one[0] })
	made := func(k float64) float64 {
		one[0] = k * grid
		mean := make([]float64, 1)
		of(0, mean)
		return mean[0]
	}
	// exact: all integers up to this one are exact in float64. around: the largest error of the first guess, in multiples.
	const exact, around = 1 << 53, 4
	for i, mean := range c.Noisy {
		guess, found := math.Round((mean-centre)*n/grid), 0
		if !(math.Abs(guess) < exact-around-1) {
			return query.Recovered{}, errInexact
		}
		for k := guess - around; k <= guess+around; k++ {
			if made(k) == mean {
				multiples[i] = int64(k)
				found++
			}
		}
		if found != 1 {
			return query.Recovered{}, errInexact
		}
	}
	return query.Recovered{Multiples: [][]int64{multiples}}, nil
}

// looksEmpty returns false: the number of rows is public, so it does not show whether rows have a value.
func (meanOfKnownRows) looksEmpty(*Sums, []mechanism.Noisy) bool { return false }

// mean converts sums of values minus the centre to means.
func (q *Sums) mean(sum query.Series) query.Series {
	n, centre := float64(q.Quantizer.Value.Rows), q.Quantizer.Real(q.Quantizer.Centre)
	return mapped(sum, func(s float64) float64 { return centre + s/n })
}

// meanOfNoisyRows is a mean of a private number of rows: a noisy sum divided by a noisy count. The answer includes both
// numbers.
type meanOfNoisyRows struct{}

func (meanOfNoisyRows) Extra() extraVectors { return extraVectors{Rows: true} }

func (meanOfNoisyRows) components(q *Sums, adj query.Adjacency) ([]query.Component, error) {
	if q.Spec.Declared != 0 {
		return nil, errTwoSensitivities(q)
	}
	sum, count := q.sumAndCount(adj)
	return []query.Component{sum, count}, nil
}

func errTwoSensitivities(q *Sums) error {
	return problem.One(q.Spec.Name, problem.FieldSensitivity, problem.CodeBadSpec,
		"a mean made of a noisy sum and a noisy count has two sensitivities", "leave the declaration out")
}

// sumAndCount returns the components of a mean that is a quotient: the sum and the count.
//
// Let sigma_s and sigma_c be the standard deviations of the noise in the sums and the count. The squared error of a
// mean of n rows with d components is about (d·sigma_s² + ‖mean - centre‖²·sigma_c²)/n². In the worst case ‖mean -
// centre‖ is ρ, the norm of half the range. For such a mean, the error is least if the fractions of mu² are in the
// ratio sqrt(d)·Delta_s : ρ·Delta_c, because sigma² = Delta²/fraction.
func (q *Sums) sumAndCount(adj query.Adjacency) (sum, count query.Component) {
	sum = q.componentOfSum(q.sumSensitivity(adj), adj)
	squared := sensitivity.SquaredCounts(q.Limits, adj, q.Size)
	count = query.Component{
		Name: "count", Sens: calibrate.Sensitivity{L2: sensitivity.RootUp(squared), Why: q.why(adj, sensitivity.RootText(squared))},
		Cells: q.Size, Quantum: 1, RowBound: 1, Scale: 1,
	}
	q.setL1(&count, adj)
	// the costs of sum and count are both relative to the square of the largest mean
	sum.Cost = float64(q.Cells()) / (q.Reach.OfRow() * q.Reach.OfRow())
	sum.Weight = math.Sqrt(float64(q.Quantizer.Dims)) * sum.Sens.L2
	count.Weight = q.Reach.OfRow() * count.Sens.L2
	return sum, count
}

func (meanOfNoisyRows) answer(q *Sums, noisy, estimate []noisyVector) query.Answer {
	v, least := q.Quantizer, 1.0
	if v.Factors != nil { // weights of rows may be below 1
		v, least = v.Factors.Value, 0
	}
	r := ratio{Least: least,
		Centre: v.Real(v.Centre), Half: v.Real(v.Half()),
		Sum: noisy[0].deviation, Count: noisy[1].deviation, Z: calibrate.Z95, tail: tailOf(HeavyZ95, noisy...),
	}
	of := func(f func(s, n float64) float64) query.Series { return q.perGroup(noisy, f) }
	own := []noisyVector{noisy[0].ownVector(), noisy[1].ownVector()}
	return query.Answer{
		Noisy: of(r.mean), Estimate: q.perGroup(estimate, r.estimate), Sigma: of(r.sigma),
		Low:  of(func(s, n float64) float64 { low, _ := r.interval(s, n); return low }),
		High: of(func(s, n float64) float64 { _, high := r.interval(s, n); return high }),
		Extra: []query.Extra{{Name: noisySum, Values: own[0].fill},
			{Name: noisyCount, Values: q.perGroup(own, func(_, n float64) float64 { return n })}},
	}
}

// perGroup returns a series with f(s, n) for each sum s and the count n of its group.
func (q *Sums) perGroup(components []noisyVector, f func(s, n float64) float64) query.Series {
	dims := q.Quantizer.Dims
	return func(start int, dst []float64) {
		if len(dst) == 0 {
			return
		}
		components[0].fill(start, dst)
		first := start / dims
		counts := make([]float64, (start+len(dst)-1)/dims-first+1)
		components[1].fill(first, counts)
		for i, s := range dst {
			dst[i] = f(s, counts[(start+i)/dims-first])
		}
	}
}

// readBack reads the sums and counts back from released columns. If values are vectors, a group's count is in the row
// of each of their components.
func (meanOfNoisyRows) readBack(q *Sums, c query.Columns, grids []float64) (query.Recovered, error) {
	if len(c.Extra) != 2 || len(grids) != 2 || len(c.Extra[0]) != q.Cells() || len(c.Extra[1]) != q.Cells() {
		return query.Recovered{}, errInexact
	}
	once := make([]float64, 0, q.Size)
	for i, n := range c.Extra[1] {
		if i%q.Quantizer.Dims == 0 {
			once = append(once, n)
		} else if n != once[len(once)-1] {
			return query.Recovered{}, errInexact
		}
	}
	sums, err := recoverColumns(q.Cells(), grids[:1], c.Extra[0])
	if err != nil {
		return sums, err
	}
	rest, err := recoverColumns(q.Size, grids[1:], once)
	return query.Recovered{Multiples: append(sums.Multiples, rest.Multiples...)}, err
}

// looksEmpty reports whether the noisy counts could be noise alone.
func (meanOfNoisyRows) looksEmpty(q *Sums, noisy []mechanism.Noisy) bool {
	return q.isNoise(noisy[1], 1)
}

// halfWidth returns the half-width of a mean's interval, multiplied by the number of rows, for values within h of the
// centre.
func (meanOfNoisyRows) halfWidth(h float64, deviations []float64, normal bool) float64 {
	sum, count := deviations[0], h*deviations[1]
	z := calibrate.Z95
	if !normal {
		z = HeavyZ95(kurtosisOfTwo(sum, count))
	}
	return z * math.Hypot(sum, count)
}
