// Package laplace adds exactly rounded Laplace noise, and exactly discrete Laplace (two-sided geometric) noise, to integers.
//
// For an exact answer x and S = b/grid, [Sampler] returns floor(x + S·L + 1/2), where L has density e^(−|z|)/2, and
// [Geometric] returns x + K, P(K = k) ∝ e^(−|k|/S); both with exactly that distribution, given uniform random bits, and
// saturated at the ends of int64. Everything is integer arithmetic. proof.md shows why it is exact, and what the privacy
// argument is.
//
// # Method
//
// |L| = a + u is exponential: von Neumann's comparisons of uniform numbers (1951; Karney 2016) yield a and as many binary
// digits of u as they need, without any exponential function; package gauss rounds S(a+u), drawing further digits while
// the rounding is open. K is ±floor(S(a+u)).
package laplace
