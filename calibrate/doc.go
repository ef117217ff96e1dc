// Package calibrate computes with the Gaussian mechanism: how much noise an (epsilon, delta) needs, which guarantee
// given noise has, and how to divide one guarantee among the queries of a release. It is part of the trusted base and
// has no more than a release needs. Package methods has other results of the literature, for comparisons.
//
// Budgets are counted in mu, the L2 sensitivity divided by the standard deviation of the noise (Gaussian differential
// privacy). The mu² of several mechanisms add up without loss (Zhao et al. 2019, Lemma 15). GaussianMu, GaussianDelta
// and GaussianEpsilon convert between mu and (epsilon, delta) by the exact curve of Balle & Wang 2018, Theorem 8.
// AnalyticGaussian is their calibration (Theorem 9). SplitBudget, Compose and Verify work on whole releases. Type Pure
// is for Laplace and geometric noise.
//
// Every answer is proven to be on the safe side: there is never less noise, and never a larger guarantee, than the
// exact answer allows. A solver proposes an answer and is not trusted: an evaluation of the curve must confirm the
// answer. It uses double-double arithmetic with proven error bounds, or 1024 bits if double-double cannot decide.
// Answers are also tight: no float64 closer to the exact answer can be confirmed. All of this is in
// calibrate/internal/numeric.
//
// No input makes a function panic or hang. If there is no answer, the error is an *ArgumentError that names the
// argument.
package calibrate
