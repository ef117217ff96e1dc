// Package gauss adds exactly rounded Gaussian noise to integers.
//
// For an exact answer x (an integer, or an integer with binary digits below the point) and S = sigma/grid it returns
//
//	floor(x + S·Z + 1/2),  Z ~ N(0, 1),
//
// with exactly that distribution, given uniform random bits: no truncation, no rounding error. All arithmetic is on
// integers; floats appear only in [NewScale] and [Log2], which decompose the public parameters. proof.md shows why the
// result is exact, why rounding is post-processing of x + S·Z, so that the delta(epsilon) curve of Balle & Wang (2018,
// Theorem 8) holds unchanged, and what the running time reveals.
//
// # Method
//
// The method is rejection by blocks. |Z| = (a+u)/16. The level a >= 0 has P(a) ∝ e^(−a²/512), and u is uniform on [0,
// 1). It is accepted with probability e^(−t), t = u(2a+u)/512. An attempt is a fixed function of a sign and of three
// independent uniform numbers: w selects a, u is the digits, v decides acceptance. Only their first binary digits are
// drawn. 64-bit arithmetic with error bounds almost always decides; if it cannot, more digits are drawn and math/big
// decides.
package gauss

//go:generate go run ./gen
