// Package numeric evaluates the curve delta(epsilon) of the Gaussian mechanism and its inverses, over plain float64,
// with a proof for each rounding. It is a part of the trusted base.
//
// It has two evaluations of the curve. The fast one works in double-double arithmetic (doubledouble.go, exp.go,
// mills.go, curve.go), with an error of at most 2^-76, relative. The slow one works in up to 1024 bits (bigfloat.go,
// bigerf.go, bigcurve.go) and decides when the fast one cannot (meets.go). A solver proposes candidates (solve.go); it
// is not trusted: boundary.go searches from its candidate for the extreme float64 that is proven, and inverse.go puts
// these together. rounding.go has the roundings in a known direction.
package numeric
