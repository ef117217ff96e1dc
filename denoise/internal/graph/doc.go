// Package graph estimates a signal on the nodes of a public graph from noisy values: y = f + s·Z with Z standard
// Gaussian, independent from node to node, and s known. Everything here is a pure function of y, s and the graph, so it
// costs no privacy.
//
// [New] and [Product] return graphs. [TreeWavelets] thresholds wavelets of random spanning trees. [TrendFilter] solves
// the total variation problem of any graph, and the problems of higher order. [TreeEnsemble] averages the total
// variation estimates of many random trees. Each returns a [Fit] with the estimate's divergence, from which Stein's
// unbiased risk estimate follows.
//
// The caller checks the options and the values: y has one value per node, and all values, penalties and standard
// deviations are at most 1e140, so that sums of squares do not overflow.
//
// Trees are drawn by a public generator with a fixed seed, which hides nothing and adds no noise. Results are the same
// for any number of workers.
package graph
