// Package calibrate is the calculus of the Gaussian mechanism: how much noise an (epsilon, delta) needs, what a noise is
// worth, and how one guarantee is shared out over the queries of a release.
//
// Its unit of account is mu, the L2 sensitivity over the noise's standard deviation (Gaussian differential privacy): the
// squares of mu of several mechanisms add up, without loss (Zhao et al. 2019, Lemma 15). GaussianMu, GaussianDelta and
// GaussianEpsilon convert between mu and (epsilon, delta) by the exact curve of Balle & Wang 2018, Theorem 8;
// AnalyticGaussian is their calibration (Theorem 9); Split, Compose and Verify work on whole releases.
//
// Every answer is on the safe side of the exact one for the float64 inputs, by proof: it is accepted by an evaluation of
// the curve in double-double arithmetic whose error is bounded beside the code (curve), or, if that cannot decide, in
// 1024 bits (bigDelta). What finds the candidates (solveMu, solveEpsilon) is not trusted. Answers are also tight: the
// extreme float64 that is proven.
//
// No input panics or hangs: what cannot be answered is an *ArgumentError that names the argument.
package calibrate
