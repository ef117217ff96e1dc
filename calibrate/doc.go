// Package calibrate is the calculus of the Gaussian mechanism: how much noise an (epsilon, delta) needs, which
// guarantee a given noise has, and how one guarantee is shared out over the queries of a release. It has what a release
// needs and is a part of the trusted base; what the literature has beside it is in package methods.
//
// Its unit of account is mu, the L2 sensitivity over the noise's standard deviation (Gaussian differential privacy):
// the squares of mu of several mechanisms add up, without loss (Zhao et al. 2019, Lemma 15). GaussianMu, GaussianDelta
// and GaussianEpsilon convert between mu and (epsilon, delta) by the exact curve of Balle & Wang 2018, Theorem 8;
// AnalyticGaussian is their calibration (Theorem 9); Split, Compose and Verify work on whole releases.
//
// Every answer is on the safe side of the exact one for the float64 inputs, by proof. It is accepted by an evaluation
// of the curve in double-double arithmetic, whose error is bounded beside the code, or in 1024 bits if that cannot
// decide. The solver that proposes answers is not trusted. Answers are also tight: each is the extreme float64 that is
// proven. All of this is in internal/numeric.
//
// No input makes a function panic or hang: if there is no answer, the error is an *ArgumentError that names the
// argument.
package calibrate
