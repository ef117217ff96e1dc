// Package denoise turns a noisy vector into a better estimate by post-processing. Any function of a differentially
// private answer and of public facts is as private as the answer itself (Dwork & Roth 2014, Proposition 2.1; Balle &
// Wang 2018, section 4). A step reads only the noisy values and the standard deviation of their noise. It draws no
// secret random numbers, and its result does not depend on the machine's load.
//
// Throughout, y is a vector of d noisy values, y = f + s·Z with Z standard Gaussian, and s is the published standard
// deviation sqrt(sigma² + g²/12) of noise that is rounded to a grid g. Values, s and thresholds are in the query's
// unit.
//
// [Methods] lists all methods. [New] returns a step from a job's text. [Step.Bind] and [Step.WithGraph] add the order
// or the graph of the cells to a step. [Check] rejects a sequence in which one step breaks an assumption of a later
// one. [Estimate] carries out a sequence of steps. [ExpectedError] estimates the error of the result. The estimators
// themselves are functions of a slice. Most return a [Fit], whose degrees of freedom give Stein's risk estimate.
//
// Random numbers are used only to try estimators on values that are already public. They come from fixed public seeds,
// so that everybody gets the same estimate from the same values, with any number of workers.
package denoise
