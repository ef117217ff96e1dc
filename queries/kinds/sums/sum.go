package sums

import (
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/queries/internal/answers"
	"github.com/dprelease/dprelease/queries/quantize"
	"github.com/dprelease/dprelease/queries/query"
)

// Sums
//
// A sum is one mechanism: the sums of the values of each group, as they are.

var sumFacts = facts{summary: func(*quantize.Quantizer) summary { return sumOfValues{} }}

// sumOfValues is the kind of a sum.
type sumOfValues struct{}

func (sumOfValues) Extra() extraVectors { return extraVectors{} }

func (sumOfValues) components(q *Query, adj query.Adjacency) ([]query.Component, error) {
	sens, err := q.Declared(adj, q.sumSensitivity(adj), q.norm)
	if err != nil {
		return nil, err
	}
	c := q.componentOfSum(sens, adj)
	c.Name = ""
	return []query.Component{c}, nil
}

func (sumOfValues) answer(_ *Query, noisy, estimate []mechanism.Noisy) query.Answer {
	return answers.WithNoise(noisy[0].Fill, estimate[0].Fill, noisy[0].Mechanism(), 1)
}

func (sumOfValues) readBack(q *Query, c query.Columns, grids []float64) (query.Recovered, error) {
	return answers.Recover(q.Cells(), grids, c.Noisy)
}

func (sumOfValues) LooksEmpty(q *Query, noisy []mechanism.Noisy) bool {
	return q.IsNoise(noisy[0], q.Quantizer.Dims)
}
