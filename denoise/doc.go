// Package denoise turns a noisy vector into a better estimate by post-processing: a differentially private answer
// stays as private as it was under any function of it and of public facts (Dwork & Roth 2014, Proposition 2.1;
// Balle & Wang 2018, section 4). A step sees the noisy values and the standard deviation of their noise, nothing else;
// it draws no randomness and its result does not depend on the machine's load.
//
// Throughout, y is a vector of d noisy values, y = f + s·Z with Z standard Gaussian, and s is the published standard
// deviation sqrt(sigma² + g²/12) of noise rounded to a grid g. Values, s and thresholds are in the query's unit.
//
// [Methods] lists what there is, [New] makes a step of a job's text, [Bind] and [WithGraph] tell it how the cells lie,
// [Check] refuses orders of steps that break an assumption, [Apply] carries a chain of steps out, [Estimate] does so on
// plain values. [ExpectedError] says what to expect of the result's error. The estimators themselves are plain functions of a
// slice; most return a [Fit], whose degrees of freedom lead to Stein's risk estimate.
//
// Random numbers serve to try estimators on values that are public already. They come from fixed public seeds, so that
// everybody gets the same estimate from the same values, with any number of workers.
package denoise
