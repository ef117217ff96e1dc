package queries

import "github.com/dprelease/dprelease/mechanism"

// A sum is one mechanism: the sums of the values of each group, as they are.

var sumFacts = facts{
	valueBits: fixedBits,
	summary:   func(*quantizer) summary { return sumOfValues{} },
}

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
