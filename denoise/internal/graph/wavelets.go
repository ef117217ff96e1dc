package graph

import "context"

// WaveletOptions holds the options of [TreeWavelets].
type WaveletOptions struct {
	// Sigma > 0 is the standard deviation s of the noise, in the values' unit.
	Sigma float64
	Rule  ThresholdRule
	// Threshold is the threshold of the rule Given, in the values' unit.
	Threshold float64
	// Trees is the number of random trees whose estimates are averaged; 0 means 1.
	Trees int
	Run   Run
}

// TreeWavelets estimates the signal on g from y, which has one value per node, with wavelets of random spanning trees.
// It divides each tree into a balanced hierarchy of node sets, whose Haar basis is orthonormal. A signal that changes
// across c of the tree's edges has at most c·ceil(log2 d)·ceil(log2 n) nonzero coefficients, with d the largest degree.
// For a uniform tree the expected c is the sum of the effective resistances of the edges across which the signal
// changes. The time is O(n log n) for each tree. The published estimator is one tree with the rule Universal. The
// average over 40 trees with the rule Levels is far more accurate.
//
// Lambda of the result is the threshold, averaged over the trees.
//
// Source: Sharpnack, Singh & Krishnamurthy, "Detecting activations over graphs using spanning tree wavelet bases",
// AISTATS 2013; averaging over bases as in Coifman & Donoho, "Translation-invariant de-noising", 1995.
func TreeWavelets(ctx context.Context, g *Graph, y []float64, o WaveletOptions) (*Fit, error) {
	trees := max(o.Trees, 1)
	walks := newWalker(g, g.weight)
	sum := newAverage(len(y), trees)
	err := sum.run(ctx, o.Run, func(_, i int, x []float64) (df, threshold float64, err error) {
		forest, err := walks.draw(ctx, publicStream(0, uint64(i)))
		if err != nil {
			return 0, 0, err
		}
		df, threshold = estimate(newDendrogram(forest.node, forest.parent), y, x, o)
		return df, threshold, nil
	})
	if err != nil {
		return nil, err
	}
	return &Fit{X: sum.x, DF: sum.df, Lambda: sum.threshold}, nil
}

// estimate writes the signal with shrunk coefficients to x.
func estimate(d *Dendrogram, y, x []float64, o WaveletOptions) (df, threshold float64) {
	c := d.forward(y)
	df, threshold = o.Rule.shrink(d, c.Detail, o.Sigma, o.Threshold)
	d.Inverse(c, x)
	return df + float64(d.Components()), threshold
}
