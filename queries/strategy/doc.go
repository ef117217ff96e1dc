// Package strategy decides which numbers of a query get noise, and how much, before any data is read. It is public
// mathematics only.
//
// A query has exact integer cells x. A strategy is a public integer matrix A whose rows are divided into components. A
// is never stored as a dense matrix. The release is
//
//	y_c = A_c·x + N(0, sigma_c²)  for each component c,
//
// with exactly rounded, independent noise. The answer is computed from y by least squares, so after the noise. Let
// Delta_c be the largest Euclidean norm of the change that one privacy unit makes to A_c·x. Then
//
//	mu² = sum_c Delta_c²/sigma_c²,
//
// so a strategy consists of one Gaussian mechanism, with one sigma, for each component. The standard deviation of an
// answer follows from the sigmas and is the same for all data.
//
// Before the noise, all numbers that depend on data are integers: the functions that transform exact answers take and
// return integers of up to 128 bits ([int128.Slice]), and sensitivities come from integer norms, rounded up. Floats
// occur in weights, which are public, and after the noise.
//
// [Marginals] answers several marginals of the same attributes. [Nested] answers the levels of a tree, such as regions
// and municipalities. [NewOrdered] answers cumulative counts of ordered cells. [CommonNoise] answers a histogram in
// which a unit may have rows in many cells.
package strategy
