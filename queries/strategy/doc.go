// Package strategy decides where the noise of a query goes, before any data is read: public mathematics only.
//
// A query has exact cells x, integers. A strategy is a public integer matrix A, kept by its structure and never as a
// dense matrix, whose rows fall into components. The release is
//
//	y_c = A_c·x + N(0, sigma_c²)  for each component c,
//
// exactly rounded and independent, and the answer is computed from y by least squares, after the noise. With Delta_c
// the largest Euclidean norm of the change that one privacy unit makes to A_c·x,
//
//	mu² = sum_c Delta_c²/sigma_c²,
//
// so that a strategy is one Gaussian mechanism, with one sigma, for each component. The standard deviation of an answer
// follows from the sigmas and is the same for all data.
//
// Everything before the noise is integers: the functions that transform exact answers take and return integers of up to
// 128 bits ([int128.Slice]), and sensitivities come from integer norms, rounded up. Floats occur in weights, which are
// public, and after the noise.
//
// [Marginals] answers several marginals of the same attributes; [Nested] answers the levels of a tree, such as regions
// and municipalities; [NewOrdered] answers the sums below each edge of ordered cells.
package strategy
