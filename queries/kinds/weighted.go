package kinds

import (
	"fmt"
	"math"

	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/quantize"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/sensitivity"
)

// Weights
//
// In a survey each row stands for many people, whose number is the row's weight. A weighted count or histogram adds up
// the weights of rows. Quantiles and cumulative fractions are computed from its cells as from counts. A weighted mean
// divides two noisy numbers: the sum of weight·(value − centre) by the sum of weights. A row changes the first sum by
// at most the largest weight times half the range of values, and the second by at most the largest weight.

// weightedCounts describes weighted counts and histograms. They add up weights in the way that sums add up values.
var weightedCounts = sumsKind{check: checkWeighted, summary: sumFacts.summary}

// weightedMean is the summary of a mean of weighted rows. It uses the sum of weights instead of the count.
type weightedMean struct{ meanOfNoisyRows }

func (weightedMean) Extra() extraVectors { return extraVectors{Weights: true} }

func (weightedMean) components(q *Sums, adj query.Adjacency) ([]query.Component, error) {
	if q.Spec.Declared != 0 {
		return nil, errTwoSensitivities(q)
	}
	sum := q.componentOfSum(q.sumSensitivity(adj), adj)
	weights := *q
	weights.Spec.Kind, weights.Quantizer = query.Histogram, q.Quantizer.Factors.Weight
	weights.Reach = sensitivity.ReachOf(weights.Quantizer)
	count := weights.componentOfSum(weights.sumSensitivity(adj), adj)
	count.Name = "count"
	sum.Weight, count.Weight = sum.Sens.L2, q.half*count.Sens.L2 // the same weights as for a mean: see sumAndCount
	return []query.Component{sum, count}, nil
}

// hideWeighted returns the sums of weighted values and the sums of weights as exact answers. In totals the two
// alternate.
func hideWeighted(q *quantize.Quantizer, totals int128.Slice) ([]mechanism.Exact, error) {
	cells := totals.Len() / 2
	products, weights := int128.Make(cells), int128.Make(cells)
	for i := range cells {
		products.Set(i, totals.At(2*i))
		weights.Set(i, totals.At(2*i+1))
	}
	exacts, err := accumulate.HideSums(math.Ldexp(1, q.Exponent), products)
	if err != nil {
		return nil, err
	}
	more, err := accumulate.HideSums(math.Ldexp(1, q.Factors.Weight.Exponent), weights)
	return append(exacts, more...), err
}

// Weights returns the bounds of the rows' weights. ok is false if rows have no weights.
func Weights(q query.Query) (low, high float64, ok bool) {
	s, ok := q.(interface{ weights() *quantize.Quantizer })
	if !ok || s.weights() == nil {
		return 0, 0, false
	}
	w := s.weights()
	return w.Real(w.Min), w.Real(w.Max), true
}

// weights returns the quantizer of the weights, or nil if rows have none.
func (q *Sums) weights() *quantize.Quantizer {
	switch {
	case q.Quantizer.Factors != nil:
		return q.Quantizer.Factors.Weight
	case q.Spec.CountsWeights():
		return q.Quantizer
	}
	return nil
}

// checkWeighted reports parts of a spec that a weighted count or histogram cannot have.
func checkWeighted(s query.Spec, p *problem.Problems) {
	field := string(s.Kind) + ".weight"
	switch {
	case s.Read.Sums || s.CommonNoise != "":
		p.Add(field, problem.CodeBadSpec, "optimize and noise lay out the noise of numbers of rows, not of weights",
			"remove them, or weight")
	case s.Discovers():
		p.Add(field, problem.CodeBadSpec, "keys are selected by numbers of units, not by weights",
			fmt.Sprintf("let a histogram "+
				"without weight discover the keys, and ask for sum: {column: %s} by them", s.Value.Columns[0]))
	}
	quantize.CheckWeight(s.Value, field, p)
}
