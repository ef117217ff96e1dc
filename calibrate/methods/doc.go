// Package methods has results of the literature on noise and privacy beside the exact curve of package calibrate:
// closed forms for sigma, conversions between notions of privacy, composition of mechanisms of which only an (epsilon,
// delta) is known, and mixtures of Gaussian, Laplace and geometric noise.
//
// It is for comparisons, studies and the calibrate command. The plan, the ledger, the mechanisms and the queries use
// only package calibrate, and a test of the imports checks this. The page of a release uses [InvErfc].
//
// As in package calibrate, every answer for the float64 inputs is on the safe side of the exact one. If there is no
// answer, the error is a *calibrate.ArgumentError that names the argument.
package methods
