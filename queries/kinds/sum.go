package kinds

import (
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/queries/quantize"
	"github.com/dprelease/dprelease/queries/query"
)

// Sums
//
// A sum has one component: the sum of the values in each group. The answer is the noisy sum, unchanged.

var sumFacts = sumsKind{summary: func(*quantize.Quantizer) summary { return sumOfValues{} }}

// sumOfValues is the summary of a sum.
type sumOfValues struct{}

func (sumOfValues) Extra() extraVectors { return extraVectors{} }

func (sumOfValues) components(q *Sums, adj query.Adjacency) ([]query.Component, error) {
	sens, err := q.declared(adj, q.sumSensitivity(adj), q.norm)
	if err != nil {
		return nil, err
	}
	c := q.componentOfSum(sens, adj)
	c.Name = ""
	return []query.Component{c}, nil
}

func (sumOfValues) answer(_ *Sums, noisy, estimate []noisyVector) query.Answer {
	return answerWithNoise(noisy[0].fill, estimate[0].fill, noisy[0].own.Mechanism(), 1)
}

func (sumOfValues) readBack(q *Sums, c query.Columns, grids []float64) (query.Recovered, error) {
	return recoverColumns(q.Cells(), grids, c.Noisy)
}

func (sumOfValues) looksEmpty(q *Sums, noisy []mechanism.Noisy) bool {
	return q.isNoise(noisy[0], q.Quantizer.Dims)
}
