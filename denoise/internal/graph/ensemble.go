package graph

import (
	"context"
)

// TreeEnsemble estimates nonnegative values, such as counts, on a graph. It averages total variation estimates on many
// random spanning trees, in two passes. The first pass gives a pilot estimate. In the second pass, the penalty λ of an
// edge between u and v is divided by √(w_u·w_v), so that relative jumps are penalised. w_i is the pilot's value at node
// i plus a floor, divided by the geometric mean of this sum over all nodes.
//
// Half of the trees are uniform, and half prefer short edges if lengths are known. In each half, the candidates (pairs
// of λ and floor) are averaged, with weights from Stein's risk estimate. The averages of the two halves are averaged,
// and negative values become 0. Each tree's problem is solved exactly in O(n log n).
//
// DF and Leverage treat the pilot and the candidates' weights as fixed. Lambda and Floor are those of the best
// candidate in the uniform half.
//
// Sources: Wilson (STOC 1996); Kolmogorov, Pock & Rolinek (SIAM Journal on Imaging Sciences 9, 2016); weights from a
// pilot: Zou, "The adaptive lasso" (JASA 101, 2006); averaging: Leung & Barron (IEEE Transactions on Information Theory
// 52, 2006).
func TreeEnsemble(ctx context.Context, g *Graph, y []float64, o EnsembleOptions) (*Fit, error) {
	laws := [][]float64{nil}
	if b := lengthBias(g); b != nil {
		laws = append(laws, b)
	}
	if o.Trees == 0 {
		o.Trees = 16
		if len(laws) == 2 && g.Nodes() > 50000 {
			o.Trees = 8
		}
	}
	sum := &Fit{X: make([]float64, len(y)), Leverage: make([]float64, len(y))}
	for i, b := range laws {
		part := o
		if o.Run.Progress != nil {
			part.Run.Progress = func(done, total int) { o.Run.Progress(i*total+done, len(laws)*total) }
		}
		fit, err := estimateHalf(ctx, g, y, halfOptions{b, part})
		if err != nil {
			return nil, err
		}
		sum.include(fit, 1/float64(len(laws)))
	}
	if o.Signed {
		return sum, nil
	}
	return sum.Clip(), nil
}

// include adds another fit to f, multiplied by share.
func (f *Fit) include(other *Fit, share float64) {
	if f.DF == 0 {
		f.Lambda, f.Floor = other.Lambda, other.Floor
	}
	f.DF += share * other.DF
	for i, v := range other.X {
		f.X[i] += float64(share * v)
		f.Leverage[i] += float64(share * other.Leverage[i])
	}
}
