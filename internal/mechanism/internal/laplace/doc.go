// Package laplace adds exactly rounded Laplace noise, and exactly discrete Laplace (two-sided geometric) noise, to
// integers.
//
// For an exact answer x and S = b/grid, [Sampler] returns floor(x + S·L + 1/2) with L of density e^(−|z|)/2, and
// [Geometric] returns x + K with P(K = k) ∝ e^(−|k|/S). Both have exactly that distribution, given uniform random bits,
// and are saturated at the limits of int64. All arithmetic is on integers. proof.md shows why the result is exact and
// why it is private.
//
// # Method
//
// |L| = a + u is exponential: von Neumann's comparisons of uniform numbers (1951; Karney 2016) yield a, and as many
// binary digits of u as they need, without an exponential function. Package gauss rounds S(a+u), and further digits are
// drawn until they decide the rounding. K is ±floor(S(a+u)).
package laplace
