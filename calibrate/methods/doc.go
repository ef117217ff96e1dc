// Package methods is what the literature says about noise and privacy beside the exact curve that package calibrate
// uses: closed forms for sigma, conversions between notions of privacy, composition of mechanisms of which only an
// (epsilon, delta) is known, mixtures of Gaussian, Laplace and geometric noise, and ways to share out a guarantee.
//
// It is for comparisons, studies and the calibrate command. A release does not need it: the plan, the ledger, the
// mechanisms and the queries use package calibrate alone, and a test of the layers keeps it so.
//
// As in package calibrate, every answer is on the safe side of the exact one for the float64 inputs, and what has no
// answer is a *calibrate.ArgumentError that names the argument.
package methods
