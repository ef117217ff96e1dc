package queries

import (
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/queries/quantize"
)

// Sums
//
// A sum is one mechanism: the sums of the values of each group, as they are.

var sumFacts = facts{summary: func(*quantize.Quantizer) summary { return sumOfValues{} }}

// sumOfValues is the kind of a sum.
type sumOfValues struct{}

func (sumOfValues) extra() extraVectors { return extraVectors{} }

func (sumOfValues) components(q *summing, adj Adjacency) ([]Component, error) {
	sens, err := q.declared(adj, q.sumSensitivity(adj))
	if err != nil {
		return nil, err
	}
	c := q.componentOfSum(sens)
	c.Name = ""
	return []Component{c}, nil
}

func (sumOfValues) answer(_ *summing, noisy, estimate []mechanism.Noisy) Answer {
	return normal(noisy[0].Fill, estimate[0].Fill, noisy[0].Mechanism().Deviation())
}

func (sumOfValues) readBack(q *summing, c Columns, grids []float64) (Recovered, error) {
	return recoverComponents(q.Cells(), grids, c.Noisy)
}

func (sumOfValues) looksEmpty(q *summing, noisy []mechanism.Noisy) bool {
	return q.isNoise(noisy[0], q.quantizer.Dims)
}
